/**
 * The embedded engine over HTTP on loopback, `/mcp` included.
 *
 * @module
 */
import type { HttpServer, ProcessRuntime } from "../lib/runtime/types.ts";
import { openLocalEngine } from "./engine.ts";
import { createFetchHandler, findKeyFault } from "./fetch_handler.ts";

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

/** True for an address that only this machine can reach. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "::1" || hostname === "[::1]" ||
    /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
}

/**
 * Serves until `close`.
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
      handler: (request) =>
        /^\/mcp\/?$/.test(new URL(request.url).pathname) ? serveMcp(request) : handler(request),
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
