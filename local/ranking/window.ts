/**
 * What of a long message is shown: its best passages in the order of the text. Pure.
 *
 * @module
 */
import type { Hit } from "./rank.ts";
import type { StoredMessage } from "../messages/message_row.ts";
import type { StoredPart } from "../messages/message_row.ts";
import { isToolPiece, pieceText } from "../messages/pieces.ts";
import { cutAtTokens, tokenWeight } from "../text/tokens.ts";

/** Between two passages that do not touch. */
const GAP = "\n[...]\n";
/** Tokens of a tool's name and input that head a piece of its output. */
const HEADING_TOKENS = 24;

interface Stretch {
  part: number;
  start: number;
  stop: number;
}

/** Every piece of a message, in order. */
function allPieces(parts: readonly StoredPart[]): number[] {
  const out: number[] = [];
  parts.forEach((part, at) => {
    if (part.type === "text") out.push(at * 4);
    else if (part.type === "tool") out.push(at * 4 + 1, at * 4 + 2);
  });
  return out;
}

/** All of a message's searchable text. */
export function wholeText(message: StoredMessage): string {
  return allPieces(message.parts).map((part) => pieceText(message.parts, part).trim())
    .filter((text) => text !== "").join("\n");
}

/** Stretches of the best hits within `budget`, merged where they touch, in the order of the text. */
function chooseStretches(hits: readonly Hit[], message: StoredMessage, budget: number): Stretch[] {
  const chosen: Stretch[] = [];
  let left = budget;
  for (const { part, start, stop } of hits) {
    const weight = tokenWeight(pieceText(message.parts, part), start, stop);
    if (chosen.length > 0 && weight > left) continue;
    chosen.push({ part, start, stop });
    left -= weight;
  }
  chosen.sort((a, b) => a.part - b.part || a.start - b.start);
  const merged: Stretch[] = [];
  for (const stretch of chosen) {
    const last = merged.at(-1);
    if (last !== undefined && last.part === stretch.part && stretch.start <= last.stop) {
      last.stop = Math.max(last.stop, stretch.stop);
    } else merged.push({ ...stretch });
  }
  return merged;
}

/** Widens a stretch to both sides while tokens are left, whole lines where possible. */
function widen(stretch: Stretch, text: string, spare: number): void {
  let left = spare;
  for (;;) {
    const newline = text.indexOf("\n", stretch.stop + 1);
    const stop = newline < 0 ? text.length : newline;
    const after = tokenWeight(text, stretch.stop, stop);
    if (stretch.stop >= text.length || after > left) break;
    left -= after;
    stretch.stop = stop;
  }
  for (;;) {
    const start = stretch.start < 2 ? 0 : text.lastIndexOf("\n", stretch.start - 2) + 1;
    const before = tokenWeight(text, start, stretch.start);
    if (stretch.start === 0 || before > left) break;
    left -= before;
    stretch.start = start;
  }
}

function headingOf(message: StoredMessage, part: number): string {
  const input = pieceText(message.parts, part - (part % 4) + 1).replace(/\s+/g, " ").trim();
  const end = cutAtTokens(input, HEADING_TOKENS);
  return end < input.length ? `${input.slice(0, end)}...` : input;
}

/**
 * The part of a message that answers, at most about `budget` tokens: all of it when it is short, else
 * its best passages, else (nothing of it matched) its beginning.
 */
export function bestWindow(
  message: StoredMessage,
  hits: readonly Hit[],
  budget: number,
): string {
  const whole = wholeText(message);
  if (tokenWeight(whole) <= budget) return whole;
  if (hits.length === 0) return `${whole.slice(0, cutAtTokens(whole, budget)).trimEnd()} [...]`;
  const stretches = chooseStretches(hits, message, budget);
  const used = stretches.reduce(
    (sum, { part, start, stop }) => sum + tokenWeight(pieceText(message.parts, part), start, stop),
    0,
  );
  const [only] = stretches;
  if (stretches.length === 1 && only !== undefined) {
    widen(only, pieceText(message.parts, only.part), budget - used);
  }
  const texts: string[] = [];
  let headed = -1;
  for (const { part, start, stop } of stretches) {
    const text = pieceText(message.parts, part).slice(start, stop).trim();
    const tool = Math.floor(part / 4);
    if (isToolPiece(part) && part % 4 === 2 && headed !== tool) {
      texts.push(`${headingOf(message, part)}\n${text}`);
    } else texts.push(text);
    if (isToolPiece(part)) headed = tool;
  }
  return texts.join(GAP);
}

/** The best passages of a file, or all of it when it is short. */
export function bestFileWindow(text: string, hits: readonly Hit[], budget: number): string {
  const message = { parts: [{ type: "text", text }] } as unknown as StoredMessage;
  return bestWindow(message, hits, budget);
}
