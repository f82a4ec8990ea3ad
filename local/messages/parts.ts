/**
 * Message parts: what is accepted, what is stored, and what it weighs. As server 0.5.2, except that
 * parts on which it fails with 500 are refused with 400 here.
 *
 * @module
 */
import type { StoredPart } from "./message_row.ts";
import { tokenWeight } from "../text/tokens.ts";
import { invalidArgument, RouteError, validationError } from "../wire.ts";
import { readUri } from "../uri.ts";
import type { Identity } from "../identity.ts";

/** Characters of one text that the server takes. */
const LONGEST_TEXT = 4_194_304;
/** Levels of nesting that the server takes. */
const DEEPEST = 32;

/** Refuses what the server refuses: half a surrogate pair, and texts beyond its limit. */
export function checkedText(text: string): string {
  if (text.length > LONGEST_TEXT) throw invalidArgument("Session privacy text limit exceeded");
  if (!text.isWellFormed()) {
    const at = [...text].findIndex((character) => !character.isWellFormed());
    const code = [...text][at]?.charCodeAt(0).toString(16);
    throw invalidArgument(
      `'utf-8' codec can't encode character '\\u${code}' in position ${at}: surrogates not allowed`,
    );
  }
  return text;
}

function checkDepth(value: unknown, depth: number): void {
  if (depth > DEEPEST) throw invalidArgument("Session privacy structure limit exceeded");
  if (typeof value === "string") checkedText(value);
  if (typeof value !== "object" || value === null) return;
  for (const inner of Object.values(value)) checkDepth(inner, depth + 1);
}

/** A text field of a part; the server answers 500 when it is not a text. */
function partText(
  part: Record<string, unknown>,
  key: string,
  loc: readonly string[],
  fallback = "",
): string {
  const value = part[key];
  if (value === undefined) return fallback;
  if (typeof value !== "string") {
    throw validationError([...loc, key], "Input should be a valid string", "string_type");
  }
  return checkedText(value);
}

function toolPart(
  part: Record<string, unknown>,
  loc: readonly string[],
  identity: Identity,
): StoredPart {
  for (const key of ["tool_uri", "skill_uri"]) {
    if (typeof part[key] === "string" && part[key] !== "") readUri(part[key], identity);
  }
  const input = part["tool_input"];
  if (input === null) {
    throw validationError([...loc, "tool_input"], "Input should be an object", "dict_type");
  }
  checkDepth(input, 1);
  const output = partText(part, "tool_output", loc);
  const numbers: Record<string, number> = {};
  for (const key of ["duration_ms", "prompt_tokens", "completion_tokens"]) {
    if (typeof part[key] === "number") numbers[key] = part[key];
  }
  const empty = input === undefined || input === "" ||
    (typeof input === "object" && Object.keys(input).length === 0);
  return {
    type: "tool",
    tool_id: partText(part, "tool_id", loc),
    tool_name: partText(part, "tool_name", loc),
    tool_uri: partText(part, "tool_uri", loc),
    skill_uri: partText(part, "skill_uri", loc),
    tool_status: partText(part, "tool_status", loc, "pending"),
    ...(empty ? {} : { tool_input: input }),
    ...(output === "" ? {} : { tool_output: output }),
    ...numbers,
  };
}

function imagePart(part: Record<string, unknown>): StoredPart {
  const given = part["image_url"];
  const url = typeof given === "string" ? given : (given as { url?: unknown } | null)?.url;
  if (typeof url !== "string" || url === "") {
    throw new RouteError(400, "INVALID_ARGUMENT", "image_url part requires a non-empty URL", {
      lean: true,
    });
  }
  checkDepth(given, 1);
  return { type: "image_url", image_url: typeof given === "string" ? { url } : given };
}

/** How the server spells a part of an unknown type: Python's repr. */
function pythonRepr(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") {
    return `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  }
  if (Array.isArray(value)) return `[${value.map(pythonRepr).join(", ")}]`;
  if (typeof value === "object") {
    const pairs = Object.entries(value).map(([key, inner]) =>
      `${pythonRepr(key)}: ${pythonRepr(inner)}`
    );
    return `{${pairs.join(", ")}}`;
  }
  return String(value);
}

/** Reads one part of a message. */
export function readPart(
  part: unknown,
  loc: readonly string[],
  identity: Identity,
): StoredPart {
  if (typeof part !== "object" || part === null || Array.isArray(part)) {
    throw validationError(loc, "Input should be a valid dictionary", "dict_type");
  }
  const fields = part as Record<string, unknown>;
  switch (fields["type"]) {
    case "text":
      return { type: "text", text: partText(fields, "text", loc) };
    case "tool":
      return toolPart(fields, loc, identity);
    case "image_url":
      return imagePart(fields);
    case "context":
      return {
        type: "context",
        uri: readUri(partText(fields, "uri", loc), identity).uri,
        context_type: partText(fields, "context_type", loc, "memory"),
        abstract: partText(fields, "abstract", loc),
      };
    default: {
      checkDepth(fields, 1);
      const text = typeof fields["text"] === "string"
        ? fields["text"]
        : "type" in fields
        ? pythonRepr(fields)
        : "";
      return { type: "text", text: checkedText(text) };
    }
  }
}

/** JSON with Python's spaces, for the estimate only. */
function spacedJson(value: unknown): string {
  return JSON.stringify(value, null, 1).replace(/\n\s*/g, " ").replace(/([[{]) /g, "$1").replace(
    / ([\]}])/g,
    "$1",
  );
}

/** Tokens of a message's parts, rounded up once. */
export function partsTokens(parts: readonly StoredPart[]): number {
  let sum = 0;
  for (const part of parts) {
    if (part.type === "text") sum += tokenWeight(String(part["text"]));
    else if (part.type === "context") sum += tokenWeight(String(part["abstract"]));
    else if (part.type === "tool") {
      sum += tokenWeight(`${part["tool_id"]}${part["tool_name"]}`);
      if (part["tool_input"] !== undefined) sum += tokenWeight(spacedJson(part["tool_input"]));
      if (part["tool_output"] !== undefined) sum += tokenWeight(String(part["tool_output"]));
    }
  }
  return Math.ceil(sum);
}
