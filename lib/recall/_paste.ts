/**
 * What a person wrote around a long paste.
 *
 * @module
 */
import { cutEnds } from "./_cut.ts";

/** Texts up to this many characters are taken whole: what they quote is part of the question. */
const WHOLE = 1500;
const PROSE = 3000;
const TELLING_LINES = 5;
const LINE = 200;

const FENCE = /^\s*(?:```|~~~)/;
const LOG_LINE =
  /^\s*(?:\[?\d{4}-\d\d-\d\d[T ]|\[?\d{1,2}:\d\d:\d\d|\[?(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL)\b|at \S|File "|[+-]{3} |@@ |\d+\s*\|)/;
const TELLING = /error|exception|fail|panic|fatal|cannot|denied|refused|not found|timed? ?out/i;

/** Which lines stand in a closed code fence, the fences included. */
function fenced(lines: readonly string[]): boolean[] {
  const inside = lines.map(() => false);
  const marks = lines.flatMap((line, at) => FENCE.test(line) ? [at] : []);
  for (let pair = 0; pair + 1 < marks.length; pair += 2) {
    inside.fill(true, marks[pair], (marks[pair + 1] ?? 0) + 1);
  }
  return inside;
}

/** What a line looks like when its numbers do not count: log lines repeat it. */
function shapeOf(line: string): string {
  return line.trim().replace(/[0-9a-f]{6,}|\d+/gi, "0").slice(0, 24);
}

function looksLikeCode(line: string): boolean {
  if (line.length > 500) return true;
  const marks = line.match(/[{}()[\];=<>|\\/"'`:,]/g)?.length ?? 0;
  return marks > 4 && marks / line.length > 0.15;
}

/**
 * Keeps what a person wrote around a long paste: lines of logs and code go, but for a few that tell
 * of an error. A text that is all paste keeps its ends.
 */
export function reducePaste(text: string): string {
  if (text.length <= WHOLE) return text;
  const lines = text.split("\n");
  const inFence = fenced(lines);
  const shapes = new Map<string, number>();
  for (const line of lines) {
    const shape = shapeOf(line);
    if (shape !== "") shapes.set(shape, (shapes.get(shape) ?? 0) + 1);
  }
  const prose: string[] = [];
  const telling = new Map<string, string>();
  lines.forEach((line, at) => {
    const noise = inFence[at] || LOG_LINE.test(line) || looksLikeCode(line) ||
      (shapes.get(shapeOf(line)) ?? 0) >= 4;
    if (!noise) prose.push(line);
    else if (telling.size < TELLING_LINES && TELLING.test(line.slice(0, 1000))) {
      const shape = shapeOf(line);
      if (!telling.has(shape)) telling.set(shape, line.trim().slice(0, LINE));
    }
  });
  const said = prose.join("\n").trim();
  const kept = /\p{L}/u.test(said) ? cutEnds(said, PROSE) : cutEnds(text.trim(), PROSE);
  return [kept, ...telling.values()].join("\n");
}
