/**
 * Answers and errors in the server's envelopes.
 *
 * Two spellings exist on the server (0.5.2, recorded): routes that return the model say every envelope
 * key, routes that leave out nulls say only the ones in use.
 *
 * @module
 */
import type { WireResponse } from "../lib/http/types.ts";

const JSON_HEADERS = { "content-type": "application/json" } as const;

/** An answer with all envelope keys; `extra` stands beside `result`. */
export function answer(result: unknown, extra: Record<string, unknown> = {}): WireResponse {
  return {
    status: 200,
    headers: JSON_HEADERS,
    body: { status: "ok", result, error: null, telemetry: null, profile: null, ...extra },
  };
}

/** An answer of a route that leaves out empty envelope keys. */
export function leanAnswer(
  result: unknown,
  headers: Readonly<Record<string, string>> = {},
): WireResponse {
  return { status: 200, headers: { ...JSON_HEADERS, ...headers }, body: { status: "ok", result } };
}

/** An answer without envelope (`/health`, `/ready`). */
export function bareAnswer(body: unknown): WireResponse {
  return { status: 200, headers: JSON_HEADERS, body };
}

/** A refusal, thrown anywhere below the router. `details` absent means a lean envelope. */
export class RouteError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: unknown;
  readonly lean: boolean;
  readonly headers: Readonly<Record<string, string>>;
  constructor(
    status: number,
    code: string,
    message: string,
    options: {
      readonly details?: unknown;
      readonly lean?: boolean;
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
  ) {
    super(message);
    this.name = "RouteError";
    this.status = status;
    this.code = code;
    this.details = options.details;
    this.lean = options.lean ?? false;
    this.headers = options.headers ?? {};
  }
}

/** The envelope of a refusal. */
export function toErrorResponse(error: RouteError): WireResponse {
  const { code, message } = error;
  return {
    status: error.status,
    headers: { ...JSON_HEADERS, ...error.headers },
    body: error.lean
      ? {
        status: "error",
        error: {
          code,
          message,
          ...(error.details === undefined ? {} : { details: error.details }),
        },
      }
      : {
        status: "error",
        result: null,
        error: { code, message, details: error.details ?? {} },
        telemetry: null,
        profile: null,
      },
  };
}

/** 400 INVALID_ARGUMENT with empty details. */
export function invalidArgument(message: string, details: unknown = {}): RouteError {
  return new RouteError(400, "INVALID_ARGUMENT", message, { details });
}

/** One finding of request validation; `loc` as the server spells it, list positions as text. */
export function validationError(
  loc: readonly string[],
  message: string,
  type: string,
): RouteError {
  return new RouteError(
    400,
    "INVALID_ARGUMENT",
    `Invalid request parameters: ${loc.join(".")}: ${message}`,
    { lean: true, details: { validation_errors: [{ loc, message, type }] } },
  );
}

/** 404 of a route that does not exist: exactly this message, no details. */
export function routeMissing(): RouteError {
  return new RouteError(404, "NOT_FOUND", "Not Found", { lean: true });
}

/** 405, with the methods that the route knows. */
export function methodNotAllowed(allow: string): RouteError {
  return new RouteError(405, "UNKNOWN", "Method Not Allowed", { lean: true, headers: { allow } });
}

/** 404 of something addressed by URI or id. */
export function notFound(what: string, type: string, resource: string): RouteError {
  return new RouteError(404, "NOT_FOUND", `${what} not found: ${resource}`, {
    details: { type, resource },
  });
}

/** 404 of a session, as the routes that act on one say it. */
export function sessionNotFound(name: string): RouteError {
  return notFound("Session", "session", name);
}
