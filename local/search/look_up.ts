/**
 * One look-up from text to items: question, translation, ranking, windows.
 *
 * @module
 */
import type { Identity } from "../identity.ts";
import type { Owner, Store } from "../store/store.ts";
import type { Item } from "./assemble.ts";
import { readQuestion } from "../ranking/question.ts";
import { type SearchDepth, searchPassages, type SearchScope } from "./retrieve.ts";
import { showItems } from "./assemble.ts";
import { translateQuestion } from "./translate.ts";

/** How a look-up is done and shown. */
export interface LookUpOptions {
  /** Tokens of an item's text. */
  readonly tokens: number;
  readonly depth: SearchDepth;
  /** Items below this score are left out. */
  readonly threshold: number | undefined;
}

/** Looks up; the items are read as the caller asks for them, best first. */
export function* lookUp(
  store: Store,
  identity: Identity,
  owner: Owner,
  text: string,
  scope: SearchScope,
  options: LookUpOptions,
): Generator<Item> {
  const question = readQuestion(text);
  if (question.terms.length === 0) return;
  const translations = translateQuestion(store, owner, question, text);
  const ranked = searchPassages(store, owner, question, translations, scope, options.depth);
  for (const item of showItems(store, identity, ranked, options.tokens)) {
    if (options.threshold === undefined || item.score >= options.threshold) yield item;
  }
}
