/**
 * The part of a long text that a question is about.
 *
 * @module
 */
import { cutToTokens, estimateTokens } from "./tokens.ts";

const MARK = "…";

/** Distinct words of three letters and more, and pairs of CJK characters. */
function termsOf(query: string): string[] {
  const lower = query.toLowerCase();
  const terms = new Set(lower.match(/[a-z0-9_]{3,}/g) ?? []);
  for (const run of lower.match(/[\u3040-\u30ff\u3400-\u9fff]+/g) ?? []) {
    for (let at = 0; at + 1 < run.length; at++) terms.add(run.slice(at, at + 2));
  }
  return [...terms].slice(0, 64);
}

/** Lines; a long one in sentences. */
function unitsOf(text: string): string[] {
  return text.split("\n").flatMap((line) =>
    line.length <= 300
      ? [`${line}\n`]
      : `${line}\n`.match(/[\s\S]{1,300}?(?:[.!?。！？]\s*|\n|$)|[\s\S]{1,300}/g) ?? []
  );
}

/**
 * `text` itself when it fits into `tokens`; else the run of lines or sentences with the most words of
 * `query`, its head when there are none. `…` marks what is left out on either side.
 */
export function excerpt(text: string, query: string, tokens: number): string {
  if (estimateTokens(text) <= tokens) return text;
  const units = unitsOf(text);
  const terms = termsOf(query);
  const found = units.map((unit) => {
    const lower = unit.toLowerCase();
    return terms.filter((term) => lower.includes(term)).length;
  });
  const centre = found.indexOf(Math.max(...found.slice(0, 20_000)));
  const room = tokens - 2;
  let used = estimateTokens(units[centre] ?? "");
  if (used > room) {
    return `${centre > 0 ? MARK : ""}${cutToTokens(units[centre] ?? "", room).trim()}${MARK}`;
  }
  let from = centre;
  let to = centre;
  for (;;) {
    const before = from > 0 ? found[from - 1] ?? 0 : -1;
    const after = to + 1 < units.length ? found[to + 1] ?? 0 : -1;
    if (before < 0 && after < 0) break;
    const next = before > after ? from - 1 : to + 1;
    const cost = estimateTokens(units[next] ?? "");
    if (used + cost > room) break;
    used += cost;
    if (next < from) from = next;
    else to = next;
  }
  const window = units.slice(from, to + 1).join("").trim();
  return `${from > 0 ? MARK : ""}${window}${to + 1 < units.length ? MARK : ""}`;
}
