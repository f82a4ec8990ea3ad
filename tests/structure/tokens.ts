/**
 * Splits TypeScript into tokens, as far as the structure rules need it: comments and the insides of
 * strings never look like code, and every token knows its line.
 *
 * @module
 */

/** What a token is. A template literal yields its texts as `template` tokens and its expressions as tokens. */
export type TokenKind = "name" | "string" | "template" | "number" | "regex" | "punctuation";

/** One token. `text` of strings and templates is what stands between the quotes. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** Counted from 1. */
  readonly line: number;
}

const NAME_START = /[\p{ID_Start}_$#]/u;
const NAME_PART = /[\p{ID_Continue}$\u200c\u200d]/u;

/** Keywords after which a slash begins a regular expression. */
const BEFORE_EXPRESSION: ReadonlySet<string> = new Set([
  "return",
  "typeof",
  "case",
  "in",
  "of",
  "delete",
  "void",
  "instanceof",
  "new",
  "do",
  "else",
  "yield",
  "await",
  "throw",
]);

/** Reads `source`; throws a `SyntaxError` with the line where a string, comment or pattern does not end. */
export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  /** Depth of braces at which each open template literal goes on. */
  const templates: number[] = [];
  let depth = 0;
  let line = 1;
  let at = 0;

  function add(kind: TokenKind, text: string, from = line): void {
    tokens.push({ kind, text, line: from });
  }
  function fail(what: string, from: number): never {
    throw new SyntaxError(`Cannot read line ${from}: ${what} does not end`);
  }
  function skipTo(end: number): void {
    for (; at < end; at++) if (source[at] === "\n") line++;
  }
  function readTemplate(): void {
    const from = line;
    const start = at;
    for (; at < source.length; at++) {
      const c = source[at];
      if (c === "\\") at++;
      else if (c === "`") {
        add("template", source.slice(start, at), from);
        at++;
        return;
      } else if (c === "$" && source[at + 1] === "{") {
        add("template", source.slice(start, at), from);
        add("punctuation", "${");
        at += 2;
        templates.push(depth++);
        return;
      }
      if (source[at] === "\n") line++;
    }
    fail("a template", from);
  }
  function readString(quote: string): void {
    const start = ++at;
    for (; at < source.length && source[at] !== quote; at++) {
      if (source[at] === "\n") fail("a string", line);
      if (source[at] === "\\") {
        at++;
        if (source[at] === "\n") line++;
      }
    }
    if (at >= source.length) fail("a string", line);
    add("string", source.slice(start, at++));
  }
  function readRegex(): void {
    const start = at++;
    for (let inClass = false; at < source.length; at++) {
      const c = source[at];
      if (c === "\n") break;
      if (c === "\\") at++;
      else if (c === "[") inClass = true;
      else if (c === "]") inClass = false;
      else if (c === "/" && !inClass) {
        at++;
        while (NAME_PART.test(source[at] ?? "")) at++;
        add("regex", source.slice(start, at));
        return;
      }
    }
    fail("a regular expression", line);
  }

  if (source.startsWith("#!")) at = Math.max(source.indexOf("\n"), 0);
  while (at < source.length) {
    const c = source[at] as string;
    const next = source[at + 1];
    if (c === "\n") {
      line++;
      at++;
    } else if (/\s|\ufeff/.test(c)) {
      at++;
    } else if (c === "/" && next === "/") {
      const end = source.indexOf("\n", at);
      at = end < 0 ? source.length : end;
    } else if (c === "/" && next === "*") {
      const end = source.indexOf("*/", at + 2);
      if (end < 0) fail("a comment", line);
      skipTo(end + 2);
    } else if (c === '"' || c === "'") {
      readString(c);
    } else if (c === "`") {
      at++;
      readTemplate();
    } else if (c === "/" && beginsExpression(tokens.at(-1))) {
      readRegex();
    } else if (NAME_START.test(c)) {
      const start = at++;
      while (NAME_PART.test(source[at] ?? "")) at++;
      add("name", source.slice(start, at));
    } else if (/[0-9]/.test(c)) {
      const start = at++;
      while (/[\w.]/.test(source[at] ?? "")) at++;
      add("number", source.slice(start, at));
    } else {
      if (c === "{") depth++;
      if (c === "}" && templates.at(-1) === --depth) {
        templates.pop();
        add("punctuation", "}");
        at++;
        readTemplate();
        continue;
      }
      add("punctuation", c);
      at++;
    }
  }
  if (templates.length > 0) fail("a template", line);
  return tokens;
}

/** True where an expression can begin, so that a slash there is not a division. */
function beginsExpression(previous: Token | undefined): boolean {
  if (previous === undefined) return true;
  if (previous.kind === "name") return BEFORE_EXPRESSION.has(previous.text);
  if (previous.kind === "punctuation") return !")]}".includes(previous.text);
  return false;
}
