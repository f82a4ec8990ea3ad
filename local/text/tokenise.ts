/**
 * The one tokeniser of index and query: words with their stems, identifiers in parts and joined,
 * dotted numbers whole, scripts without spaces as overlapping pairs.
 *
 * @module
 */
import { stem } from "./stem.ts";
import { isStopWord } from "./stop_words.ts";

const SEPARATOR = 0;
const LETTER = 1;
const PAIRED = 2;

/** A chunk longer than this is data (base64, a hash), not words. */
const LONGEST_CHUNK = 80;
const MOST_PARTS = 12;
/** Chunks whose tokens are kept: some 300 bytes each. */
const MEMO_LIMIT = 8_000;

function isAsciiWord(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) || code === 95;
}

/** Scripts written without spaces, and Hangul, whose endings vary: read in overlapping pairs. */
function isPaired(code: number): boolean {
  return (code >= 0x4e00 && code <= 0x9fff) || (code >= 0x3040 && code <= 0x30ff) ||
    (code >= 0xac00 && code <= 0xd7af) || (code >= 0x3400 && code <= 0x4dbf) ||
    (code >= 0x0e00 && code <= 0x0eff) || (code >= 0x1000 && code <= 0x109f) ||
    (code >= 0x1780 && code <= 0x17ff) || (code >= 0x31f0 && code <= 0x31ff) ||
    (code >= 0xf900 && code <= 0xfaff) || code === 0x3005;
}

function kindOf(code: number): number {
  if (code < 128) return isAsciiWord(code) ? LETTER : SEPARATOR;
  if (isPaired(code)) return PAIRED;
  if (code < 0xc0) return code === 0xaa || code === 0xb5 || code === 0xba ? LETTER : SEPARATOR;
  if (code === 0xd7 || code === 0xf7) return SEPARATOR;
  // General punctuation to miscellaneous symbols, CJK punctuation, surrogates (emoji), private use, forms.
  if ((code >= 0x2000 && code <= 0x2bff) || (code >= 0x2e00 && code <= 0x303f)) return SEPARATOR;
  if ((code >= 0xd800 && code <= 0xf8ff) || code >= 0xfe00) return SEPARATOR;
  return LETTER;
}

/** Cuts `HTTPServerError2` into `HTTP`, `Server`, `Error2`. */
function splitCase(word: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let at = 1; at < word.length; at++) {
    const here = word.charCodeAt(at);
    if (here < 65 || here > 90) continue;
    const before = word.charCodeAt(at - 1);
    const after = word.charCodeAt(at + 1);
    const afterUpper = before >= 65 && before <= 90;
    // lower or digit before a capital; or the last capital of an acronym before a lower-case letter
    if (!afterUpper || (after >= 97 && after <= 122)) {
      if (at > start) parts.push(word.slice(start, at));
      start = at;
    }
  }
  parts.push(word.slice(start));
  return parts.length > MOST_PARTS ? [word] : parts;
}

function fold(word: string): string {
  const lower = word.toLowerCase();
  for (let at = 0; at < lower.length; at++) {
    if (lower.charCodeAt(at) > 127) return lower.normalize("NFD").replace(/[\u0300-\u036f]/g, "");
  }
  return lower;
}

function pushWord(word: string, out: string[]): void {
  const digits = /\d+$/.exec(word);
  if (digits === null) {
    out.push(stem(word));
    return;
  }
  out.push(word);
  if (digits.index >= 2 && !/\d/.test(word.slice(0, digits.index))) {
    out.push(stem(word.slice(0, digits.index)));
  }
}

/** Lower-case Latin letters only: most of any text. */
function isPlainWord(chunk: string): boolean {
  if (chunk.length > LONGEST_CHUNK) return false;
  for (let at = 0; at < chunk.length; at++) {
    const code = chunk.charCodeAt(at);
    if (code < 97 || code > 122) return false;
  }
  return true;
}

/** Tokens of one chunk: letters, digits and `_` joined by `.`, `-` or an apostrophe. */
function splitChunk(chunk: string): readonly string[] {
  if (isPlainWord(chunk)) return isStopWord(chunk) ? [] : [stem(chunk)];
  const apostrophe = chunk.search(/['\u2019]/);
  if (apostrophe > 0) {
    const rest = chunk.slice(apostrophe + 1);
    const head = splitChunk(chunk.slice(0, apostrophe));
    return rest.length < 3 ? head : [...head, ...splitChunk(rest)];
  }
  const out: string[] = [];
  const parts: string[] = [];
  for (const piece of chunk.split("-")) {
    if (/^v?\d+(\.\d+)+$/i.test(piece)) {
      out.push(piece.replace(/^v/i, ""));
      continue;
    }
    for (const word of piece.split(/[._]+/)) {
      if (word !== "") parts.push(...splitCase(word));
    }
  }
  const folded = parts.map(fold);
  if (folded.length === 1 && out.length === 0) {
    const only = folded[0] ?? "";
    if (!isStopWord(only)) pushWord(only.slice(0, LONGEST_CHUNK), out);
    return out;
  }
  if (folded.length <= MOST_PARTS) {
    for (const part of folded) if (!isStopWord(part)) pushWord(part, out);
  }
  if (folded.length > 1 && (folded.length <= 6 || folded.length > MOST_PARTS)) {
    out.push(stem(folded.join("").slice(0, LONGEST_CHUNK)));
  }
  return out;
}

const memo = new Map<string, readonly string[]>();

/** A copy: V8 cuts from 13 characters on by reference, and that would keep the whole text alive. */
function detached(chunk: string): string {
  return chunk.length < 13 ? chunk : chunk.split("").join("");
}

function tokensOfChunk(part: string): readonly string[] {
  if (part.length > LONGEST_CHUNK) {
    return /[-._]/.test(part) ? splitChunk(part) : [fold(part.slice(0, 64))];
  }
  const known = memo.get(part);
  if (known !== undefined) return known;
  const chunk = detached(part);
  const tokens = splitChunk(chunk);
  if (memo.size >= MEMO_LIMIT) memo.clear();
  memo.set(chunk, tokens);
  return tokens;
}

/** End of the chunk that starts at `from`: a joint counts only between two word characters. */
function chunkEnd(text: string, from: number): number {
  let at = from + 1;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 128 ? isAsciiWord(code) : kindOf(code) === LETTER) continue;
    const joint = code === 46 || code === 45 || code === 39 || code === 0x2019;
    if (!joint || at + 1 >= text.length || kindOf(text.charCodeAt(at + 1)) !== LETTER) break;
  }
  return at;
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) return false;
  return true;
}

/**
 * Tokens of `text` in order, repeated ones included. Each is letters, digits and dots only, so that
 * it can stand between spaces in the index. Pure; the memo only saves work.
 *
 * @example Identifiers are found however they are written
 * ```ts
 * import assert from "node:assert/strict";
 * assert.deepEqual(tokenise("handleStripeEvent"), ["handl", "strip", "event", "handlestripeevent"]);
 * assert.deepEqual(tokenise("数据库 v17.3.1"), ["数据", "据库", "17.3.1"]);
 * ```
 */
export function tokenise(text: string): string[] {
  const source = isAscii(text) ? text : text.normalize("NFKC");
  const out: string[] = [];
  let at = 0;
  while (at < source.length) {
    const kind = kindOf(source.charCodeAt(at));
    if (kind === SEPARATOR) {
      at++;
    } else if (kind === LETTER) {
      const end = chunkEnd(source, at);
      for (const token of tokensOfChunk(source.slice(at, end))) out.push(token);
      at = end;
    } else {
      const start = at;
      while (at < source.length && isPaired(source.charCodeAt(at))) at++;
      if (at - start === 1) out.push(source[start] ?? "");
      for (let pair = start; pair + 1 < at; pair++) out.push(source.slice(pair, pair + 2));
    }
  }
  return out;
}

/** True when `token` is a pair (or a single character) of a script without spaces. */
export function isPairToken(token: string): boolean {
  return token.length <= 2 && isPaired(token.charCodeAt(0));
}
