/**
 * A short hash for telling files and rows apart; not for anything that an attacker may choose.
 *
 * @module
 */

/** 64 bits as 16 hexadecimal digits: two multiplicative lanes with different constants. */
export function hashBytes(bytes: Uint8Array): string {
  let a = 0x811c9dc5;
  let b = 0x9e3779b9;
  for (const byte of bytes) {
    a = Math.imul(a ^ byte, 0x01000193);
    b = Math.imul(b ^ byte, 0x85ebca6b);
    b ^= b >>> 13;
  }
  a ^= a >>> 15;
  b = Math.imul(b ^ (b >>> 16), 0xc2b2ae35);
  return [a, b].map((lane) => (lane >>> 0).toString(16).padStart(8, "0")).join("");
}

/** Hash of a text's UTF-8. */
export function hashText(text: string): string {
  return hashBytes(new TextEncoder().encode(text));
}
