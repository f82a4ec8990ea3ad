/**
 * A JSON or JSONC text with its tree of offsets; every fault is told by file, line and column.
 *
 * @module
 */
import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { InstallError } from "../types.ts";

/** A node of the tree: an object, array, property or value with its place in the text. */
export type JsonNode = Node;

/** A parsed text. The byte order mark is kept apart and given back by {@linkcode encodeDocument}. */
export interface JsonDocument {
  readonly path: string;
  readonly bom: string;
  readonly text: string;
  readonly root: JsonNode;
}

const BOM = "\ufeff";

/** Line and column, both from 1, of an offset. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  return { line, column: offset - (before.lastIndexOf("\n") + 1) + 1 };
}

/** An `invalid-config` error at an offset of a document's text. */
export function faultAt(path: string, text: string, offset: number, state: string): InstallError {
  const { line, column } = placeOf(text, offset);
  return new InstallError({
    code: "invalid-config",
    message: `Cannot edit ${path}:${line}:${column}: ${state}`,
    fix: `Correct line ${line} of ${path}, then run the command again`,
    path,
    line,
    column,
  });
}

const FAULTS: Readonly<Record<string, string>> = {
  InvalidSymbol: "an unknown word",
  InvalidNumberFormat: "a number that is not valid",
  PropertyNameExpected: "a property name is missing",
  ValueExpected: "a value is missing",
  ColonExpected: "a colon is missing",
  CommaExpected: "a comma is missing",
  CloseBraceExpected: "a closing brace is missing",
  CloseBracketExpected: "a closing bracket is missing",
  EndOfFileExpected: "text after the end of the document",
  InvalidCommentToken: "a comment that is not valid",
  UnexpectedEndOfComment: "a comment is not closed",
  UnexpectedEndOfString: "a string is not closed",
  UnexpectedEndOfNumber: "a number is not complete",
  InvalidUnicode: "an escape that is not valid",
  InvalidEscapeCharacter: "an escape that is not valid",
  InvalidCharacter: "a character that is not valid in a string",
};

/**
 * Parses the text of `path`. Comments and trailing commas are accepted, because hosts accept them.
 *
 * @throws {InstallError} `invalid-config` when it is not JSON, or when its root is no object.
 */
export function parseDocument(path: string, whole: string): JsonDocument {
  const bom = whole.startsWith(BOM) ? BOM : "";
  const text = whole.slice(bom.length);
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const first = errors[0];
  if (first !== undefined || root === undefined) {
    const name = first === undefined ? "ValueExpected" : printParseErrorCode(first.error);
    throw faultAt(path, text, first?.offset ?? 0, `not valid JSON, ${FAULTS[name] ?? name}`);
  }
  if (root.type !== "object") {
    throw faultAt(path, text, root.offset, `an object is expected, not ${nameOfType(root)}`);
  }
  return { path, bom, text, root };
}

/** `a string`, `an array` and so on, for messages. */
export function nameOfType(node: JsonNode): string {
  return /^[aeiou]/.test(node.type)
    ? `an ${node.type}`
    : node.type === "null"
    ? "null"
    : `a ${node.type}`;
}

/** The text as it goes to disk. */
export function encodeDocument(bom: string, text: string): string {
  return bom + text;
}

/** The value under `key`; of repeated keys the last counts, as for `JSON.parse`. */
export function memberOf(object: JsonNode, key: string): JsonNode | undefined {
  return propertyOf(object, key)?.children?.[1];
}

/** The property node (key and value) under `key`. */
export function propertyOf(object: JsonNode, key: string): JsonNode | undefined {
  return object.children?.findLast((property) => property.children?.[0]?.value === key);
}

/** The value at `path`, through objects only. */
export function nodeAt(root: JsonNode, path: readonly string[]): JsonNode | undefined {
  let node: JsonNode | undefined = root;
  for (const key of path) {
    if (node?.type !== "object") return undefined;
    node = memberOf(node, key);
  }
  return node;
}

/** Offset just after a node. */
export function endOf(node: JsonNode): number {
  return node.offset + node.length;
}
