/**
 * The embedded engine over HTTP on loopback, `/mcp` included.
 *
 * @module
 */
import type { HttpServer, ProcessRuntime } from "../lib/runtime/types.ts";
import { openLocalEngine } from "./engine.ts";
import { createFetchHandler, findKeyFault } from "./fetch_handler.ts";
import { findForeignCaller, isLoopback } from "./loopback_guard.ts";

/** Where and what to serve. */
export interface ServeLocalOptions {
  /** Port; 0 takes a free one. */
  readonly port: number;
  /** Folder of the memory file (`memory.db`); made when absent. */
  readonly dataDir: string;
  /** Address to listen on; anything but loopback needs `key`. @default "127.0.0.1" */
  readonly hostname?: string;
  /** Key that clients must send; without one every local process may read and write. */
  readonly key?: string;
  /** Name of the memory file in `dataDir`. @default "memory.db" */
  readonly fileName?: string;
  /** Applied to what MCP `remember` takes in. */
  readonly redact?: (text: string) => string;
}

/**
 * Serves until `close`. On loopback, requests that a web page of another origin may have made are
 * refused; elsewhere the key keeps them out.
 *
 * @throws {Error} when the address is not loopback and there is no key, or what opening and listening say.
 */
export async function serveLocal(
  runtime: ProcessRuntime,
  options: ServeLocalOptions,
): Promise<HttpServer> {
  const hostname = options.hostname ?? "127.0.0.1";
  if (!isLoopback(hostname) && (options.key ?? "") === "") {
    throw new Error(
      `Cannot serve on ${hostname}: other machines could read the memory; use 127.0.0.1 or give a key`,
    );
  }
  runtime.files.makeDir(options.dataDir);
  const engine = await openLocalEngine(
    runtime,
    `${options.dataDir}/${options.fileName ?? "memory.db"}`,
  );
  const guard = options.key === undefined ? {} : { key: options.key };
  const handler = createFetchHandler(engine, guard);
  let mcp: ((request: Request) => Promise<Response>) | undefined;
  const serveMcp = async (request: Request): Promise<Response> => {
    const fault = findKeyFault(request, guard);
    if (fault !== undefined) return fault;
    if (mcp === undefined) {
      const { createMcpHttpHandler } = await import("./mcp/http.ts");
      mcp = createMcpHttpHandler(
        engine,
        options.redact === undefined ? {} : { redact: options.redact },
      );
    }
    return await mcp(request);
  };
  try {
    const server = await runtime.serveHttp({
      hostname: hostname === "[::1]" ? "::1" : hostname,
      port: options.port,
      handler: async (request) => {
        const foreign = isLoopback(hostname) ? findForeignCaller(request) : undefined;
        if (foreign !== undefined) return foreign;
        const isMcp = /^\/mcp\/?$/.test(new URL(request.url).pathname);
        return await (isMcp ? serveMcp(request) : handler(request));
      },
    });
    return {
      url: server.url,
      async close() {
        await server.close();
        engine.close();
      },
    };
  } catch (error) {
    engine.close();
    throw error;
  }
}
