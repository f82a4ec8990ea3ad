/**
 * The statements of a search: who holds which word, where those passages lie, and what ranked best.
 *
 * @module
 */
import type { SqlValue } from "../../lib/runtime/types.ts";
import type { Owner, Store } from "../store/store.ts";
import type { Alternative, Question, Translation } from "../ranking/question.ts";
import type { Hit, Ranked } from "../ranking/rank.ts";
import { indexName, vocabularyName } from "../store/layout.ts";
import { chooseRarest, MOST_MATCHED, toAlternatives } from "../ranking/question.ts";
import {
  bestOf,
  intersect,
  type Postings,
  type Tally,
  tally,
  tallyMore,
} from "../ranking/candidates.ts";
import { inverseFrequency, rankHits } from "../ranking/rank.ts";

/** Passages looked at, at most, to find that many inside a narrow scope. */
const DEEPEST = 20_000;
/** A word in at least this many passages is counted before it is read. */
const COMMON = 8000;

/** How thoroughly a search looks. */
export interface SearchDepth {
  /** Passages read for ranking, for the question's own words and for their translations each. */
  readonly hits: number;
  /** Postings that the question's words may cost together. */
  readonly postings: number;
}

/** For a person or a model who asked and waits. */
export const THOROUGH: SearchDepth = { hits: 200, postings: 60_000 };
/** For the prompt hook, which runs cold: latency sets these; quality is the same within the noise. */
export const QUICK: SearchDepth = { hits: 80, postings: 30_000 };

/** What a search may look at. */
export interface SearchScope {
  /** Conditions on the row (`p` passage, `f` file), with their values. */
  readonly conditions: readonly string[];
  readonly values: readonly SqlValue[];
  /** Row id of the asking peer. */
  readonly peer: number | undefined;
}

/** Reads which passages hold a token. */
interface PostingReader {
  /** In how many passages it stands. */
  frequency(token: string): number;
  /** Their ids, ascending. */
  ids(token: string): readonly number[];
}

function openPostings(store: Store, owner: number, budget: number): PostingReader {
  const index = indexName(owner);
  // One text value: a row per passage would cost ten times as much.
  const select = store.sql(
    `SELECT json_group_array(r) AS ids FROM (SELECT rowid AS r FROM ${index} WHERE ${index} MATCH ? LIMIT ?)`,
  );
  const read = (token: string, limit: number): number[] =>
    JSON.parse(String(select.get(`"${token}"`, limit)?.["ids"])) as number[];
  const known = new Map<string, { ids: number[]; frequency: number }>();
  const look = (token: string): { ids: number[]; frequency: number } => {
    let entry = known.get(token);
    if (entry === undefined) {
      const ids = read(token, COMMON);
      entry = { ids, frequency: ids.length };
      if (ids.length === COMMON) {
        const row = store.sql(`SELECT doc FROM ${vocabularyName(owner)} WHERE term = ?`).get(token);
        entry.frequency = Number(row?.["doc"] ?? COMMON);
      }
      known.set(token, entry);
    }
    return entry;
  };
  return {
    frequency: (token) => look(token).frequency,
    ids(token) {
      const entry = look(token);
      if (entry.ids.length < entry.frequency) entry.ids = read(token, budget);
      return entry.ids;
    },
  };
}

/** What a passage holds of either list. */
function heldBy(
  passage: number,
  words: Tally,
  translated: Tally,
): Pick<Hit, "words" | "mask" | "translated" | "translatedMask"> {
  const own = words.places.get(passage) ?? -1;
  const foreign = translated.places.get(passage) ?? -1;
  return {
    words: words.sums[own] ?? 0,
    mask: words.masks[own] ?? 0,
    translated: translated.sums[foreign] ?? 0,
    translatedMask: translated.masks[foreign] ?? 0,
  };
}

/** Passages by id with what they hold. */
function readHits(
  store: Store,
  ids: readonly number[],
  scope: SearchScope,
  words: Tally,
  translated: Tally,
): Hit[] {
  const where = scope.conditions.length === 0
    ? ""
    : `LEFT JOIN files f ON f.id = -p.source WHERE ${scope.conditions.join(" AND ")}`;
  const row = store.sql(
    `SELECT json_group_array(json_array(p.id, p.source, p.part, p.start, p.stop, p.length,
        p.created, coalesce(p.peer, 0))) AS hits
      FROM json_each(?) j CROSS JOIN passages p ON p.id = j.value ${where}`,
  ).get(JSON.stringify(ids), ...scope.values);
  const rows = JSON.parse(String(row?.["hits"])) as [
    passage: number,
    source: number,
    part: number,
    start: number,
    stop: number,
    length: number,
    created: number,
    peer: number,
  ][];
  return rows.map(([passage, source, part, start, stop, length, created, peer]) => ({
    passage,
    source,
    part,
    start,
    stop,
    length,
    created,
    peer,
    ...heldBy(passage, words, translated),
  }));
}

/** Postings that choose candidates; commoner words only add to those that rarer ones chose. */
const CHOOSING = 1500;

/** What the candidates of one list hold, and the places of the best. */
interface Chosen {
  readonly tally: Tally;
  readonly best: readonly number[];
}

/** Chooses by the rarest words, as many as {@linkcode CHOOSING} allows, and weighs by all. */
function choose(lists: readonly Postings[], limit: number): Chosen {
  let rare = 0;
  let spent = 0;
  while (rare < lists.length && (spent === 0 || spent + lists[rare]!.ids.length <= CHOOSING)) {
    spent += lists[rare++]!.ids.length;
  }
  const sums = tally(lists.slice(0, rare));
  if (rare === lists.length) return { tally: sums, best: bestOf(sums, limit) };
  const likely = bestOf(sums, limit * 2);
  tallyMore(lists.slice(rare), sums, likely);
  return { tally: sums, best: bestOf(sums, limit, likely) };
}

/** The best passages of both lists that lie in the scope. */
function gatherHits(
  store: Store,
  scope: SearchScope,
  hitLimit: number,
  words: readonly Postings[],
  translated: readonly Postings[],
): Hit[] {
  const isOpen = scope.conditions.length === 0;
  const limit = isOpen ? hitLimit : DEEPEST;
  const own = choose(words, limit);
  const foreign = choose(translated, limit);
  if (isOpen) {
    const ids = new Set<number>();
    for (const place of own.best) ids.add(own.tally.ids[place]!);
    for (const place of foreign.best) ids.add(foreign.tally.ids[place]!);
    return readHits(store, [...ids], scope, own.tally, foreign.tally);
  }
  const seen = new Set<number>();
  return [own, foreign].flatMap(({ tally: { ids, sums }, best }) => {
    const order = best.toSorted((a, b) => sums[b]! - sums[a]! || ids[b]! - ids[a]!)
      .map((place) => ids[place]!).filter((id) => !seen.has(id));
    const hits: Hit[] = [];
    let step = hitLimit;
    for (let from = 0; from < order.length && hits.length < hitLimit;) {
      const part = order.slice(from, from + step);
      for (const id of part) seen.add(id);
      hits.push(...readHits(store, part, scope, own.tally, foreign.tally));
      from += step;
      step *= 4;
    }
    return hits.slice(0, hitLimit);
  });
}

/** Terms in the order of their bits: matched ones first, then those known in translation only. */
function orderTerms(
  question: Question,
  matched: readonly string[],
  alternatives: readonly Alternative[],
  postings: PostingReader,
): string[] {
  const translated = new Set(alternatives.flatMap(({ terms }) => terms));
  const foreign = question.terms.filter((term) =>
    translated.has(term) && postings.frequency(term) === 0
  );
  return [...matched, ...foreign].slice(0, MOST_MATCHED);
}

/** Looks a question up and ranks what is found. */
export function searchPassages(
  store: Store,
  owner: Owner,
  question: Question,
  translations: readonly Translation[],
  scope: SearchScope,
  depth: SearchDepth,
): Ranked[] {
  const largestId = Number(store.sql("SELECT max(id) AS top FROM passages").get()?.["top"] ?? 0);
  const postings = openPostings(store, owner.id, depth.postings);
  const frequency = (token: string): number => postings.frequency(token);
  const matched = chooseRarest(question.terms, frequency, depth.postings);
  const alternatives = chooseRarest(
    toAlternatives(translations),
    ({ tokens }) => Math.min(...tokens.map(frequency)),
    depth.postings,
  );
  const terms = orderTerms(question, matched, alternatives, postings);
  const words = matched.map((token, at): Postings => ({
    ids: postings.ids(token),
    weight: inverseFrequency(frequency(token), largestId),
    mask: 1 << at,
  }));
  const translated = alternatives.map(({ tokens, terms: stands }): Postings => {
    const ids = tokens.map((token) => postings.ids(token)).reduce(intersect);
    let mask = 0;
    for (const term of stands) if (terms.includes(term)) mask |= 1 << terms.indexOf(term);
    return { ids, weight: inverseFrequency(ids.length, largestId), mask };
  });
  return rankHits({
    hits: gatherHits(store, scope, depth.hits, words, translated),
    // A word that only a translation can stand for counts half as much as one never seen would.
    terms: terms.map((term, at) =>
      inverseFrequency(frequency(term), largestId) / (at < matched.length ? 1 : 2)
    ),
    peer: scope.peer,
  });
}
