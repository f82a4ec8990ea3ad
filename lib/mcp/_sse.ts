/**
 * Server-sent events, read as they arrive. Linear in the size of an event, however it is cut.
 *
 * @module
 */

/** One event that carries a message. */
export interface SseEvent {
  readonly data: string;
  /** Last `id` seen, for resuming. */
  readonly lastId: string;
}

/** Decodes one stream. */
export interface SseDecoder {
  /** The events that `text` completed. */
  push(text: string): SseEvent[];
  /** The event that the end of the stream completed, if any. */
  end(): SseEvent[];
  /** Last `id` seen, "" when none. */
  readonly lastId: string;
  /** Last `retry` in milliseconds, if any. */
  readonly retryMs: number | undefined;
}

/** Makes a decoder. Only events named `message`, or not named, count; comments are dropped. */
export function createSseDecoder(): SseDecoder {
  let unfinished: string[] = [];
  let data: string[] = [];
  let name = "";
  let lastId = "";
  let retryMs: number | undefined;

  function takeEvent(): SseEvent[] {
    const complete = data.length > 0 && (name === "" || name === "message");
    const event = { data: data.join("\n"), lastId };
    data = [];
    name = "";
    return complete && event.data !== "" ? [event] : [];
  }

  function takeLine(line: string): SseEvent[] {
    if (line === "") return takeEvent();
    const colon = line.indexOf(":");
    if (colon === 0) return [];
    const field = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? "" : line.slice(colon + 1);
    if (value.startsWith(" ")) value = value.slice(1);
    if (field === "data") data.push(value);
    else if (field === "event") name = value;
    else if (field === "id") lastId = value;
    else if (field === "retry" && /^\d{1,9}$/.test(value)) retryMs = Number(value);
    return [];
  }

  return {
    push(text) {
      const events: SseEvent[] = [];
      let from = 0;
      for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", from)) {
        unfinished.push(text.slice(from, at));
        const line = unfinished.join("");
        unfinished = [];
        events.push(...takeLine(line.endsWith("\r") ? line.slice(0, -1) : line));
        from = at + 1;
      }
      if (from < text.length) unfinished.push(text.slice(from));
      return events;
    },
    end() {
      const rest = unfinished.join("").replace(/\r$/, "");
      unfinished = [];
      return rest === "" ? takeEvent() : [...takeLine(rest), ...takeEvent()];
    },
    get lastId() {
      return lastId;
    },
    get retryMs() {
      return retryMs;
    },
  };
}
