/**
 * Which passages of a piece are indexed.
 *
 * @module
 */
import type { Piece } from "../messages/pieces.ts";
import { cutPassages, type Span } from "./passages.ts";

/** Passages kept of one piece, from its head and from its tail; the middle of a log is noise. */
const LIMITS: readonly { readonly head: number; readonly tail: number }[] = [
  { head: 1500, tail: 100 },
  { head: 24, tail: 8 },
  { head: 40, tail: 24 },
];

/** The passages of a piece that are indexed. */
export function passagesOf(piece: Piece): Span[] {
  const spans = cutPassages(piece.text);
  const limit = LIMITS[piece.part % 4] ?? { head: 40, tail: 24 };
  return spans.length <= limit.head + limit.tail
    ? spans
    : [...spans.slice(0, limit.head), ...spans.slice(-limit.tail)];
}
