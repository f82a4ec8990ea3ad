/**
 * The embedded engine's `/mcp` inside this process, loaded when the first request needs it.
 *
 * @module
 */
import type { Runtime } from "../lib/runtime/types.ts";
import type { LocalMcpEndpoint, McpProxyConfig } from "../lib/mcp/types.ts";
import { createRedactor, removePrivate } from "../lib/capture/redact.ts";
import { agentPath } from "../lib/config/paths.ts";

/** Opens the embedded engine of `config`; rejects with `Cannot open ...` when it cannot be opened. */
export async function openLocalEndpoint(
  runtime: Runtime,
  config: McpProxyConfig,
): Promise<LocalMcpEndpoint> {
  const [{ createMcpHttpHandler }, { openLocalEngine }] = await Promise.all([
    import("../local/mcp/http.ts"),
    import("../local/engine.ts"),
  ]);
  const path = agentPath(config.agentHome, "localDatabase");
  runtime.files.makeDir(path.slice(0, path.lastIndexOf("/")));
  const engine = await openLocalEngine(runtime, path);
  const redact = createRedactor({ ...config.redact, secrets: config.secrets });
  const handler = createMcpHttpHandler(engine, {
    redact: (text) => redact(removePrivate(text)),
    now: runtime.now,
  });
  return {
    fetch: (url, init) => handler(new Request(url, init)),
    close: () => engine.close(),
  };
}
