/**
 * Opens the engine in force for commands and for the worker.
 *
 * @module
 */
import type { ProcessRuntime } from "../lib/runtime/types.ts";
import type { Connection, EngineName } from "../lib/config/types.ts";
import type { OvHttp } from "../lib/http/types.ts";
import { agentPath } from "../lib/config/paths.ts";
import { buildPluginConfig } from "../lib/config/plugin_config.ts";
import { createOvHttp } from "../lib/http/client.ts";
import { createFetchTransport } from "../lib/http/fetch_transport.ts";
import { buildOvHeaders } from "../lib/http/headers.ts";
import { openLocalEngine } from "../local/engine.ts";
import { VERSION } from "../lib/version.ts";
import { CommandError } from "./output.ts";

/** An engine that can be asked, until `close`. */
export interface OpenEngine {
  readonly http: OvHttp;
  close(): void;
}

/**
 * Connects to the engine of `connection` under its identity.
 *
 * @param caller Named in `User-Agent`: a host id, `cli` or `worker`.
 */
export async function openEngine(
  runtime: ProcessRuntime,
  agentHome: string,
  connection: Connection,
  caller: string,
  timeoutMs: number,
): Promise<OpenEngine> {
  const headers = buildOvHeaders(connection, { harness: caller, version: VERSION });
  if (connection.engine === "server") {
    const transport = createFetchTransport(connection.baseUrl);
    return { http: createOvHttp({ transport, headers, timeoutMs }), close: () => {} };
  }
  const path = agentPath(agentHome, "localDatabase");
  runtime.files.makeDir(path.slice(0, path.lastIndexOf("/")));
  const engine = await openLocalEngine(runtime, path);
  return {
    http: createOvHttp({ transport: engine.handle, headers, timeoutMs }),
    close: () => engine.close(),
  };
}

/** Opens the engine in force for a command; a configuration that cannot be trusted is an error in words. */
export async function connectOrFail(
  runtime: ProcessRuntime,
): Promise<{ readonly engine: OpenEngine; readonly name: EngineName }> {
  const config = buildPluginConfig("cli", { runtime, cwd: runtime.cwd() });
  if (config.broken !== undefined) {
    throw new CommandError("configuration", config.broken, "Run `openviking-agent doctor`");
  }
  const { agentHome, connection, settings } = config;
  const engine = await openEngine(runtime, agentHome, connection, "cli", settings.timeoutMs);
  return { engine, name: connection.engine };
}
