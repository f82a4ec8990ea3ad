/**
 * A host of the MCP bridge: sends messages, sees every line that comes back. In process, or with the
 * bridge as a child.
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { after } from "node:test";
import type { HarnessKey } from "../../lib/config/types.ts";
import type { StdinLine } from "../../lib/runtime/types.ts";
import type { McpProxyOptions } from "../../lib/mcp/types.ts";
import { createOpenVikingMcpProxy } from "../../lib/mcp/proxy.ts";
import { readProxyConfig } from "../../lib/mcp/proxy_config.ts";
import type { Scratch } from "./scratch.ts";
import type { Message } from "./fake_mcp_server.ts";
import { isolatedEnvironment } from "./isolated_environment.ts";
import { projectRoot } from "./project.ts";

/** One side of a conversation with the bridge. */
export interface McpHost {
  /** Every line that came, parsed; a line that is no JSON is a failure of its own kind. */
  readonly messages: Message[];
  readonly lines: string[];
  /** Sends a request and waits for its response. */
  // deno-lint-ignore no-explicit-any
  ask(method: string, params?: any, id?: string | number): Promise<Message>;
  // deno-lint-ignore no-explicit-any
  notify(method: string, params?: any): void;
  raw(text: string): void;
  /** `initialize` and its notification. */
  hello(version?: string, capabilities?: Record<string, unknown>): Promise<Message>;
  /** Waits for a message that `matches`. */
  until(matches: (message: Message) => boolean): Promise<Message>;
  /** Responses with this id. */
  answers(id: string | number): Message[];
}

/** A bridge in this process. */
export interface InProcessHost extends McpHost {
  readonly warnings: string[];
  /** Closes the input and waits for the end of the bridge. */
  close(): Promise<void>;
  stop(): Promise<void>;
}

/** A bridge as a child process. */
export interface ChildHost extends McpHost {
  readonly child: ChildProcess;
  readonly stderr: () => string;
  /** Closes stdin and waits for the exit code. */
  close(): Promise<number | null>;
  readonly exited: Promise<number | null>;
}

interface Wire {
  readonly host: McpHost;
  take(text: string): void;
}

function createWire(write: (text: string) => void): Wire {
  const messages: Message[] = [];
  const lines: string[] = [];
  const waits = new Set<() => void>();
  let rest = "";
  let count = 0;
  const host: McpHost = {
    messages,
    lines,
    async ask(method, params, id = `t${++count}`) {
      write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      return await host.until((message) => message.method === undefined && message.id === id);
    },
    notify: (method, params) => write(`${JSON.stringify({ jsonrpc: "2.0", method, params })}\n`),
    raw: write,
    async hello(protocolVersion = "2025-06-18", capabilities = {}) {
      const clientInfo = { name: "test", version: "1" };
      const answer = await host.ask("initialize", { protocolVersion, capabilities, clientInfo });
      host.notify("notifications/initialized");
      return answer;
    },
    until(matches) {
      return new Promise((resolve) => {
        const look = (): void => {
          const found = messages.find(matches);
          if (found === undefined) return;
          waits.delete(look);
          resolve(found);
        };
        waits.add(look);
        look();
      });
    },
    answers: (id) => messages.filter((m) => m.method === undefined && m.id === id),
  };
  return {
    host,
    take(text) {
      rest += text;
      for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 1);
        lines.push(line);
        messages.push(JSON.parse(line) as Message);
      }
      waits.forEach((look) => look());
    },
  };
}

/** Lines that are pushed by hand. */
function createLines(): {
  readonly lines: AsyncIterable<StdinLine>;
  push(text: string): void;
  end(): void;
} {
  const queue: StdinLine[] = [];
  let ended = false;
  let wake: () => void = () => {};
  async function* read(): AsyncGenerator<StdinLine> {
    for (;;) {
      const line = queue.shift();
      if (line !== undefined) yield line;
      else if (ended) return;
      else await new Promise<void>((resolve) => wake = resolve);
    }
  }
  return {
    lines: read(),
    push(text) {
      for (const line of text.replace(/\n$/, "").split("\n")) {
        queue.push({ text: line, truncated: false });
      }
      wake();
    },
    end() {
      ended = true;
      wake();
    },
  };
}

/** Starts a bridge in this process under the configuration of `scratch`. */
export function startBridge(
  scratch: Scratch,
  options: {
    readonly harness?: HarnessKey;
    readonly env?: Readonly<Record<string, string>>;
    readonly proxy?: Partial<McpProxyOptions>;
  } = {},
): InProcessHost {
  const runtime = scratch.runtime(options.env ?? {});
  const input = createLines();
  const warnings: string[] = [];
  const wire = createWire((text) => input.push(text));
  const proxy = createOpenVikingMcpProxy({
    input: input.lines,
    output: (text) => {
      wire.take(text);
      return Promise.resolve();
    },
    warn: (text) => warnings.push(text),
    readConfig: () => readProxyConfig(runtime, options.harness ?? "claude-code"),
    files: runtime.files,
    fetch: (url, init) => fetch(url, init),
    openLocal: () => Promise.reject(new Error("Cannot open the embedded engine: not in this test")),
    localIntroduction: { name: "local", title: "Local", version: "1" },
    ...options.proxy,
  });
  const ended = proxy.run();
  after(() => proxy.stop());
  return {
    ...wire.host,
    warnings,
    async close() {
      input.end();
      await ended;
    },
    async stop() {
      proxy.stop();
      await ended;
    },
  };
}

/** Starts `mcp/main.ts` as a host does, with `home` as HOME. */
export async function startChild(
  home: string,
  options: { readonly host?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<ChildHost> {
  const entry = join(projectRoot, "mcp/main.ts");
  const child = spawn(
    Deno.execPath(),
    ["run", "-A", "--no-check", "--quiet", entry, "--host", options.host ?? "claude-code"],
    {
      cwd: home,
      env: { ...await isolatedEnvironment(home), ...options.env },
      stdio: ["pipe", "pipe", "pipe"],
    },
  );
  after(() => void child.kill("SIGKILL"));
  const wire = createWire((text) => void child.stdin.write(text));
  child.stdin.on("error", () => {});
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => wire.take(text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => stderr += text);
  const exited = new Promise<number | null>((resolve) => child.on("close", resolve));
  return {
    ...wire.host,
    child,
    stderr: () => stderr,
    exited,
    close() {
      child.stdin.end();
      return exited;
    },
  };
}
