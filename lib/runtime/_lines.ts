/**
 * Lines of an input that is read in pieces.
 *
 * @module
 */
import type { StdinLine } from "./types.ts";
import type { ReadInto } from "./_whole_json.ts";

/** Yields each line without its end; a line of more than `limit` bytes is dropped and marked. */
export async function* linesOf(read: ReadInto, limit: number): AsyncGenerator<StdinLine> {
  const buffer = new Uint8Array(64 * 1024);
  const decoder = new TextDecoder();
  let parts: Uint8Array[] = [];
  let size = 0;
  const take = (): StdinLine => {
    const truncated = size > limit;
    const whole = new Uint8Array(truncated ? 0 : size);
    let at = 0;
    for (const part of truncated ? [] : parts) {
      whole.set(part, at);
      at += part.length;
    }
    parts = [];
    size = 0;
    return { text: decoder.decode(whole), truncated };
  };
  for (;;) {
    const count = await read(buffer);
    if (count === null) break;
    let from = 0;
    while (from < count) {
      const end = buffer.subarray(0, count).indexOf(10, from);
      const part = buffer.slice(from, end < 0 ? count : end);
      size += part.length;
      if (size <= limit) parts.push(part);
      else parts = [];
      if (end < 0) break;
      yield take();
      from = end + 1;
    }
  }
  if (size > 0) yield take();
}
