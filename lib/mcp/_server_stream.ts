/**
 * The stream on which a server speaks without being asked (`GET` of streamable HTTP).
 *
 * @module
 */
import type { JsonObject } from "../runtime/types.ts";
import type { FetchLike } from "./types.ts";
import { onOneLine } from "./_json_rpc.ts";
import { createSseDecoder, type SseEvent } from "./_sse.ts";
import { pause } from "./_deadline.ts";

/** What {@linkcode listenToServer} needs. */
export interface ServerStream {
  readonly fetch: FetchLike;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly onMessage: (text: string) => void;
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

/** True when the `initialize` result announces notifications. */
export function isPushing(result: JsonObject): boolean {
  const capabilities = (result["capabilities"] ?? {}) as Record<string, unknown>;
  if (capabilities["logging"] !== undefined) return true;
  return ["tools", "prompts", "resources"].some((name) => {
    const announced = (capabilities[name] ?? {}) as Record<string, unknown>;
    return announced["listChanged"] === true || announced["subscribe"] === true;
  });
}

/** Passes on what the server says until the signal ends it or the server offers no such stream. Never throws. */
export async function listenToServer(stream: ServerStream): Promise<void> {
  let wait = FIRST_PAUSE_MS;
  let lastId = "";
  const take = (event: SseEvent): void => {
    lastId = event.lastId;
    wait = FIRST_PAUSE_MS;
    stream.onMessage(onOneLine(event.data));
  };
  while (!stream.signal.aborted) {
    try {
      const response = await stream.fetch(stream.url, {
        headers: {
          ...stream.headers,
          accept: "text/event-stream",
          ...(lastId === "" ? {} : { "last-event-id": lastId }),
        },
        redirect: "manual",
        signal: stream.signal,
      });
      const type = response.headers.get("content-type") ?? "";
      if (response.status !== 200 || !type.startsWith("text/event-stream")) {
        await response.body?.cancel();
        if (response.status < 500) return;
      } else {
        await readEvents(response, take);
      }
    } catch { /* the server is away, or the signal came */ }
    await pause(wait, stream.signal);
    wait = Math.min(wait * 2, LONGEST_PAUSE_MS);
  }
}

async function readEvents(response: Response, take: (event: SseEvent) => void): Promise<void> {
  const decoder = createSseDecoder();
  const text = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    decoder.push(text.decode(chunk, { stream: true })).filter(isMessage).forEach(take);
  }
}

function isMessage(event: SseEvent): boolean {
  try {
    const value = JSON.parse(event.data) as { jsonrpc?: unknown; method?: unknown } | null;
    return value?.jsonrpc === "2.0" && typeof value.method === "string";
  } catch {
    return false;
  }
}
