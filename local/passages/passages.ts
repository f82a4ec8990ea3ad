/**
 * Cuts text into passages of about 120 tokens at the ends of lines and sentences.
 *
 * @module
 */
import { cutAtTokens, tokenWeight } from "../text/tokens.ts";

/** A piece of a text, `[start, end)` in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Tokens a passage holds at most (a single unbreakable piece may be cut there). */
export const PASSAGE_TOKENS = 120;
/** A passage this full ends at a blank line or before a heading. */
const FULL_ENOUGH = 60;
/** A last passage smaller than this is added to the one before, which may then hold a little more. */
const SMALLEST_TAIL = 24;

/** Index after the sentence that begins at `from`, at most `limit`. */
function sentenceEnd(text: string, from: number, limit: number): number {
  for (let at = from; at < limit; at++) {
    const code = text.charCodeAt(at);
    // 。！？；
    if (code === 0x3002 || code === 0xff01 || code === 0xff1f || code === 0xff1b) return at + 1;
    if (code === 46 || code === 33 || code === 63 || code === 59) {
      const next = text.charCodeAt(at + 1);
      if (at + 1 >= limit || next === 32 || next === 9) return at + 1;
    }
  }
  return limit;
}

/** Cuts `[from, to)`, which has no good end inside the budget, at a space or wherever it must be. */
function cutHard(text: string, from: number, to: number, out: Span[]): void {
  let start = from;
  while (start < to) {
    let end = Math.min(cutAtTokens(text, PASSAGE_TOKENS, start), to);
    if (end <= start) end = Math.min(start + 2, to);
    if (end < to) {
      const space = text.lastIndexOf(" ", end);
      if (space > start + (end - start) / 2) end = space + 1;
    }
    out.push({ start, end });
    start = end;
  }
}

/** Pieces that a passage is made of: lines, or the sentences of a line that is too long. */
function piecesOf(text: string): Span[] {
  const pieces: Span[] = [];
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline + 1;
    if (tokenWeight(text, start, end) <= PASSAGE_TOKENS) {
      pieces.push({ start, end });
    } else {
      for (let from = start; from < end;) {
        let to = sentenceEnd(text, from, end);
        while (to < end && text.charCodeAt(to) === 32) to++;
        if (tokenWeight(text, from, to) <= PASSAGE_TOKENS) pieces.push({ start: from, end: to });
        else cutHard(text, from, to, pieces);
        from = to;
      }
    }
    start = end;
  }
  return pieces;
}

function isBlank(text: string, piece: Span): boolean {
  for (let at = piece.start; at < piece.end; at++) if (text.charCodeAt(at) > 32) return false;
  return true;
}

/** Passages of `text` in order; together they cover all of it but blank edges. */
export function cutPassages(text: string): Span[] {
  if (text.length <= PASSAGE_TOKENS && text.trim() !== "") {
    if (tokenWeight(text) <= PASSAGE_TOKENS) return [{ start: 0, end: text.length }];
  }
  const out: { start: number; end: number; weight: number }[] = [];
  let open: { start: number; end: number; weight: number } | undefined;
  const close = (): void => {
    if (open !== undefined) out.push(open);
    open = undefined;
  };
  for (const piece of piecesOf(text)) {
    const weight = tokenWeight(text, piece.start, piece.end);
    if (open !== undefined) {
      const heading = text.charCodeAt(piece.start) === 35;
      if (open.weight + weight > PASSAGE_TOKENS) close();
      else if (open.weight >= FULL_ENOUGH && (heading || isBlank(text, piece))) close();
    }
    if (open === undefined) {
      if (!isBlank(text, piece)) open = { start: piece.start, end: piece.end, weight };
    } else {
      open.end = piece.end;
      open.weight += weight;
    }
  }
  close();
  const last = out.at(-1);
  const before = out.at(-2);
  if (last !== undefined && before !== undefined && last.weight < SMALLEST_TAIL) {
    before.end = last.end;
    out.pop();
  }
  return out.map(({ start, end }) => ({ start, end }));
}
