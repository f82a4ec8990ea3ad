/**
 * Reads JSON with comments, trailing commas and a byte order mark.
 *
 * Kept by hand because hooks read configuration: plain JSON goes to `JSON.parse`, and only what that
 * refuses is read here, for its comments or for the place of its fault.
 *
 * @module
 */
import type { Json, JsonObject } from "../runtime/types.ts";

/** A value, or where reading stopped (both counted from 1) and why. */
export type JsoncResult =
  | { readonly ok: true; readonly value: Json }
  | {
    readonly ok: false;
    readonly line: number;
    readonly column: number;
    readonly message: string;
  };

/** Nesting beyond which a text is refused. */
const MAX_DEPTH = 200;

class JsoncFault extends Error {}

/** Position in a text that is being read. */
interface Cursor {
  readonly text: string;
  at: number;
}

function skipSpace(cursor: Cursor): void {
  const { text } = cursor;
  for (;;) {
    const char = text.charCodeAt(cursor.at);
    if (char === 0x20 || char === 0x0a || char === 0x0d || char === 0x09) {
      cursor.at++;
    } else if (char === 0x2f && text.charCodeAt(cursor.at + 1) === 0x2f) {
      const end = text.indexOf("\n", cursor.at);
      cursor.at = end === -1 ? text.length : end;
    } else if (char === 0x2f && text.charCodeAt(cursor.at + 1) === 0x2a) {
      const end = text.indexOf("*/", cursor.at + 2);
      if (end === -1) throw new JsoncFault("a comment is not closed");
      cursor.at = end + 2;
    } else {
      return;
    }
  }
}

function fault(cursor: Cursor): JsoncFault {
  const char = cursor.text.charAt(cursor.at);
  return new JsoncFault(
    char === "" ? "the text ends too early" : `${JSON.stringify(char)} is unexpected`,
  );
}

function readString(cursor: Cursor): string {
  const start = cursor.at;
  const { text } = cursor;
  for (let at = start + 1; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x5c) {
      at++;
    } else if (char === 0x22) {
      try {
        const value = JSON.parse(text.slice(start, at + 1)) as string;
        cursor.at = at + 1;
        return value;
      } catch {
        throw new JsoncFault("a string holds an invalid character or escape");
      }
    } else if (char === 0x0a) {
      break;
    }
  }
  throw new JsoncFault("a string is not closed");
}

function readScalar(cursor: Cursor): Json {
  const scalar = /[-+.\w]*/y;
  scalar.lastIndex = cursor.at;
  const word = scalar.exec(cursor.text)?.[0] ?? "";
  if (word === "") throw fault(cursor);
  try {
    const value = JSON.parse(word) as Json;
    cursor.at += word.length;
    return value;
  } catch {
    throw new JsoncFault(`${JSON.stringify(word.slice(0, 40))} is no JSON value`);
  }
}

/** Moves past `separator` or the closing `end`; true when the container goes on. */
function goesOn(cursor: Cursor, end: string): boolean {
  skipSpace(cursor);
  const char = cursor.text.charAt(cursor.at);
  if (char === ",") {
    cursor.at++;
    skipSpace(cursor);
    if (cursor.text.charAt(cursor.at) !== end) return true;
  } else if (char !== end) {
    throw fault(cursor);
  }
  cursor.at++;
  return false;
}

/** Moves past the opening character; true when the container is not empty. */
function opens(cursor: Cursor, end: string): boolean {
  cursor.at++;
  skipSpace(cursor);
  if (cursor.text.charAt(cursor.at) !== end) return true;
  cursor.at++;
  return false;
}

function readObject(cursor: Cursor, depth: number): JsonObject {
  const object: JsonObject = {};
  if (!opens(cursor, "}")) return object;
  do {
    if (cursor.text.charAt(cursor.at) !== '"') throw fault(cursor);
    const key = readString(cursor);
    skipSpace(cursor);
    if (cursor.text.charAt(cursor.at) !== ":") throw fault(cursor);
    cursor.at++;
    const value = readValue(cursor, depth);
    // defined, not assigned: `__proto__` is a key like any other
    Object.defineProperty(object, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  } while (goesOn(cursor, "}"));
  return object;
}

function readArray(cursor: Cursor, depth: number): Json[] {
  const items: Json[] = [];
  if (!opens(cursor, "]")) return items;
  do items.push(readValue(cursor, depth)); while (goesOn(cursor, "]"));
  return items;
}

function readValue(cursor: Cursor, depth: number): Json {
  if (depth > MAX_DEPTH) throw new JsoncFault("it is nested too deeply");
  skipSpace(cursor);
  switch (cursor.text.charAt(cursor.at)) {
    case "{":
      return readObject(cursor, depth + 1);
    case "[":
      return readArray(cursor, depth + 1);
    case '"':
      return readString(cursor);
    default:
      return readScalar(cursor);
  }
}

function readDocument(text: string): JsoncResult {
  const cursor: Cursor = { text, at: 0 };
  try {
    const value = readValue(cursor, 0);
    skipSpace(cursor);
    if (cursor.at < text.length) throw fault(cursor);
    return { ok: true, value };
  } catch (error) {
    if (!(error instanceof JsoncFault)) throw error;
    const before = text.slice(0, cursor.at).split("\n");
    return {
      ok: false,
      line: before.length,
      column: (before.at(-1)?.length ?? 0) + 1,
      message: error.message,
    };
  }
}

/** Reads `text`; never throws. */
export function parseJsonc(text: string): JsoncResult {
  const plain = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  try {
    return { ok: true, value: JSON.parse(plain) as Json };
  } catch {
    return readDocument(plain);
  }
}

/** True for a JSON object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
