/**
 * One call of an embedded engine's REST route on behalf of a tool.
 *
 * @module
 */
import type { Transport, WireRequest } from "../../lib/http/types.ts";

/** The engine refused: `CODE: message`, as the server's tools report it. */
export class ToolFailure extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = "ToolFailure";
    this.code = code;
  }
}

/** The engine with the identity headers of the MCP request that is being served. */
export interface EngineCaller {
  call(method: WireRequest["method"], path: string, body?: unknown): Promise<unknown>;
}

const PASSED = [
  "authorization",
  "x-api-key",
  "x-openviking-account",
  "x-openviking-user",
  "x-openviking-actor-peer",
  "user-agent",
];

/** Binds an engine to the headers of one MCP request. */
export function callerFor(
  handle: Transport,
  request: Request | undefined,
  signal?: AbortSignal,
): EngineCaller {
  const headers: Record<string, string> = { "content-type": "application/json" };
  for (const name of PASSED) {
    const value = request?.headers.get(name);
    if (typeof value === "string" && value !== "") headers[name] = value;
  }
  return {
    async call(method, path, body) {
      const answer = await handle({
        method,
        path,
        headers,
        ...(body === undefined ? {} : { body }),
        ...(signal === undefined ? {} : { signal }),
      });
      const envelope =
        (typeof answer.body === "object" && answer.body !== null ? answer.body : {}) as {
          status?: unknown;
          result?: unknown;
          error?: unknown;
        };
      if (answer.status >= 200 && answer.status < 300 && envelope.status !== "error") {
        return "result" in envelope ? envelope.result : answer.body;
      }
      const error = (envelope.error ?? {}) as { code?: unknown; message?: unknown };
      throw new ToolFailure(
        typeof error.code === "string" ? error.code : "UNKNOWN",
        typeof error.message === "string" ? error.message : `HTTP status ${answer.status}`,
      );
    },
  };
}
