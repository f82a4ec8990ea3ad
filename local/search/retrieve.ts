/**
 * The statements of a search: frequencies, hits, and the texts of what ranked best.
 *
 * @module
 */
import type { SqlRow, SqlValue } from "../../lib/runtime/types.ts";
import type { Owner, Store } from "../store/store.ts";
import type { StoredMessage } from "../store/messages.ts";
import type { StoredFile } from "../store/files.ts";
import type { Translation } from "../text/glossary.ts";
import type { Hit, Ranked } from "./rank.ts";
import type { Question } from "./question.ts";
import { indexName, SESSION_SPAN, vocabularyName } from "../schema.ts";
import { toStoredMessage } from "../store/messages.ts";
import { toStoredFile } from "../store/files.ts";
import {
  chooseTerms,
  matchExpression,
  POSTING_BUDGET,
  translationAlternatives,
  translationTokens,
} from "./question.ts";
import { rankHits } from "./rank.ts";

/** Passages taken from each full-text query. Latency sets it: 200 rows cost the prompt hook under a millisecond. */
export const HIT_LIMIT = 200;

/** What a search may look at. */
export interface SearchScope {
  /** Words of the index's `scope` column; one of each group must be there. */
  readonly words: readonly (readonly string[])[];
  /** More conditions on the row (`p` passage, `m` message, `f` file), with their values. */
  readonly conditions: readonly string[];
  readonly values: readonly SqlValue[];
  /** Row id of the asking peer. */
  readonly peer: number | undefined;
  /** Live messages of this session (ids at or above) are left out. */
  readonly liveFrom:
    | { readonly session: number; readonly id: number; readonly count: number }
    | undefined;
}

/** What was found, best first. */
export interface Found {
  readonly ranked: readonly Ranked[];
  readonly question: Question;
  readonly translations: readonly Translation[];
  readonly frequency: ReadonlyMap<string, number>;
  /** Passages in the index. */
  readonly passages: number;
}

function readFrequencies(
  store: Store,
  owner: number,
  terms: readonly string[],
): Map<string, number> {
  const rows = store.sql(
    `SELECT v.term AS term, v.doc AS doc FROM json_each(?) j CROSS JOIN ${
      vocabularyName(owner)
    } v WHERE v.term = j.value`,
  ).all(JSON.stringify(terms));
  return new Map(rows.map((row) => [String(row["term"]), Number(row["doc"])]));
}

function queryHits(
  store: Store,
  owner: number,
  expression: string,
  scope: SearchScope,
): SqlRow[] {
  const index = indexName(owner);
  const limit = HIT_LIMIT + Math.min(scope.liveFrom?.count ?? 0, 2 * HIT_LIMIT);
  const columns =
    "p.id, p.source, p.part, p.start, p.stop, p.tokens, m.peer, coalesce(m.created, f.updated) AS created";
  const joins =
    "JOIN passages p ON p.id = h.r LEFT JOIN messages m ON m.id = p.source LEFT JOIN files f ON f.id = -p.source";
  const ranked =
    `SELECT rowid AS r, rank AS s FROM ${index} WHERE ${index} MATCH ? AND rank MATCH 'bm25(1.0, 0.0)'`;
  if (scope.conditions.length === 0) {
    return store.sql(
      `SELECT ${columns}, h.s FROM (${ranked} ORDER BY rank LIMIT ?) h ${joins}`,
    ).all(expression, limit);
  }
  return store.sql(
    `SELECT ${columns}, h.s FROM (${ranked}) h ${joins} WHERE ${
      scope.conditions.join(" AND ")
    } ORDER BY h.s LIMIT ?`,
  ).all(expression, ...scope.values, limit);
}

function isLeftOut(source: number, scope: SearchScope): boolean {
  const live = scope.liveFrom;
  return live !== undefined && source >= live.id &&
    Math.floor(source / SESSION_SPAN) === live.session;
}

function mergeHits(
  words: readonly SqlRow[],
  translated: readonly SqlRow[],
  scope: SearchScope,
): Hit[] {
  const hits = new Map<number, Hit>();
  const add = (row: SqlRow, score: number, isTranslated: boolean): void => {
    const passage = Number(row["id"]);
    const source = Number(row["source"]);
    if (isLeftOut(source, scope)) return;
    const known = hits.get(passage);
    if (known !== undefined) {
      hits.set(passage, { ...known, translated: score });
      return;
    }
    hits.set(passage, {
      passage,
      source,
      part: Number(row["part"]),
      start: Number(row["start"]),
      stop: Number(row["stop"]),
      tokens: row["tokens"] as Uint8Array,
      created: Number(row["created"]),
      peer: Number(row["peer"] ?? 0),
      words: isTranslated ? 0 : score,
      translated: isTranslated ? score : 0,
    });
  };
  for (const row of words) add(row, -Number(row["s"]), false);
  for (const row of translated) add(row, -Number(row["s"]), true);
  return [...hits.values()];
}

/** Looks a question up and ranks what is found. */
export function searchPassages(
  store: Store,
  owner: Owner,
  question: Question,
  translations: readonly Translation[],
  scope: SearchScope,
): Found {
  const passages = Number(store.sql("SELECT max(id) AS top FROM passages").get()?.["top"] ?? 0);
  const alternatives = translationAlternatives(translations);
  const asked = [...question.terms, ...alternatives.flat()];
  const frequency = readFrequencies(store, owner.id, asked);
  const terms = chooseTerms(question.terms, frequency);
  const words = terms.length === 0 ? [] : queryHits(
    store,
    owner.id,
    matchExpression(terms.map((term) => [term]), scope.words),
    scope,
  );
  let spent = 0;
  const affordable = alternatives.filter((tokens) => {
    const counts = tokens.map((token) => frequency.get(token) ?? 0);
    const least = Math.min(...counts);
    if (least === 0 || spent + Math.max(...counts) > POSTING_BUDGET) return false;
    spent += Math.max(...counts);
    return true;
  });
  const translated = affordable.length === 0
    ? []
    : queryHits(store, owner.id, matchExpression(affordable, scope.words), scope);
  const hits = mergeHits(words, translated, scope);
  return {
    ranked: rankHits({
      hits,
      question,
      translations: usable(translations, affordable),
      frequency,
      passages,
      peer: scope.peer,
    }),
    question,
    translations,
    frequency,
    passages,
  };
}

/** Translations with the alternatives that were looked for. */
function usable(
  translations: readonly Translation[],
  affordable: readonly (readonly string[])[],
): Translation[] {
  const kept = new Set(affordable.map((tokens) => tokens.join(" ")));
  return translations.map(({ from, to }) => ({
    from,
    to: to.filter((word) => kept.has(translationTokens(word).join(" "))),
  })).filter(({ to }) => to.length > 0);
}

/** Texts of ranked messages and files. */
export interface Sources {
  readonly messages: ReadonlyMap<number, StoredMessage>;
  readonly files: ReadonlyMap<number, StoredFile>;
  /** Session names by row id. */
  readonly sessions: ReadonlyMap<number, string>;
}

/** Reads what ranked best. Sources that are gone, or never were, are absent. */
export function readSources(store: Store, ids: readonly number[]): Sources {
  const messages = new Map<number, StoredMessage>();
  const files = new Map<number, StoredFile>();
  const sessions = new Map<number, string>();
  const wanted = ids.filter((id) => id > 0);
  if (wanted.length > 0) {
    const rows = store.sql(
      "SELECT m.* FROM json_each(?) j CROSS JOIN messages m WHERE m.id = j.value",
    ).all(JSON.stringify(wanted));
    for (const row of rows) messages.set(Number(row["id"]), toStoredMessage(row));
    const names = store.sql(
      "SELECT s.id, s.name FROM json_each(?) j CROSS JOIN sessions s WHERE s.id = j.value",
    ).all(JSON.stringify([...new Set(wanted.map((id) => Math.floor(id / SESSION_SPAN)))]));
    for (const row of names) sessions.set(Number(row["id"]), String(row["name"]));
  }
  const fileIds = ids.filter((id) => id < 0).map((id) => -id);
  if (fileIds.length > 0) {
    const rows = store.sql(
      "SELECT f.* FROM json_each(?) j CROSS JOIN files f WHERE f.id = j.value",
    ).all(JSON.stringify(fileIds));
    for (const row of rows) files.set(-Number(row["id"]), toStoredFile(row));
  }
  return { messages, files, sessions };
}
