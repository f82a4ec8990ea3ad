/**
 * What to look for in the other language, from the glossary in the memory file.
 *
 * @module
 */
import type { Owner, Store } from "../store/store.ts";
import type { Question, Translation } from "../ranking/question.ts";

/** Characters of the longest Chinese word in the glossary. */
const LONGEST = 6;
/** Characters of a Chinese question that are looked at. */
const MOST_CHARACTERS = 400;

function othersOf(store: Store, words: readonly string[]): Map<string, string[]> {
  const rows = store.sql(
    "SELECT g.word, g.others FROM json_each(?) j CROSS JOIN glossary g WHERE g.word = j.value",
  ).all(JSON.stringify(words));
  return new Map(rows.map((row) => [String(row["word"]), String(row["others"]).split(" ")]));
}

function isChinese(code: number): boolean {
  return code >= 0x4e00 && code <= 0x9fff;
}

/** Chinese words of the question, longest first, with their English stems. */
function toEnglish(store: Store, question: string): Translation[] {
  const text = question.slice(0, MOST_CHARACTERS);
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at++) {
    if (!isChinese(text.charCodeAt(at))) continue;
    for (let length = 2; length <= LONGEST; length++) {
      if (!isChinese(text.charCodeAt(at + length - 1))) break;
      pieces.push(text.slice(at, at + length));
    }
  }
  const known = othersOf(store, pieces);
  const out: Translation[] = [];
  for (let at = 0; at < text.length; at++) {
    for (let length = LONGEST; length > 1; length--) {
      const to = known.get(text.slice(at, at + length));
      if (to === undefined) continue;
      const from: string[] = [];
      for (let pair = at; pair + 1 < at + length; pair++) from.push(text.slice(pair, pair + 2));
      out.push({ from, to });
      at += length - 1;
      break;
    }
  }
  return out;
}

/** Translations of a question into the languages that the owner's memory holds. */
export function translateQuestion(
  store: Store,
  owner: Owner,
  question: Question,
  text: string,
): Translation[] {
  const out = question.hasChinese ? toEnglish(store, text) : [];
  if (owner.hasChinese) {
    const words = question.terms.filter((term) => term.charCodeAt(0) < 128);
    for (const [word, to] of othersOf(store, words)) out.push({ from: [word], to });
  }
  return out;
}
