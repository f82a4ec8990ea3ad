/**
 * MCP over stdio for one host: the entry that host configurations start through the launcher.
 *
 * @module
 */
import type { HarnessKey } from "../lib/config/types.ts";
import type { ProcessRuntime } from "../lib/runtime/types.ts";
import { toHarnessKey } from "../lib/config/harness.ts";
import { resolvePeer } from "../lib/identity/peer.ts";
import { createOpenVikingMcpProxy } from "../lib/mcp/proxy.ts";
import { readProxyConfig } from "../lib/mcp/proxy_config.ts";
import { denoProcessRuntime } from "../lib/runtime/deno_process.ts";
import { LOCAL_MCP_INFO } from "../local/mcp/info.ts";
import { openLocalEndpoint } from "./local_endpoint.ts";
import { createLocalTools } from "./local_tools.ts";

/** Whose MCP process this is. */
export interface McpHost {
  /** Names the process in `User-Agent` and chooses the configuration. */
  readonly host: HarnessKey;
}

/** The longest message taken from a host, in bytes. */
const MESSAGE_LIMIT = 64 * 1024 * 1024;

const PARENT_CHECK_MS = 2000;

/** Where Codex names the project in `_meta` of a tool call (seen with 0.171.0); other hosts send no such key. */
const PROJECT_META_PATH = ["x-codex-turn-metadata", "workspaces"];

/**
 * Serves MCP on stdin and stdout until stdin closes, a signal comes, or the parent is gone. Warnings
 * go to stderr, one line each. The caller exits the process afterwards: a read of stdin may still be
 * open.
 */
export async function runMcp(runtime: ProcessRuntime, { host }: McpHost): Promise<void> {
  const ended = new AbortController();
  let watching: Promise<void> | undefined;
  const proxy = createOpenVikingMcpProxy({
    input: runtime.readStdinLines(MESSAGE_LIMIT),
    output: async (text) => {
      await runtime.sendStdout(text);
      // Started late, because the first timer of a process costs 5 ms.
      watching ??= watchParent(runtime, ended.signal, () => proxy.stop());
    },
    warn: (text) => runtime.writeStderr(`openviking-agent mcp: ${text}\n`),
    readConfig: () => readProxyConfig(runtime, host),
    files: runtime.files,
    fetch: (url, init) => fetch(url, init),
    openLocal: (config) => openLocalEndpoint(runtime, config),
    localIntroduction: LOCAL_MCP_INFO,
    localToolProvider: createLocalTools(runtime, host),
    resolvePeer: (folder) => resolvePeer({ runtime, cwd: folder, workspacePeer: true }).id,
    projectMetaPath: PROJECT_META_PATH,
  });
  runtime.onTerminate(() => proxy.stop());
  try {
    await proxy.run();
  } finally {
    ended.abort();
  }
}

/** Another process may hold the write end of our stdin, so its end does not prove that the host lives. */
async function watchParent(
  runtime: ProcessRuntime,
  signal: AbortSignal,
  onGone: () => void,
): Promise<void> {
  const parent = runtime.parentPid();
  while (!signal.aborted) {
    await runtime.sleep(PARENT_CHECK_MS, signal);
    if (runtime.parentPid() !== parent) return onGone();
  }
}

/** The host named on the command line: `mcp --host ID`, `--host ID` or `ID`. */
function hostOf(args: readonly string[]): HarnessKey | undefined {
  const at = args.indexOf("--host");
  return toHarnessKey((at < 0 ? args[0] : args[at + 1]) ?? "");
}

if (import.meta.main) {
  const host = hostOf(denoProcessRuntime.args);
  if (host === undefined) {
    denoProcessRuntime.writeStderr("Cannot start MCP: no known host was named; give --host ID\n");
    denoProcessRuntime.exit(2);
  }
  await runMcp(denoProcessRuntime, { host });
  denoProcessRuntime.exit(0);
}
