/**
 * From a wire request to a handler and back, errors included.
 *
 * @module
 */
import type { WireRequest, WireResponse } from "../lib/http/types.ts";
import type { Call, Store } from "./store/store.ts";
import { RouteError, toErrorResponse } from "./wire.ts";
import { readIdentity } from "./identity.ts";

/** Answers a request or throws a {@linkcode RouteError}. */
export type Handler = (call: Call) => WireResponse | Promise<WireResponse>;

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

/** Path and query of a request, decoded; a trailing slash does not matter. */
function readPath(path: string): { segments: string[]; query: ReadonlyMap<string, string> } {
  const mark = path.indexOf("?");
  const query = new Map<string, string>();
  if (mark >= 0) {
    for (const pair of path.slice(mark + 1).split("&")) {
      const equals = pair.indexOf("=");
      if (equals > 0) query.set(decode(pair.slice(0, equals)), decode(pair.slice(equals + 1)));
    }
  }
  const plain = mark < 0 ? path : path.slice(0, mark);
  const segments = plain.replaceAll("+", "%2B").split("/").slice(1).map(decode);
  if (segments.at(-1) === "") segments.pop();
  return { segments, query };
}

/** What SQLite's own errors mean to a client. */
function toRouteError(error: unknown): RouteError {
  if (error instanceof RouteError) return error;
  const { errcode, message = "" } = error as { errcode?: number; message?: string };
  const primary = (errcode ?? 0) & 0xff;
  if (primary === 5 || primary === 6 || /database (table )?is locked/.test(message)) {
    return new RouteError(409, "CONFLICT", "The memory file is busy; try again.", {
      details: { resource: null, uri: null, conflict_type: "path_busy", retryable: true },
    });
  }
  if (primary === 13 || primary === 8 || /is full|readonly/.test(message)) {
    return new RouteError(503, "UNAVAILABLE", `The memory file cannot be written: ${message}`, {
      details: { service: "sqlite", reason: primary === 13 ? "full" : "read-only" },
    });
  }
  return new RouteError(500, "INTERNAL", "Internal server error", {
    details: { reason: errcode === undefined ? "unexpected" : message },
  });
}

/** Runs a handler; never rejects. */
export async function dispatch(
  store: Store,
  request: WireRequest,
  defaults: { readonly account?: string; readonly user?: string },
  handler: Handler,
): Promise<WireResponse> {
  try {
    return await handler({
      store,
      method: request.method,
      ...readPath(request.path),
      body: request.body,
      identity: readIdentity(request.headers, defaults),
    });
  } catch (error) {
    return toErrorResponse(toRouteError(error));
  }
}
