/**
 * Adds values to a JSON text without moving anything that stands there.
 *
 * @module
 */
import type { Json } from "../../lib/runtime/types.ts";
import {
  endOf,
  faultAt,
  type JsonDocument,
  type JsonNode,
  memberOf,
  nameOfType,
} from "./document.ts";
import { afterComments, commaAfter, lastCommentEnd, splice } from "./gaps.ts";
import {
  indentAt,
  isMultiline,
  type JsonStyle,
  renderInline,
  renderLines,
  styleOf,
} from "./style.ts";

/** What the inverse edit must know of a container that was touched. */
export interface ContainerNote {
  readonly path: readonly string[];
  /** True when it was not there before. */
  readonly created: boolean;
  /** What stood between its brackets when it was there and held only whitespace. */
  readonly inner?: string;
}

/** A text with a value added, and what the inverse must know. */
export interface Inserted {
  readonly text: string;
  readonly notes: readonly ContainerNote[];
}

/**
 * Adds `value` as a member named by the last element of `path`; missing objects on the way are created.
 *
 * @throws {InstallError} `invalid-config` when something on the way is no object.
 */
export function insertMember(
  document: JsonDocument,
  path: readonly string[],
  value: Json,
): Inserted {
  return insertAlong(document, path.slice(0, -1), (missing) => {
    const key = path[path.length - 1] ?? "";
    return missing ? { [key]: value } : { key, value };
  });
}

/**
 * Adds `value` to the end of the list at `path`; a missing list and missing objects are created.
 *
 * @throws {InstallError} `invalid-config` when the list is no array.
 */
export function insertItem(document: JsonDocument, path: readonly string[], value: Json): Inserted {
  const list = walk(document, path);
  if (list.missing.length === 0 && list.node.type !== "array") {
    throw wrongType(document, list.node, path, "an array");
  }
  return insertAlong(document, path, (missing) => missing ? [value] : { key: undefined, value });
}

type Addition = { readonly key: string | undefined; readonly value: Json };

/** The deepest node on `path` that is there, and the keys that are not. */
function walk(
  document: JsonDocument,
  path: readonly string[],
): { readonly node: JsonNode; readonly missing: readonly string[] } {
  let node = document.root;
  for (const [depth, key] of path.entries()) {
    if (node.type !== "object") throw wrongType(document, node, path.slice(0, depth), "an object");
    const next = memberOf(node, key);
    if (next === undefined) return { node, missing: path.slice(depth) };
    node = next;
  }
  return { node, missing: [] };
}

function wrongType(
  { path: file, text }: JsonDocument,
  node: JsonNode,
  path: readonly string[],
  expected: string,
): Error {
  const state = `\`${path.join(".")}\` is ${nameOfType(node)}, ${expected} is expected`;
  return faultAt(file, text, node.offset, state);
}

function insertAlong(
  document: JsonDocument,
  path: readonly string[],
  make: (missing: boolean) => Addition | Json,
): Inserted {
  const { node, missing } = walk(document, path);
  const depth = path.length - missing.length;
  let addition: Addition;
  if (missing.length === 0) {
    addition = make(false) as Addition;
    if (addition.key !== undefined && node.type !== "object") {
      throw wrongType(document, node, path, "an object");
    }
  } else {
    const [first = "", ...rest] = missing;
    const value = rest.reduceRight<Json>((inner, key) => ({ [key]: inner }), make(true) as Json);
    addition = { key: first, value };
  }
  const notes: ContainerNote[] = missing.map((_, i) => ({
    path: path.slice(0, depth + i + 1),
    created: true,
  }));
  const inner = document.text.slice(node.offset + 1, endOf(node) - 1);
  if (/^\s*$/.test(inner)) notes.unshift({ path: path.slice(0, depth), created: false, inner });
  return { text: addTo(document, node, addition), notes };
}

function addTo(document: JsonDocument, container: JsonNode, addition: Addition): string {
  const { text, root } = document;
  const style = styleOf(text, root);
  return (container.children?.length ?? 0) === 0
    ? addFirst(text, container, addition, style)
    : addLast(text, container, addition, style);
}

function render(addition: Addition, style: JsonStyle, indent: string | undefined): string {
  const { key, value } = addition;
  const written = indent === undefined
    ? renderInline(value, style)
    : renderLines(value, style, indent);
  if (key === undefined) return written;
  return `${JSON.stringify(key)}:${style.compact ? "" : " "}${written}`;
}

function addLast(text: string, container: JsonNode, addition: Addition, style: JsonStyle): string {
  const last = container.children?.at(-1) as JsonNode;
  const comma = commaAfter(text, endOf(last));
  const { at, lineComment } = afterComments(text, comma === -1 ? endOf(last) : comma + 1);
  const onLines = isMultiline(text, container);
  const ownLine = /^[ \t]*$/.test(text.slice(text.lastIndexOf("\n", last.offset) + 1, last.offset));
  const indent = ownLine
    ? indentAt(text, last.offset)
    : indentAt(text, container.offset) + style.unit;
  const lead = onLines || lineComment ? style.newline + indent : style.compact ? "" : " ";
  const written = lead + render(addition, style, onLines ? indent : undefined);
  return comma === -1
    ? splice(splice(text, at, at, written), endOf(last), endOf(last), ",")
    : splice(text, at, at, `${written},`);
}

function addFirst(text: string, container: JsonNode, addition: Addition, style: JsonStyle): string {
  const open = container.offset + 1;
  const close = endOf(container) - 1;
  const inner = text.slice(open, close);
  const outer = indentAt(text, container.offset);
  const indent = outer + style.unit;
  if (/^\s*$/.test(inner)) {
    const written = style.multiline
      ? style.newline + indent + render(addition, style, indent) + style.newline + outer
      : render(addition, style, undefined);
    return splice(text, open, close, written);
  }
  // Only comments: the value follows them.
  const trailing = /\s*$/.exec(inner)?.[0].length ?? 0;
  const at = lastCommentEnd(text, open, close - trailing);
  const onLines = inner.includes("\n");
  const written = onLines
    ? style.newline + indent + render(addition, style, indent)
    : ` ${render(addition, style, undefined)}`;
  return splice(text, at, at, written);
}
