/**
 * Keeps web pages out of a server on loopback. A browser runs on this machine too: a page can send
 * it requests, and by DNS rebinding have its own name lead here and read the answers.
 *
 * @module
 */
import { RouteError, toErrorResponse } from "./wire.ts";

/** True for an address that only this machine can reach. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "::1" || hostname === "[::1]" ||
    /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
}

/** False for anything that is no authority of loopback; ports may differ, because they are forwarded. */
function isLoopbackUrl(url: string): boolean {
  try {
    const { protocol, hostname } = new URL(url);
    return /^https?:$/.test(protocol) && isLoopback(hostname);
  } catch {
    return false;
  }
}

/**
 * The refusal (403, in the server's envelope) of a request that names another host than loopback, or
 * that a page of another origin sends; `undefined` for every other request. Programs send no `Origin`.
 */
export function findForeignCaller(request: Request): Response | undefined {
  const host = request.headers.get("host") ?? new URL(request.url).host;
  const origin = request.headers.get("origin");
  const state = !isLoopbackUrl(`http://${host}`)
    ? "the Host header names another machine"
    : origin !== null && !isLoopbackUrl(origin)
    ? "the page that sends it is not of this machine"
    : undefined;
  if (state === undefined) return undefined;
  const { status, headers, body } = toErrorResponse(
    new RouteError(403, "PERMISSION_DENIED", `Cannot answer this request: ${state}`),
  );
  return Response.json(body, { status, headers: { ...headers } });
}
