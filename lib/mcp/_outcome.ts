/**
 * How an exchange can end, and what an HTTP error or a broken connection means for it.
 *
 * @module
 */
import type { RpcError, RpcMessage } from "./_json_rpc.ts";

/** Why a signal was aborted. */
export type AbortCause = "cancelled" | "timeout" | "stopped";

/** How an exchange ended. */
export type ExchangeOutcome =
  /** The response to the request, parsed and as one line of text under the request's id. */
  | {
    readonly kind: "answered";
    readonly message: RpcMessage;
    readonly text: string;
    readonly sessionId: string | undefined;
  }
  /** A notification or a response was taken. */
  | { readonly kind: "accepted" }
  /** An HTTP status that is no success. */
  | {
    readonly kind: "http";
    readonly status: number;
    readonly message: string;
    readonly error?: RpcError;
  }
  /** No answer. `sent` is false only when the request surely did not reach the server. */
  | {
    readonly kind: "failed";
    readonly category: "unreachable" | "interrupted" | "protocol" | AbortCause;
    readonly message: string;
    readonly sent: boolean;
  };

/** The embedded engine could not be opened. */
export class EngineUnavailable extends Error {
  override readonly name = "EngineUnavailable";
}

const MAX_ERROR_CHARS = 64 * 1024;

/** Media type of a response, lower case, without parameters. */
export function mediaType(response: Response): string {
  return (response.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

/** The outcome of a status that is no success, in the words of its body. */
export async function httpFailure(
  response: Response,
  signal: AbortSignal,
): Promise<ExchangeOutcome> {
  const text = await boundedText(response).catch(() => "");
  if (signal.aborted) return failureOf(undefined, signal, true);
  const { status } = response;
  if (status >= 300 && status < 400) {
    await response.body?.cancel().catch(() => {});
    return {
      kind: "http",
      status,
      message: "the server redirects, and keys are not sent elsewhere",
    };
  }
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    const words = mediaType(response) === "text/html" ? "an HTML page" : text.trim().slice(0, 300);
    return { kind: "http", status, message: words };
  }
  const { error, detail, message } = (body ?? {}) as Record<string, unknown>;
  const { code, message: inner } = (error ?? {}) as Record<string, unknown>;
  const words = [inner, detail, message].find((text) => typeof text === "string") as
    | string
    | undefined;
  return {
    kind: "http",
    status,
    message: words ?? "",
    ...(typeof code === "number" ? { error: error as RpcError } : {}),
  };
}

async function boundedText(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const chunk = await reader?.read();
    if (chunk === undefined || chunk.done) return text;
    text += decoder.decode(chunk.value, { stream: true });
    if (text.length <= MAX_ERROR_CHARS) continue;
    await reader?.cancel().catch(() => {});
    return text;
  }
}

/**
 * What a rejected `fetch`, or with `answering` a broken body, means. Deno and Node differ in where they
 * say it.
 */
export function failureOf(error: unknown, signal: AbortSignal, answering = false): ExchangeOutcome {
  if (signal.aborted) {
    const cause = signal.reason as AbortCause;
    return { kind: "failed", category: cause, message: cause, sent: true };
  }
  if (error instanceof EngineUnavailable) {
    return { kind: "failed", category: "unreachable", message: error.message, sent: false };
  }
  const { message = "", cause } = (error ?? {}) as Error;
  const inner = (cause ?? {}) as { code?: string; message?: string };
  const words = `${message} ${inner.code ?? ""} ${inner.message ?? ""}`;
  const reason = /(connection refused|ECONNREFUSED)/i.test(words)
    ? "connection refused"
    : /(dns|ENOTFOUND|EAI_AGAIN|lookup)/i.test(words)
    ? "the host name is unknown"
    : /(certificate|tls|ssl)/i.test(words)
    ? "the TLS connection failed"
    : "";
  if (!answering && (reason !== "" || /\(Connect\)/.test(words))) {
    return {
      kind: "failed",
      category: "unreachable",
      message: reason || "no connection",
      sent: false,
    };
  }
  return {
    kind: "failed",
    category: "interrupted",
    message: answering
      ? "the connection broke during the answer"
      : "the connection closed without an answer",
    sent: true,
  };
}
