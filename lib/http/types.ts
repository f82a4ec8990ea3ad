/**
 * What travels between the toolkit and a memory engine: one shape for both engines, so that the
 * embedded engine is called without building a `Request`.
 *
 * @module
 */

/** One request of the OpenViking REST contract. */
export interface WireRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path with query, for example `/api/v1/sessions/cc-1`. */
  readonly path: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** A JSON value; absent means no body. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** One answer. `body` is parsed JSON, or text when the answer was not JSON. */
export interface WireResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Carries a request to an engine; throws when no answer came. */
export type Transport = (request: WireRequest) => Promise<WireResponse>;

/**
 * What to do after a failure: `retry` later, `hold` the whole target, `refuse` this payload,
 * `split` the batch to find the guilty message, or `fallback` to another route.
 */
export type FailureAction = "retry" | "hold" | "refuse" | "split" | "fallback";

/** What kind of failure it was, in the words that `status` and `queue` print. */
export type FailureCategory =
  | "unreachable"
  | "timeout"
  | "auth"
  | "refused"
  | "busy"
  | "server"
  | "upstream"
  | "not-found"
  | "missing-route"
  | "broken-session"
  | "protocol";

/** A request that did not succeed. */
export interface OvFailure {
  readonly ok: false;
  /** HTTP status, 0 when no answer came. */
  readonly status: number;
  readonly action: FailureAction;
  readonly category: FailureCategory;
  /** True when the server may have done what was asked all the same. */
  readonly ambiguous: boolean;
  /** Error code of the envelope, or "". */
  readonly code: string;
  readonly message: string;
  readonly retryAfterMs?: number;
  readonly details?: unknown;
  readonly traceId?: string;
}

/** A request that succeeded, with the `result` of the envelope. */
export interface OvSuccess<T> {
  readonly ok: true;
  readonly status: number;
  readonly result: T;
  readonly traceId?: string;
}

/** Outcome of a request; never thrown. */
export type OvResult<T> = OvSuccess<T> | OvFailure;

/** How one call differs from the client's defaults. */
export interface OvCallOptions {
  readonly body?: unknown;
  /** Milliseconds; the call gives up then with category `timeout`. */
  readonly timeoutMs?: number;
  /** Actor peer of this call (`X-OpenViking-Actor-Peer`). */
  readonly actorPeer?: string;
}

/** A client of one engine under one identity. */
export interface OvHttp {
  request<T>(
    method: WireRequest["method"],
    path: string,
    options?: OvCallOptions,
  ): Promise<OvResult<T>>;
}
