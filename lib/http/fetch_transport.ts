/**
 * Carries requests to a server over `fetch`.
 *
 * @module
 */
import type { Transport, WireRequest, WireResponse } from "./types.ts";
import { AnswerTooLarge } from "./classify.ts";

/** How {@linkcode createFetchTransport} differs from its defaults. */
export interface FetchTransportOptions {
  /** @default the global `fetch` */
  readonly fetch?: typeof globalThis.fetch;
  /** Bytes of an answer that are read at most. @default 33554432 */
  readonly maxBytes?: number;
}

/**
 * Deno's `fetch` sends a POST with a string body, or none, a second time by itself when a pooled
 * connection closes without an answer; a Blob is sent once (seen on 2.9.6).
 */
function bodyOf(request: WireRequest): Blob | undefined {
  if (request.body !== undefined) {
    return new Blob([JSON.stringify(request.body)], { type: "application/json" });
  }
  return request.method === "GET" || request.method === "DELETE" ? undefined : new Blob([]);
}

async function readBounded(response: Response, maxBytes: number): Promise<string> {
  const tooLarge = async () => {
    await response.body?.cancel();
    return new AnswerTooLarge(`Cannot use the answer: it is larger than ${maxBytes} bytes`);
  };
  const length = response.headers.get("content-length");
  if (length !== null && !response.headers.has("content-encoding")) {
    if (Number(length) > maxBytes) throw await tooLarge();
    return await response.text();
  }
  const reader = response.body?.getReader();
  if (reader === undefined) return "";
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.length;
    if (size > maxBytes) {
      await reader.cancel();
      throw new AnswerTooLarge(`Cannot use the answer: it is larger than ${maxBytes} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Makes a transport to `baseUrl` (no trailing slash; a path prefix is kept). Redirects are answers
 * and never followed, so that a key goes nowhere but to the configured address. Throws what `fetch`
 * throws when no answer came, and `AnswerTooLarge`.
 */
export function createFetchTransport(
  baseUrl: string,
  options: FetchTransportOptions = {},
): Transport {
  const { maxBytes = 32 * 1024 * 1024 } = options;
  return async (request: WireRequest): Promise<WireResponse> => {
    const send = options.fetch ?? globalThis.fetch;
    const body = bodyOf(request);
    const response = await send(baseUrl + request.path, {
      method: request.method,
      headers: request.headers,
      redirect: "manual",
      ...(body === undefined ? {} : { body }),
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    });
    const headers: Record<string, string> = {};
    response.headers.forEach((value, name) => headers[name] = value);
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      return { status: response.status, headers, body: "" };
    }
    return {
      status: response.status,
      headers,
      body: parsed(await readBounded(response, maxBytes)),
    };
  };
}
