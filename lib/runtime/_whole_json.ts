/**
 * Tells when a text that is still growing is one whole JSON document.
 *
 * @module
 */

/** True when `text` is one whole JSON document; only looked at closely when it ends like one. */
export function isWholeJson(text: string): boolean {
  const end = text.trimEnd();
  if (!end.endsWith("}") && !end.endsWith("]")) return false;
  try {
    JSON.parse(end);
    return true;
  } catch {
    return false;
  }
}

/** Fills a buffer; `null` at the end of the input. */
export type ReadInto = (buffer: Uint8Array) => Promise<number | null>;

/** Reads until the input ends, `limit` bytes are passed, or what came is one whole JSON document. */
export async function readUntilWhole(
  read: ReadInto,
  limit: number,
): Promise<{ text: string; truncated: boolean }> {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(64 * 1024);
  let text = "";
  let size = 0;
  let checkFrom = 0;
  for (;;) {
    const count = await read(buffer);
    if (count === null) return { text: text + decoder.decode(), truncated: false };
    size += count;
    if (size > limit) return { text, truncated: true };
    text += decoder.decode(buffer.subarray(0, count), { stream: true });
    // A full buffer means that more is coming; big inputs are parsed at doubling sizes only.
    if (count < buffer.length && size >= checkFrom) {
      if (isWholeJson(text)) return { text, truncated: false };
      if (size > 1024 * 1024) checkFrom = size * 2;
    }
  }
}
