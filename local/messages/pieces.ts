/**
 * The pieces of a message that are searched and shown: texts, tool calls, tool results.
 *
 * @module
 */
import type { StoredPart } from "./message_row.ts";

/** Numbers of a part's pieces: part index x 4 + one of these. */
const TEXT = 0;
const TOOL_INPUT = 1;
const TOOL_OUTPUT = 2;

/** One searchable piece. */
export interface Piece {
  readonly part: number;
  readonly text: string;
}

/** True when a passage of piece `part` comes from a tool's call or result. */
export function isToolPiece(part: number): boolean {
  return part % 4 !== TEXT;
}

/** Name of the tool and the values it was given, as one text. */
export function toolInputText(part: StoredPart): string {
  const input = part["tool_input"];
  const name = String(part["tool_name"] ?? "");
  if (input === undefined) return name;
  if (typeof input !== "object" || input === null) return `${name}: ${String(input)}`;
  const values = Object.values(input).map((value) =>
    typeof value === "string" ? value : JSON.stringify(value)
  );
  return `${name}: ${values.join("\n")}`;
}

/** The searchable pieces of a message's parts. Context parts are what we injected: not searched. */
export function piecesOfParts(parts: readonly StoredPart[]): Piece[] {
  const pieces: Piece[] = [];
  parts.forEach((part, at) => {
    if (part.type === "text") pieces.push({ part: at * 4 + TEXT, text: String(part["text"]) });
    else if (part.type === "tool") {
      pieces.push({ part: at * 4 + TOOL_INPUT, text: toolInputText(part) });
      if (typeof part["tool_output"] === "string") {
        pieces.push({ part: at * 4 + TOOL_OUTPUT, text: part["tool_output"] });
      }
    }
  });
  return pieces;
}

/** The text of piece `part`, "" when there is no such piece any more. */
export function pieceText(parts: readonly StoredPart[], part: number): string {
  const of = parts[Math.floor(part / 4)];
  if (of === undefined) return "";
  switch (part % 4) {
    case TOOL_INPUT:
      return toolInputText(of);
    case TOOL_OUTPUT:
      return typeof of["tool_output"] === "string" ? of["tool_output"] : "";
    default:
      return typeof of["text"] === "string" ? of["text"] : "";
  }
}
