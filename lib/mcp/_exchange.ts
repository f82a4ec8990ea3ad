/**
 * One message to the server by streamable HTTP, and what comes back: JSON, a stream of events, or an
 * HTTP error. A message leaves at most once.
 *
 * @module
 */
import type { FetchLike } from "./types.ts";
import { isResponse, onOneLine, type RequestId, type RpcMessage, underId } from "./_json_rpc.ts";
import { createSseDecoder, type SseEvent } from "./_sse.ts";
import { pause } from "./_deadline.ts";
import { type ExchangeOutcome, failureOf, httpFailure, mediaType } from "./_outcome.ts";

/** Where and how one message goes. */
export interface Exchange {
  readonly fetch: FetchLike;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Id to answer under; absent for notifications and responses. */
  readonly requestId?: RequestId;
  /** Aborted with an `AbortCause` as its reason. */
  readonly signal: AbortSignal;
  /** Milliseconds a stream may stay open after its answer. */
  readonly lingerMs: number;
  /** Takes every message of the stream that is not the answer, as one line. */
  readonly onMessage: (text: string) => void;
}

const ACCEPT = "application/json, text/event-stream";
const MAX_ANSWER_CHARS = 256 * 1024 * 1024;
const RESUME_ATTEMPTS = 3;

/** Sends one message and waits for its outcome. Never throws. */
export async function exchange(request: Exchange): Promise<ExchangeOutcome> {
  let response: Response;
  try {
    response = await request.fetch(request.url, {
      method: "POST",
      headers: { ...request.headers, accept: ACCEPT, "content-type": "application/json" },
      // Deno repeats a POST with a string body by itself when a pooled connection closes; never a Blob.
      body: new Blob([request.body], { type: "application/json" }),
      redirect: "manual",
      signal: request.signal,
    });
  } catch (error) {
    return failureOf(error, request.signal);
  }
  if (response.status < 200 || response.status > 299) {
    return await httpFailure(response, request.signal);
  }
  if (request.requestId === undefined) {
    // The answer to a notification has no body worth waiting for.
    if (!isEventStream(response)) await response.body?.cancel().catch(() => {});
    else void readStream(response, request, () => {});
    return { kind: "accepted" };
  }
  if (isEventStream(response)) {
    return await new Promise((resolve) => void readStream(response, request, resolve));
  }
  return await readJson(response, request, request.requestId);
}

function isEventStream(response: Response): boolean {
  return mediaType(response) === "text/event-stream";
}

async function readJson(
  response: Response,
  request: Exchange,
  id: RequestId,
): Promise<ExchangeOutcome> {
  let text: string;
  try {
    text = await response.text();
  } catch (error) {
    return failureOf(error, request.signal, true);
  }
  if (text.trim() === "") return protocolFailure("the answer was empty");
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    const type = mediaType(response);
    return protocolFailure(
      type.endsWith("json")
        ? "the answer was cut off or is not JSON"
        : `the answer is ${type || "of no type"}`,
    );
  }
  let answer: ExchangeOutcome | undefined;
  for (const item of Array.isArray(parsed) ? parsed : [parsed]) {
    const message = item as RpcMessage;
    if (typeof message !== "object" || message === null) continue;
    const itemText = item === parsed ? onOneLine(text) : JSON.stringify(message);
    if (isResponse(message)) answer ??= answered(response, id, message, itemText);
    else if (typeof message.method === "string") request.onMessage(itemText);
  }
  return answer ?? protocolFailure("the answer holds no JSON-RPC response");
}

function answered(
  response: Response,
  id: RequestId,
  message: RpcMessage,
  text: string,
): ExchangeOutcome {
  return {
    kind: "answered",
    message,
    text: underId(id, message, text),
    sessionId: response.headers.get("mcp-session-id") ?? undefined,
  };
}

/**
 * Reads events until the stream ends, resuming one that was cut before the answer when its events had
 * ids. `settle` is called once, with the answer as soon as it is there; what follows is still passed on
 * for `lingerMs`.
 */
async function readStream(
  first: Response,
  request: Exchange,
  settle: (outcome: ExchangeOutcome) => void,
): Promise<void> {
  let done = request.requestId === undefined;
  let linger: ReturnType<typeof setTimeout> | undefined;
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const finish = (outcome: ExchangeOutcome): void => {
    if (done) return;
    done = true;
    settle(outcome);
    linger = setTimeout(() => void reader?.cancel().catch(() => {}), request.lingerMs);
  };
  const take = (event: SseEvent): void => {
    let message: RpcMessage;
    try {
      message = JSON.parse(event.data) as RpcMessage;
    } catch {
      return finish(protocolFailure("an event of the answer is not JSON"));
    }
    if (typeof message !== "object" || message === null) return;
    if (isResponse(message)) {
      if (request.requestId !== undefined) {
        finish(answered(first, request.requestId, message, onOneLine(event.data)));
      }
    } else if (typeof message.method === "string") request.onMessage(onOneLine(event.data));
  };

  let response = first;
  let lastId = "";
  try {
    for (let attempt = 0; attempt <= RESUME_ATTEMPTS; attempt++) {
      const decoder = createSseDecoder();
      const text = new TextDecoder();
      let size = 0;
      reader = response.body?.getReader();
      for (;;) {
        const chunk = await reader?.read();
        if (chunk === undefined || chunk.done) break;
        size += chunk.value.length;
        if (size > MAX_ANSWER_CHARS) return finish(protocolFailure("the answer is too long"));
        decoder.push(text.decode(chunk.value, { stream: true })).forEach(take);
      }
      decoder.push(text.decode()).forEach(take);
      decoder.end().forEach(take);
      lastId = decoder.lastId || lastId;
      if (done || lastId === "") break;
      await pause(decoder.retryMs ?? 500, request.signal);
      response = await request.fetch(request.url, {
        headers: { ...request.headers, accept: "text/event-stream", "last-event-id": lastId },
        redirect: "manual",
        signal: request.signal,
      });
      if (response.status !== 200 || !isEventStream(response)) {
        await response.body?.cancel().catch(() => {});
        break;
      }
    }
    finish({
      kind: "failed",
      category: "interrupted",
      message: "the stream ended before the answer",
      sent: true,
    });
  } catch (error) {
    finish(failureOf(error, request.signal, true));
  } finally {
    clearTimeout(linger);
    await reader?.cancel().catch(() => {});
  }
}

function protocolFailure(message: string): ExchangeOutcome {
  return { kind: "failed", category: "protocol", message, sent: true };
}
