/**
 * A short checksum for names.
 *
 * @module
 */

const OFFSET = 0xcbf29ce484222325n;
const PRIME = 0x100000001b3n;

/** 64-bit FNV-1a over UTF-8, as 16 hex digits. For names of few characters; not for secrets. */
export function shortHash(text: string): string {
  let hash = OFFSET;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * PRIME);
  }
  return hash.toString(16).padStart(16, "0");
}
