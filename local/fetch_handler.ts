/**
 * The embedded engine as a web handler: `(Request) => Promise<Response>`. Not loaded by hooks.
 *
 * @module
 */
import type { WireRequest, WireResponse } from "../lib/http/types.ts";
import type { LocalEngine } from "./engine.ts";
import { methodNotAllowed, RouteError, toErrorResponse, validationError } from "./wire.ts";

/** How {@linkcode createFetchHandler} guards. */
export interface FetchHandlerOptions {
  /** Requests without it (as `X-API-Key` or `Authorization: Bearer`) are refused with 401; `/health` and `/ready` are not. */
  readonly key?: string;
}

const METHODS: readonly string[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
/** Bytes of a request body that are read. */
const LARGEST_BODY = 64 * 1024 * 1024;

/** Compares without telling by its time where two texts differ. */
function isEqual(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let at = 0; at < a.length; at++) {
    difference |= a.charCodeAt(at) ^ b.charCodeAt(at % Math.max(b.length, 1));
  }
  return difference === 0;
}

function checkKey(headers: Headers, key: string): void {
  const bearer = /^Bearer\s+(.+)$/.exec(headers.get("authorization") ?? "")?.[1];
  const given = headers.get("x-api-key") ?? bearer ?? "";
  if (given === "") {
    throw new RouteError(
      401,
      "UNAUTHENTICATED",
      "Missing API Key when resolving identity.",
      { details: {} },
    );
  }
  if (!isEqual(given, key)) {
    throw new RouteError(401, "UNAUTHENTICATED", "Invalid API key", { details: {} });
  }
}

async function readBody(request: Request): Promise<unknown> {
  if (Number(request.headers.get("content-length") ?? 0) > LARGEST_BODY) {
    throw new RouteError(413, "INVALID_ARGUMENT", "Request body is larger than 64 MiB");
  }
  const text = await request.text();
  if (text === "") return undefined;
  if (!/^application\/([a-z.+-]*\+)?json\b/i.test(request.headers.get("content-type") ?? "")) {
    return text;
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    const at = /position (\d+)/.exec(error instanceof Error ? error.message : "")?.[1] ??
      String(text.length);
    throw validationError(["body", at], "JSON decode error", "json_invalid");
  }
}

function toResponse(answer: WireResponse, requestId: string): Response {
  const headers = { ...answer.headers, "x-request-id": requestId };
  return Response.json(answer.body, { status: answer.status, headers });
}

/** The refusal of an MCP request without the right key, in the form of that endpoint. */
export function findKeyFault(
  request: Request,
  options: FetchHandlerOptions,
): Response | undefined {
  if (options.key === undefined) return undefined;
  try {
    checkKey(request.headers, options.key);
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : "Invalid API key";
    return Response.json(
      { jsonrpc: "2.0", id: null, error: { code: -32001, message } },
      { status: 401 },
    );
  }
}

/** Makes the handler. Errors are answered in the server's envelopes; it never rejects. */
export function createFetchHandler(
  engine: LocalEngine,
  options: FetchHandlerOptions = {},
): (request: Request) => Promise<Response> {
  return async (request) => {
    const sent = request.headers.get("x-request-id") ?? "";
    const requestId = /^[A-Za-z0-9._:/-]{1,128}$/.test(sent) ? sent : crypto.randomUUID();
    try {
      const { pathname, search } = new URL(request.url);
      const isProbe = pathname === "/health" || pathname === "/ready";
      const hasKey = request.headers.has("x-api-key") || request.headers.has("authorization");
      if (options.key !== undefined && (!isProbe || hasKey)) checkKey(request.headers, options.key);
      if (!METHODS.includes(request.method)) throw methodNotAllowed("GET, POST, DELETE");
      const body = request.method === "GET" ? undefined : await readBody(request);
      const answer = await engine.handle({
        method: request.method as WireRequest["method"],
        path: pathname + search,
        headers: Object.fromEntries(request.headers),
        ...(body === undefined ? {} : { body }),
      });
      return toResponse(answer, requestId);
    } catch (error) {
      return toResponse(
        toErrorResponse(
          error instanceof RouteError
            ? error
            : new RouteError(500, "INTERNAL", "Internal server error"),
        ),
        requestId,
      );
    }
  };
}
