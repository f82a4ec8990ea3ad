/**
 * The MCP bridge: a host on one side, one message a line; the server's `/mcp`, or the embedded
 * engine's, on the other. Messages pass through as they are.
 *
 * @module
 */
import type { StdinLine } from "../runtime/types.ts";
import type { McpProxyLimits, McpProxyOptions } from "./types.ts";
import { createBridge } from "./_bridge.ts";
import { pause, within } from "./_deadline.ts";
import { errorText, RPC_CODE } from "./_json_rpc.ts";

/** A running bridge. */
export interface McpProxy {
  /** Serves until the input ends and what is in flight is answered, or until `stop`. */
  run(): Promise<void>;
  /** Ends `run` at once; requests in flight are answered with an error. */
  stop(): void;
}

/** The limits of the bridge when nothing else is said. */
export const MCP_PROXY_LIMITS: McpProxyLimits = {
  initializeAnswerMs: 500,
  initializeMs: 10_000,
  listPatienceMs: 400,
  requestMs: 60_000,
  lingerMs: 1000,
  drainQuietMs: 2000,
  drainMs: 8000,
};

/** Makes a bridge; nothing is read, opened or sent before `run`. */
export function createOpenVikingMcpProxy(options: McpProxyOptions): McpProxy {
  const limits: McpProxyLimits = { ...MCP_PROXY_LIMITS, ...options.limits };
  const pending = new Set<Promise<void>>();
  const stopping = new AbortController();
  let lastActivity = Date.now();
  let writes: Promise<void> = Promise.resolve();

  function send(text: string): void {
    lastActivity = Date.now();
    writes = writes.then(() => options.output(`${text}\n`)).catch(() => stopping.abort());
  }

  const bridge = createBridge(options, limits, send);

  async function accept(line: StdinLine): Promise<void> {
    if (line.truncated) {
      return send(errorText(null, RPC_CODE.parse, "Cannot read a message: it is too long"));
    }
    const text = line.text.trim();
    if (text === "") return;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return send(errorText(null, RPC_CODE.parse, "Cannot read a message: it is not JSON"));
    }
    if (Array.isArray(value) && value.length > 0) {
      // A batch (2025-03-26): the server gets single messages, the host one array.
      const answers = await Promise.all(
        value.map((item) => bridge.handle(item, JSON.stringify(item))),
      );
      const texts = answers.filter((answer) => answer !== undefined);
      if (texts.length > 0) send(`[${texts.join(",")}]`);
      return;
    }
    const answer = await bridge.handle(value, text);
    if (answer !== undefined) send(answer);
  }

  async function readInput(): Promise<void> {
    for await (const line of options.input) {
      lastActivity = Date.now();
      const work = accept(line).finally(() => pending.delete(work));
      pending.add(work);
    }
  }

  /** Waits for the answers in flight, as long as they keep coming. */
  async function drain(): Promise<void> {
    const until = Date.now() + limits.drainMs;
    while (pending.size > 0 && !stopping.signal.aborted) {
      const now = Date.now();
      const left = Math.min(lastActivity + limits.drainQuietMs, until) - now;
      if (left <= 0) return;
      await Promise.race([settled(pending), pause(left, stopping.signal)]);
    }
  }

  return {
    async run() {
      const stopped = new Promise<void>((resolve) => {
        stopping.signal.addEventListener("abort", () => resolve(), { once: true });
      });
      await Promise.race([readInput().then(drain), stopped]);
      const isStopped = stopping.signal.aborted;
      if (pending.size > 0) {
        bridge.abortAll("stopped");
        await within(200, settled(pending));
      }
      // A long answer may still be on its way to a host that reads slowly.
      await within(isStopped ? 200 : limits.drainMs, writes);
      await bridge.close();
    },
    stop: () => stopping.abort(),
  };
}

async function settled(work: ReadonlySet<Promise<void>>): Promise<void> {
  await Promise.allSettled(work);
}
