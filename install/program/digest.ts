/**
 * Names for contents.
 *
 * @module
 */

/** SHA-256 of named texts in hexadecimal; the order of the map does not matter. */
export async function digestOf(texts: ReadonlyMap<string, string | Uint8Array>): Promise<string> {
  const encoder = new TextEncoder();
  const parts: Uint8Array[] = [];
  for (const name of [...texts.keys()].sort()) {
    const text = texts.get(name) ?? "";
    const bytes = typeof text === "string" ? encoder.encode(text) : text;
    parts.push(encoder.encode(`${name}\0${bytes.length}\0`), bytes);
  }
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", whole));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
