/**
 * `/mcp` of the embedded engine: streamable HTTP without sessions, used by `serve` and, in process,
 * by the stdio bridge.
 *
 * @module
 */
import { createMcpHandler } from "@modelcontextprotocol/server";
import type { Transport } from "../../lib/http/types.ts";
import type { LocalMcpOptions } from "./types.ts";
import { createLocalMcpServer } from "./_server.ts";

/** The largest request accepted, in bytes: a long conversation handed to `remember`. */
const MAX_REQUEST_BYTES = 64 * 1024 * 1024;

/**
 * Makes the handler of `/mcp`. It answers the 2025 protocol versions and 2026-07-28, checks neither
 * keys nor the `Host` header (that is the listener's task), and never throws: a failure is a
 * JSON-RPC error in the response.
 *
 * @param engine the embedded engine, or anything that answers its REST routes
 */
export function createMcpHttpHandler(
  engine: { readonly handle: Transport },
  options: LocalMcpOptions = {},
): (request: Request) => Promise<Response> {
  const handler = createMcpHandler(
    (context) => createLocalMcpServer(engine, options, context.requestInfo),
    { maxRequestBodySize: MAX_REQUEST_BYTES },
  );
  return (request) => handler.fetch(request);
}
