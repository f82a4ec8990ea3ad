/**
 * A client of one engine: requests in, results out, nothing thrown.
 *
 * @module
 */
import type {
  OvCallOptions,
  OvFailure,
  OvHttp,
  OvResult,
  Transport,
  WireRequest,
  WireResponse,
} from "./types.ts";
import { classify, fieldsOf } from "./classify.ts";
import { ACTOR_PEER_HEADER } from "./headers.ts";

/** How {@linkcode createOvHttp} talks. */
export interface OvHttpOptions {
  readonly transport: Transport;
  /** Headers of {@linkcode buildOvHeaders}; `{}` for the embedded engine. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds for a call that names no time of its own. */
  readonly timeoutMs: number;
  /** Milliseconds since the epoch after which no call may last. */
  readonly deadline?: number;
  /** Clock of `deadline`. @default Date.now */
  readonly now?: () => number;
}

const SESSION_READ = /^\/api\/v1\/sessions\/[^/?]+(?:\?.*)?$/;

/** The envelope's `result`, or the whole object where a route has no envelope (`/health`). */
function unwrap(response: WireResponse): { readonly result: unknown } | undefined {
  const { status, body } = response;
  if (status < 200 || status > 299) return undefined;
  if (body === "" || body === undefined || body === null) return { result: null };
  if (typeof body !== "object") return undefined;
  const fields = fieldsOf(body);
  if (fields.status === "error") return undefined;
  return { result: "result" in fields ? fields.result : body };
}

/** Servers and gateways may echo what they were sent: the credentials never come through. */
function masked(failure: OvFailure, headers: Readonly<Record<string, string>>): OvFailure {
  let json = JSON.stringify(failure);
  for (const [name, value] of Object.entries(headers)) {
    if (name === "user-agent" || name.startsWith("x-openviking-")) continue;
    const secret = JSON.stringify(value.replace(/^\S+\s+/, "")).slice(1, -1);
    if (secret.length >= 4) json = json.replaceAll(secret, "****");
  }
  return JSON.parse(json);
}

/**
 * Makes a client. Each call ends after its time, or after what is left until `deadline`; a call that
 * begins too late fails as `timeout` without a request. The result carries the server's
 * `x-request-id` as `traceId`.
 */
export function createOvHttp(options: OvHttpOptions): OvHttp {
  const { transport, headers, deadline, now = Date.now } = options;

  async function request<T>(
    method: WireRequest["method"],
    path: string,
    call: OvCallOptions = {},
  ): Promise<OvResult<T>> {
    const left = deadline === undefined ? Infinity : deadline - now();
    const ms = Math.floor(Math.min(call.timeoutMs ?? options.timeoutMs, left));
    if (ms <= 0) return NO_TIME;
    const body = call.body;
    let response: WireResponse;
    try {
      response = await transport({
        method,
        path,
        headers: call.actorPeer ? { ...headers, [ACTOR_PEER_HEADER]: call.actorPeer } : headers,
        signal: AbortSignal.timeout(ms),
        ...(body === undefined ? {} : { body }),
      });
    } catch (error) {
      return masked(classify({ error }), headers);
    }
    const whole = unwrap(response);
    if (whole === undefined) {
      const hints = {
        sessionRead: method === "GET" && SESSION_READ.test(path),
        batch: path.endsWith("/messages/batch"),
        now: now(),
      };
      return masked(classify({ response }, hints), headers);
    }
    const traceId = response.headers["x-request-id"];
    return {
      ok: true,
      status: response.status,
      result: whole.result as T,
      ...(traceId === undefined || traceId === "" ? {} : { traceId }),
    };
  }

  return { request };
}

const NO_TIME: OvFailure = {
  ok: false,
  status: 0,
  action: "retry",
  category: "timeout",
  ambiguous: false,
  code: "",
  message: "The time for this step was over before the request",
};
