/**
 * One look-up from text to items: question, translation, scope, ranking, windows.
 *
 * @module
 */
import type { Call, Owner } from "../store/store.ts";
import type { Translation } from "../text/glossary.ts";
import type { Question } from "./question.ts";
import type { SearchFilters } from "./request.ts";
import type { Item } from "./assemble.ts";
import { findOwner } from "../store/store.ts";
import { readQuestion } from "./question.ts";
import { readScope } from "./scope.ts";
import { type SearchDepth, searchPassages } from "./retrieve.ts";
import { showItems } from "./assemble.ts";

/** How a look-up is shown and narrowed beyond its filters. */
export interface LookUpOptions {
  /** Only the acting peer's passages and those of no peer. */
  readonly actorOnly: boolean;
  /** Session whose live messages are left out. */
  readonly session: string | undefined;
  /** Tokens of an item's text. */
  readonly tokens: number;
  readonly depth: SearchDepth;
}

/** What to look for in the other language; the glossary is loaded only when it can matter. */
async function translate(
  owner: Owner,
  question: Question,
  text: string,
): Promise<readonly Translation[]> {
  if (!question.hasChinese && !owner.hasChinese) return [];
  const { toChinese, toEnglish } = await import("../text/glossary.ts");
  return [
    ...(question.hasChinese ? toEnglish(text) : []),
    ...(owner.hasChinese ? toChinese(question.terms) : []),
  ];
}

/**
 * Looks up; the items are read as the caller asks for them, best first. None when nothing was ever
 * stored or nothing matches.
 */
export async function lookUp(
  call: Call,
  filters: SearchFilters,
  options: LookUpOptions,
): Promise<Iterable<Item>> {
  const { store, identity } = call;
  const owner = findOwner(store, identity);
  if (owner === undefined) return [];
  const question = readQuestion(filters.query);
  if (question.terms.length === 0) return [];
  const ranked = searchPassages(
    store,
    owner,
    question,
    await translate(owner, question, filters.query),
    readScope(call, owner, filters, options.actorOnly, options.session),
    options.depth,
  );
  return above(showItems(store, identity, ranked, options.tokens), filters.threshold);
}

function* above(items: Iterable<Item>, threshold: number | undefined): Generator<Item> {
  for (const item of items) if (threshold === undefined || item.score >= threshold) yield item;
}
