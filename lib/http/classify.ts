/**
 * What an answer, or the lack of one, means: the one table that hooks, worker, MCP bridge, doctor
 * and command line read.
 *
 * Sources: the error map of the server (openviking/server/models.py, 0.4.16) and the behaviour of
 * 0.5.2 observed running.
 *
 * @module
 */
import type { FailureAction, FailureCategory, OvFailure, WireResponse } from "./types.ts";

/** How a request ended: with an answer, or with what the transport threw. */
export type CallEnd = { readonly response: WireResponse } | { readonly error: unknown };

/** What the caller knows and the answer does not tell. */
export interface ClassifyHints {
  /** The request carried several messages, so a refusal may be one message's fault. */
  readonly batch?: boolean;
  /** The request was `GET /sessions/{id}`: a 400 then means that the session itself is broken. */
  readonly sessionRead?: boolean;
  /** Milliseconds since the epoch, for a `Retry-After` that is a date. */
  readonly now?: number;
}

/** Longest pause that a `Retry-After` can ask for, in milliseconds. */
export const RETRY_AFTER_CAP_MS = 3_600_000;

/** Thrown by a transport for an answer that is too large to be one of ours. */
export class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge";
}

interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly details: unknown;
}

interface Verdict {
  readonly action: FailureAction;
  readonly category: FailureCategory;
  readonly ambiguous?: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** `value` as an object's fields; no fields when it is not an object. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as Fields
    : {};
}

function text(value: unknown): string {
  return typeof value === "string" ? value.slice(0, 1000) : "";
}

/** Error of our envelope, or of a bare FastAPI answer (`detail`) as old servers and proxies give. */
function errorBody(body: unknown): ErrorBody {
  const fields = fieldsOf(body);
  const error = fieldsOf(fields.error);
  const { detail } = fields;
  return {
    code: text(error.code),
    message: text(error.message) || text(detail),
    details: error.details ?? (Array.isArray(detail) ? { validation_errors: detail } : undefined),
  };
}

/** Status that stands for a code inside a 200 answer. */
const STATUS_OF_CODE: Readonly<Record<string, number>> = {
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  CONFLICT: 409,
  ABORTED: 409,
  WRITE_CONFLICT: 409,
  SESSION_EXPIRED: 410,
  FAILED_PRECONDITION: 412,
  RESOURCE_EXHAUSTED: 429,
  UNIMPLEMENTED: 501,
  UNAVAILABLE: 503,
  MODEL_UNAVAILABLE: 503,
  DEADLINE_EXCEEDED: 504,
};

function effectiveStatus(status: number, code: string): number {
  if (status >= 300) return status;
  return STATUS_OF_CODE[code] ?? (/^(?:INVALID_|UNSUPPORTED_|SKILL_)/.test(code) ? 400 : 500);
}

/** A 400 that says the identity is incomplete: nothing of this target can work until it is mended. */
const IDENTITY_MISSING =
  /^(?:Trusted mode requests must include|ROOT requests)|^(?:user|account)_id must be/;
/** A 403 about one place, with credentials that are good elsewhere. */
const PLACE_DENIED = /^(?:Access denied for|Unsafe URI)/;

function verdict(status: number, error: ErrorBody, hints: ClassifyHints): Verdict {
  const { message, details } = error;
  if (fieldsOf(details).upstream_status_code !== undefined) {
    return { action: "retry", category: "upstream", ambiguous: status >= 500 };
  }
  const refusal: Verdict = { action: hints.batch ? "split" : "refuse", category: "refused" };
  switch (status) {
    case 400:
      if (IDENTITY_MISSING.test(message)) return { action: "hold", category: "auth" };
      return hints.sessionRead ? { action: "fallback", category: "broken-session" } : refusal;
    case 403:
      if (PLACE_DENIED.test(message)) return { action: "refuse", category: "refused" };
      return { action: "hold", category: "auth" };
    case 401:
    case 402:
    case 407:
      return { action: "hold", category: "auth" };
    case 404:
      return message === "Not Found" && Object.keys(fieldsOf(details)).length === 0
        ? { action: "fallback", category: "missing-route" }
        : { action: "refuse", category: "not-found" };
    case 405:
    case 501:
      return { action: "fallback", category: "missing-route" };
    case 408:
      return { action: "retry", category: "timeout", ambiguous: true };
    case 409:
      return fieldsOf(details).retryable === true
        ? { action: "retry", category: "busy" }
        : { action: "refuse", category: "refused" };
    case 410:
      return { action: "refuse", category: "not-found" };
    case 412:
      return { action: "retry", category: "server" };
    case 425:
    case 429:
      return { action: "retry", category: "busy" };
  }
  if (status >= 500) return { action: "retry", category: "server", ambiguous: true };
  if (status >= 400) return refusal;
  if (status >= 300) return { action: "retry", category: "protocol", ambiguous: status === 303 };
  return { action: "retry", category: "protocol", ambiguous: true };
}

/** Seconds or a date, as milliseconds from `now`; `undefined` when it is neither. */
function retryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const trimmed = header.trim();
  const ms = /^\d+(?:\.\d+)?$/.test(trimmed) ? Number(trimmed) * 1000 : Date.parse(trimmed) - now;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), RETRY_AFTER_CAP_MS) : undefined;
}

function answerMessage(response: WireResponse, error: ErrorBody): string {
  const { status, body, headers } = response;
  if (error.message !== "") return error.message;
  if (status >= 300 && status < 400) {
    const place = /^[a-z]+:\/\/[^/?#@]*/i.exec(headers.location ?? "")?.[0] ?? "another address";
    return `Cannot use the answer: the server redirects to ${place}; put the final address into the configuration`;
  }
  if (status >= 400) return `The server answered ${status}`;
  const kind = typeof body === "string" && /^\s*<(?:!doctype|html)/i.test(body)
    ? "HTML"
    : "no JSON";
  return `Cannot use the answer: it is ${kind}; check that the configured URL is an OpenViking server`;
}

/** Statuses that mean the same whoever answers. */
const SPOKEN_BY_PROXIES: readonly number[] = [401, 402, 403, 407, 408, 413, 425, 429];

function classifyAnswer(response: WireResponse, hints: ClassifyHints): OvFailure {
  const { status, headers, body } = response;
  const error = errorBody(body);
  const foreign = status >= 400 && status < 500 && error.message === "" && error.code === "" &&
    error.details === undefined;
  const found = fieldsOf(body).status === "error"
    ? verdict(effectiveStatus(status, error.code), error, hints)
    : status < 300
    ? { action: "retry", category: "protocol", ambiguous: true } as const
    : foreign && !SPOKEN_BY_PROXIES.includes(status)
    // Neither the server's envelope nor its framework's: nobody judged a payload of ours.
    ? { action: "retry", category: "protocol" } as const
    : verdict(status, error, hints);
  const wait = retryAfter(headers["retry-after"], hints.now ?? Date.now());
  const traceId = headers["x-request-id"];
  return {
    ok: false,
    status,
    action: found.action,
    category: found.category,
    ambiguous: found.ambiguous ?? false,
    code: error.code,
    message: answerMessage(response, error),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    ...(error.details === undefined ? {} : { details: error.details }),
    ...(traceId === undefined || traceId === "" ? {} : { traceId }),
  };
}

/** Everything an error and its causes say, for a search by words; never shown. */
function errorText(error: unknown): string {
  let all = "";
  let at: unknown = error;
  for (let depth = 0; at !== undefined && at !== null && depth < 5; depth++) {
    const { name, code, message, cause } = fieldsOf(at);
    all += ` ${String(name ?? "")} ${String(code ?? "")} ${String(message ?? at).slice(0, 2000)}`;
    at = cause;
  }
  return all;
}

/** Failures before a connection stood: nothing can have been applied. */
const NOT_CONNECTED: readonly (readonly [RegExp, string])[] = [
  [/ECONNREFUSED|connection refused|os error (?:111|61|10061)\b/i, "connection refused"],
  [
    /ENOTFOUND|EAI_AGAIN|dns error|failed to lookup|name or service not known/i,
    "host name not found",
  ],
  [/EHOSTUNREACH|ENETUNREACH|network is unreachable|no route to host/i, "network unreachable"],
  [/certificate|CERT_|UnknownIssuer|self.signed/i, "certificate not trusted"],
  [/UND_ERR_CONNECT_TIMEOUT|client error \(Connect\)|ConnectionRefused/i, "no connection"],
  [/invalid url|builder error|ERR_INVALID_URL/i, "the configured URL is not usable"],
];

function classifyError(error: unknown): OvFailure {
  const failure = (
    category: FailureCategory,
    ambiguous: boolean,
    message: string,
    action: FailureAction = "retry",
  ): OvFailure => ({ ok: false, status: 0, action, category, ambiguous, code: "", message });
  const name = fieldsOf(error).name;
  if (name === "TimeoutError" || name === "AbortError") {
    return failure("timeout", true, "The server did not answer in time");
  }
  if (error instanceof AnswerTooLarge) return failure("protocol", true, error.message);
  const said = errorText(error);
  const known = NOT_CONNECTED.find(([pattern]) => pattern.test(said));
  return known === undefined
    ? failure(
      "unreachable",
      true,
      "Cannot reach the server: the connection was lost before the answer",
    )
    : failure("unreachable", false, `Cannot reach the server: ${known[1]}`);
}

/**
 * Classifies a call that did not succeed: an answer that is no success, or what the transport threw.
 * Pure; the same input gives the same verdict.
 *
 * | what came | action | category | ambiguous |
 * |---|---|---|---|
 * | no answer in time | retry | timeout | yes |
 * | connection refused, unknown host, bad certificate | retry | unreachable | no |
 * | connection lost | retry | unreachable | yes |
 * | 2xx that is no JSON envelope | retry | protocol | yes |
 * | 2xx with `status: "error"` | as the status of its code | | |
 * | 3xx (never followed) | retry | protocol | 303 only |
 * | 400, 413, 422 and other 4xx | refuse; split for a batch | refused | no |
 * | 400 on `GET` of a session | fallback to another session | broken-session | no |
 * | 400 about a missing identity, 401, 402, 403, 407 | hold | auth | no |
 * | 403 about one place | refuse | refused | no |
 * | `details.upstream_status_code` (the server's model) | retry | upstream | 5xx |
 * | 404 `Not Found`, 405, 501 | fallback | missing-route | no |
 * | other 404, 410 | refuse | not-found | no |
 * | 408 | retry | timeout | yes |
 * | 409 | retry if `details.retryable`, else refuse | busy, refused | no |
 * | 412 | retry | server | no |
 * | 425, 429 | retry | busy | no |
 * | 5xx | retry | server | yes |
 * | another 4xx without an envelope (a proxy's page) | retry | protocol | no |
 */
export function classify(end: CallEnd, hints: ClassifyHints = {}): OvFailure {
  return "response" in end ? classifyAnswer(end.response, hints) : classifyError(end.error);
}
