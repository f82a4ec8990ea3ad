/**
 * Reads a question into the words to look for. Pure.
 *
 * @module
 */
import { isPairToken, tokenise } from "../text/tokenise.ts";
import { isChineseStop } from "../text/stop_words.ts";

/** Distinct words of a question that are looked up; a long one keeps its beginning and its end. */
const MOST_TERMS = 96;
const FROM_START = 64;

/** What is asked. */
export interface Question {
  /** Distinct tokens in order, function words left out; at most {@linkcode MOST_TERMS}. */
  readonly terms: readonly string[];
  readonly hasChinese: boolean;
}

/** Reads a question of any length. */
export function readQuestion(text: string): Question {
  const distinct = [...new Set(tokenise(text))].filter((token) => !isChineseStop(token));
  return {
    terms: distinct.length <= MOST_TERMS
      ? distinct
      : [...distinct.slice(0, FROM_START), ...distinct.slice(FROM_START - MOST_TERMS)],
    hasChinese: distinct.some(isPairToken),
  };
}

/** Terms matched at most; which of them a passage holds fits one number. */
export const MOST_MATCHED = 30;

/**
 * Those that occur, rarest first, until the budget is spent; always at least one. Never cut by a
 * share of the corpus: in a small store that would throw the names away.
 */
export function chooseRarest<T>(
  words: readonly T[],
  frequencyOf: (word: T) => number,
  budget: number,
): T[] {
  const known = words.map((word) => ({ word, frequency: frequencyOf(word) }))
    .filter(({ frequency }) => frequency > 0).sort((a, b) => a.frequency - b.frequency);
  const chosen: T[] = [];
  let spent = 0;
  for (const { word, frequency } of known) {
    spent += frequency;
    if (chosen.length > 0 && (spent > budget || chosen.length === MOST_MATCHED)) break;
    chosen.push(word);
  }
  return chosen;
}

/** A stretch of the question and what to look for in its stead. */
export interface Translation {
  /** Tokens of the question that this stands for. */
  readonly from: readonly string[];
  /** Words of the other language: English stems, or the pairs of a Chinese word joined by `+`. */
  readonly to: readonly string[];
}

/** One translated word: the tokens that must all be there, and the terms it stands for. */
export interface Alternative {
  readonly tokens: readonly string[];
  readonly terms: readonly string[];
}

/** Every translated word once, with all the terms it stands for. */
export function toAlternatives(translations: readonly Translation[]): Alternative[] {
  const out = new Map<string, { tokens: readonly string[]; terms: string[] }>();
  for (const { from, to } of translations) {
    for (const word of to) {
      const known = out.get(word);
      if (known === undefined) out.set(word, { tokens: word.split("+"), terms: [...from] });
      else known.terms.push(...from);
    }
  }
  return [...out.values()];
}
