/**
 * What stands between the tokens of a JSON text: blanks, comments and commas.
 *
 * @module
 */

/** A comment between two tokens. */
interface Comment {
  readonly kind: "line" | "block";
  readonly start: number;
  /** Just after it; the line break after a line comment is not part of it. */
  readonly end: number;
}

/** Comments from `from` on, and where the next token begins. */
function readGap(text: string, from: number): { comments: Comment[]; next: number } {
  const comments: Comment[] = [];
  let at = from;
  for (;;) {
    while (/[ \t\r\n]/.test(text.charAt(at))) at++;
    const start = at;
    if (text.startsWith("//", at)) {
      const length = text.slice(at).search(/[\r\n]/);
      at = length === -1 ? text.length : at + length;
      comments.push({ kind: "line", start, end: at });
    } else if (text.startsWith("/*", at)) {
      const close = text.indexOf("*/", at + 2);
      at = close === -1 ? text.length : close + 2;
      comments.push({ kind: "block", start, end: at });
    } else {
      return { comments, next: at };
    }
  }
}

/** Offset of the comma between `from` and the next token; -1 when there is none. */
export function commaAfter(text: string, from: number): number {
  const { next } = readGap(text, from);
  return text.charAt(next) === "," ? next : -1;
}

/** End of the comments that begin on the line of `from`, and whether one runs to the line's end. */
export function afterComments(
  text: string,
  from: number,
): { readonly at: number; readonly lineComment: boolean } {
  let at = from;
  for (const { kind, start, end } of readGap(text, from).comments) {
    if (text.slice(at, start).includes("\n")) break;
    at = end;
    if (kind === "line") return { at, lineComment: true };
    if (text.slice(start, end).includes("\n")) break;
  }
  return { at, lineComment: false };
}

/** End of the last comment between `from` and the token at `to`; `from` without one. */
export function lastCommentEnd(text: string, from: number, to: number): number {
  const before = readGap(text, from).comments.filter(({ start }) => start < to);
  return before.at(-1)?.end ?? from;
}

/** `text` with `[from, to)` replaced. */
export function splice(text: string, from: number, to: number, replacement: string): string {
  return text.slice(0, from) + replacement + text.slice(to);
}
