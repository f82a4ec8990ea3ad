/**
 * Reads a question into the words to look for. Pure.
 *
 * @module
 */
import type { Translation } from "../text/glossary.ts";
import { isPairToken, tokenise } from "../text/tokenise.ts";
import { isChineseStop } from "../text/stop_words.ts";

/** Distinct words of a question that are looked up; a long one keeps its beginning and its end. */
const MOST_TERMS = 96;
const FROM_START = 64;

/** What is asked. */
export interface Question {
  /** Distinct tokens in order, function words left out. */
  readonly terms: readonly string[];
  /** Pairs of terms (by index) that stand side by side in the question. */
  readonly pairs: readonly (readonly [number, number])[];
  readonly hasChinese: boolean;
}

/** Reads a question of any length. */
export function readQuestion(text: string): Question {
  const tokens = tokenise(text).filter((token) => !isChineseStop(token));
  const distinct = [...new Set(tokens)];
  const terms = distinct.length <= MOST_TERMS
    ? distinct
    : [...distinct.slice(0, FROM_START), ...distinct.slice(FROM_START - MOST_TERMS)];
  const place = new Map(terms.map((term, at) => [term, at]));
  const pairs: (readonly [number, number])[] = [];
  for (let at = 1; at < tokens.length; at++) {
    const left = place.get(tokens[at - 1] ?? "");
    const right = place.get(tokens[at] ?? "");
    if (left !== undefined && right !== undefined && left !== right) pairs.push([left, right]);
  }
  return { terms, pairs, hasChinese: terms.some(isPairToken) };
}

/** Postings one query may touch; what a common word costs at a million messages. */
export const POSTING_BUDGET = 60_000;
const MOST_MATCHED = 64;

/** The terms to match, rarest first, until the budget is spent; always at least one that occurs. */
export function chooseTerms(
  terms: readonly string[],
  frequency: ReadonlyMap<string, number>,
  budget: number = POSTING_BUDGET,
): string[] {
  const known = terms.filter((term) => (frequency.get(term) ?? 0) > 0)
    .sort((a, b) => (frequency.get(a) ?? 0) - (frequency.get(b) ?? 0));
  const chosen: string[] = [];
  let spent = 0;
  for (const term of known) {
    spent += frequency.get(term) ?? 0;
    if (chosen.length > 0 && (spent > budget || chosen.length === MOST_MATCHED)) break;
    chosen.push(term);
  }
  return chosen;
}

/** Tokens of one translated word: a Chinese word of several characters is several pairs. */
export function translationTokens(word: string): string[] {
  return tokenise(word);
}

/** One alternative as the full-text table reads it; several tokens are a phrase. */
function quote(tokens: readonly string[]): string {
  return `"${tokens.join(" ")}"`;
}

/** Full-text expression: any of the terms, within some scopes when given. */
export function matchExpression(
  alternatives: readonly (readonly string[])[],
  scopes: readonly (readonly string[])[],
): string {
  const words = `{body} : (${alternatives.map(quote).join(" OR ")})`;
  const within = scopes.map((any) => `{scope} : (${any.map((one) => `"${one}"`).join(" OR ")})`);
  return [words, ...within].join(" AND ");
}

/** Alternatives of the second query: every translation, once. */
export function translationAlternatives(
  translations: readonly Translation[],
): (readonly string[])[] {
  const out = new Map<string, readonly string[]>();
  for (const { to } of translations) {
    for (const word of to) {
      const tokens = translationTokens(word);
      if (tokens.length > 0) out.set(tokens.join(" "), tokens);
    }
  }
  return [...out.values()].slice(0, MOST_MATCHED);
}
