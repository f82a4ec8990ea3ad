/**
 * How a text is laid out, and values written in that layout.
 *
 * @module
 */
import type { Json } from "../../lib/runtime/types.ts";
import { endOf, type JsonNode } from "./document.ts";

/** Layout of a text. */
export interface JsonStyle {
  readonly newline: "\n" | "\r\n";
  /** One level of indentation. */
  readonly unit: string;
  /** True when the root's members stand on lines of their own. */
  readonly multiline: boolean;
  /** True when nothing stands between tokens at all. */
  readonly compact: boolean;
}

/** Reads the layout of a text from its root object; an empty root is laid out over lines. */
export function styleOf(text: string, root: JsonNode): JsonStyle {
  const newline = /\r?\n/.exec(text)?.[0] === "\r\n" ? "\r\n" : "\n";
  const first = root.children?.[0];
  if (first === undefined) return { newline, unit: "  ", multiline: true, compact: false };
  const lead = /\n([ \t]*)$/.exec(text.slice(0, first.offset));
  const within = text.slice(root.offset, endOf(root));
  return {
    newline,
    unit: lead?.[1] ? lead[1] : "  ",
    multiline: isMultiline(text, root),
    compact: !/[\s]/.test(within.replace(/"(?:[^"\\]|\\.)*"/g, "")),
  };
}

/** Whitespace at the start of the line of `offset`. */
export function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? "";
}

/** True when a non-empty container has a line break before its first child or between two of them. */
export function isMultiline(text: string, container: JsonNode): boolean {
  let from = container.offset + 1;
  for (const child of container.children ?? []) {
    if (text.slice(from, child.offset).includes("\n")) return true;
    from = endOf(child);
  }
  return false;
}

/** Writes `value` over lines; lines after the first begin with `indent`. */
export function renderLines(value: Json, style: JsonStyle, indent: string): string {
  return JSON.stringify(value, null, style.unit).replaceAll("\n", style.newline + indent);
}

/** Writes `value` on one line. */
export function renderInline(value: Json, style: JsonStyle): string {
  if (style.compact || value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) {
    return `[${value.map((item) => renderInline(item, style)).join(", ")}]`;
  }
  const members = Object.entries(value).map(([key, item]) =>
    `${JSON.stringify(key)}: ${renderInline(item, style)}`
  );
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}
