/**
 * Ranks what the full-text queries found: by words, neighbours, session, coverage and nearness. Pure.
 *
 * @module
 */
import type { Question } from "./question.ts";
import type { Translation } from "../text/glossary.ts";
import { hashToken } from "../text/tokenise.ts";
import { translationTokens } from "./question.ts";
import { SESSION_SPAN } from "../schema.ts";

/** One passage that a query found. */
export interface Hit {
  readonly passage: number;
  /** Message id, or minus a file id. */
  readonly source: number;
  readonly part: number;
  readonly start: number;
  readonly stop: number;
  /** Three bytes per token. */
  readonly tokens: Uint8Array;
  /** Milliseconds. */
  readonly created: number;
  /** Row id of the peer, 0 for none. */
  readonly peer: number;
  /** BM25 of the question's own words, larger is better; 0 when only a translation matched. */
  readonly words: number;
  /** BM25 of the translated words. */
  readonly translated: number;
}

/** A message or file in rank order. */
export interface Ranked {
  readonly source: number;
  readonly score: number;
  /** Share of the question's information found in it or beside it, 0 to 1. */
  readonly coverage: number;
  /** Its passages that were found, best first; empty for a neighbour that matched nothing itself. */
  readonly hits: readonly Hit[];
}

/** Weights; flat on development data: no step of one of them moved a result by more than two points. */
export interface Weights {
  readonly translated: number;
  readonly near: number;
  readonly far: number;
  /** Passages of the same message beside the best one. */
  readonly same: number;
  readonly session: number;
  readonly coverage: number;
  readonly neighbourCoverage: number;
  readonly proximity: number;
  readonly recency: number;
  readonly otherPeer: number;
  /** Messages scored anew with coverage and proximity. */
  readonly rescored: number;
}

/** The weights in force. */
export const WEIGHTS: Weights = {
  translated: 0.8,
  near: 0.3,
  far: 0.1,
  same: 0.1,
  session: 0.6,
  coverage: 0.6,
  neighbourCoverage: 0.6,
  proximity: 0.2,
  recency: 0.03,
  otherPeer: 0.9,
  rescored: 100,
};

/** What ranking needs to know beside the hits. */
export interface RankInput {
  readonly hits: readonly Hit[];
  readonly question: Question;
  readonly translations: readonly Translation[];
  /** Passages that hold a term. */
  readonly frequency: ReadonlyMap<string, number>;
  /** Passages in the index. */
  readonly passages: number;
  /** Row id of the asking peer: other peers' passages count a little less. */
  readonly peer: number | undefined;
}

interface Candidate {
  readonly source: number;
  readonly hits: Hit[];
  base: number;
  score: number;
  readonly created: number;
}

function best(values: Iterable<number>): number {
  let top = 0;
  for (const value of values) if (value > top) top = value;
  return top;
}

/** Base score of each passage: its lists, each divided by its best. */
function baseScores(input: RankInput, weights: Weights): Map<Hit, number> {
  const topWords = best(input.hits.map((hit) => hit.words));
  const topTranslated = best(input.hits.map((hit) => hit.translated));
  const second = topWords === 0 ? 1 : weights.translated;
  const out = new Map<Hit, number>();
  for (const hit of input.hits) {
    let score = (topWords === 0 ? 0 : hit.words / topWords) +
      (topTranslated === 0 ? 0 : second * hit.translated / topTranslated);
    if (input.peer !== undefined && hit.peer !== 0 && hit.peer !== input.peer) {
      score *= weights.otherPeer;
    }
    out.set(hit, score);
  }
  return out;
}

function gather(scores: ReadonlyMap<Hit, number>, weights: Weights): Map<number, Candidate> {
  const out = new Map<number, Candidate>();
  for (const [hit, score] of scores) {
    const known = out.get(hit.source);
    if (known === undefined) {
      out.set(hit.source, {
        source: hit.source,
        hits: [hit],
        base: score,
        score: 0,
        created: hit.created,
      });
    } else {
      known.hits.push(hit);
      known.base = Math.max(known.base, score) + weights.same * Math.min(known.base, score);
    }
  }
  for (const candidate of out.values()) {
    candidate.hits.sort((a, b) => (scores.get(b) ?? 0) - (scores.get(a) ?? 0));
  }
  return out;
}

/** Adds the messages beside hits: an answer rarely repeats the words of its question. */
function addNeighbours(candidates: Map<number, Candidate>): void {
  for (const { source, created } of [...candidates.values()]) {
    if (source < 0) continue;
    for (const beside of [source - 1, source + 1]) {
      if (beside % SESSION_SPAN === 0 || candidates.has(beside)) continue;
      candidates.set(beside, { source: beside, hits: [], base: 0, score: 0, created });
    }
  }
}

/** Sum of each session's three best messages, divided by the best session's. */
function sessionScores(candidates: ReadonlyMap<number, Candidate>): Map<number, number> {
  const bySession = new Map<number, number[]>();
  for (const { source, base } of candidates.values()) {
    if (source < 0 || base === 0) continue;
    const session = Math.floor(source / SESSION_SPAN);
    const known = bySession.get(session);
    if (known === undefined) bySession.set(session, [base]);
    else known.push(base);
  }
  const sums = new Map<number, number>();
  for (const [session, scores] of bySession) {
    scores.sort((a, b) => b - a);
    sums.set(session, (scores[0] ?? 0) + (scores[1] ?? 0) + (scores[2] ?? 0));
  }
  const top = best(sums.values());
  for (const [session, sum] of sums) sums.set(session, top === 0 ? 0 : sum / top);
  return sums;
}

/** Where each term of the question stands in the passages of one message. */
class TermFinder {
  readonly #place: Map<number, number>;
  readonly #weights: readonly number[];
  readonly #total: number;
  readonly #pairs: Question["pairs"];
  /** Terms that a hash stands for through a translation, and at what worth. */
  readonly #translated: Map<number, readonly number[]>;
  readonly #found = new Map<number, Float64Array>();

  constructor(input: RankInput) {
    const { question, frequency, passages } = input;
    this.#place = new Map(question.terms.map((term, at) => [hashToken(term), at]));
    this.#weights = question.terms.map((term) => {
      const df = frequency.get(term) ?? 0;
      return df === 0 ? 0 : Math.log(1 + (passages - df + 0.5) / (df + 0.5));
    });
    this.#pairs = question.pairs;
    this.#translated = new Map();
    const weights = [...this.#weights];
    const unseen = Math.log(1 + passages);
    for (const { from, to } of input.translations) {
      const terms = from.map((term) => question.terms.indexOf(term)).filter((at) => at >= 0);
      // A word the index does not know counts once it can be found through its translation.
      for (const at of terms) if (weights[at] === 0) weights[at] = unseen / 2;
      for (const word of to) {
        for (const token of translationTokens(word)) {
          const hash = hashToken(token);
          this.#translated.set(hash, [...this.#translated.get(hash) ?? [], ...terms]);
        }
      }
    }
    this.#weights = weights;
    this.#total = weights.reduce((sum, weight) => sum + weight, 0);
  }

  /** Worth of each term in a candidate's passages: 1 for the word, 0.6 for a translation. */
  find(candidate: Candidate): Float64Array {
    const known = this.#found.get(candidate.source);
    if (known !== undefined) return known;
    const worth = new Float64Array(this.#weights.length);
    for (const { tokens } of candidate.hits) {
      for (let at = 0; at + 2 < tokens.length; at += 3) {
        const hash = (tokens[at] ?? 0) | ((tokens[at + 1] ?? 0) << 8) |
          ((tokens[at + 2] ?? 0) << 16);
        const term = this.#place.get(hash);
        if (term !== undefined) worth[term] = 1;
        for (const other of this.#translated.get(hash) ?? []) {
          if ((worth[other] ?? 0) < 0.6) worth[other] = 0.6;
        }
      }
    }
    this.#found.set(candidate.source, worth);
    return worth;
  }

  /** Share of the question's information in a candidate, its neighbours counted less. */
  coverage(own: Float64Array, beside: readonly Float64Array[], neighbour: number): number {
    if (this.#total === 0) return 0;
    let sum = 0;
    for (let at = 0; at < own.length; at++) {
      let worth = own[at] ?? 0;
      for (const other of beside) worth = Math.max(worth, neighbour * (other[at] ?? 0));
      sum += worth * (this.#weights[at] ?? 0);
    }
    return sum / this.#total;
  }

  /** Share of the question's side-by-side words that stand within four tokens in the best passage. */
  proximity(hit: Hit | undefined): number {
    if (hit === undefined || this.#pairs.length === 0) return 0;
    const places = new Map<number, number[]>();
    for (let at = 0; at + 2 < hit.tokens.length; at += 3) {
      const hash = (hit.tokens[at] ?? 0) | ((hit.tokens[at + 1] ?? 0) << 8) |
        ((hit.tokens[at + 2] ?? 0) << 16);
      const term = this.#place.get(hash);
      if (term === undefined) continue;
      const known = places.get(term);
      if (known === undefined) places.set(term, [at / 3]);
      else known.push(at / 3);
    }
    let near = 0;
    for (const [left, right] of this.#pairs) {
      const rights = places.get(right);
      if (rights === undefined) continue;
      const isNear = places.get(left)?.some((from) =>
        rights.some((to) => Math.abs(to - from) <= 4)
      );
      if (isNear) near++;
    }
    return near / this.#pairs.length;
  }
}

/** Ranks the hits of one question; the same input gives the same order. */
export function rankHits(input: RankInput, weights: Weights = WEIGHTS): Ranked[] {
  const scores = baseScores(input, weights);
  const candidates = gather(scores, weights);
  addNeighbours(candidates);
  const sessions = sessionScores(candidates);
  let oldest = Infinity;
  let newest = 0;
  for (const { created } of candidates.values()) {
    oldest = Math.min(oldest, created);
    newest = Math.max(newest, created);
  }
  const age = Math.max(newest - oldest, 1);
  const base = (source: number): number => candidates.get(source)?.base ?? 0;
  for (const candidate of candidates.values()) {
    const { source } = candidate;
    candidate.score = candidate.base + weights.recency * (candidate.created - oldest) / age;
    if (source < 0) continue;
    candidate.score += weights.near * (base(source - 1) + base(source + 1)) +
      weights.far * (base(source - 2) + base(source + 2)) +
      weights.session * (sessions.get(Math.floor(source / SESSION_SPAN)) ?? 0);
  }
  const order = [...candidates.values()].sort((a, b) => b.score - a.score || a.source - b.source);
  const finder = new TermFinder(input);
  const ranked = order.slice(0, weights.rescored).map((candidate): Ranked => {
    const beside: Float64Array[] = [];
    if (candidate.source > 0) {
      for (const at of [candidate.source - 1, candidate.source + 1]) {
        const other = candidates.get(at);
        if (other !== undefined && other.hits.length > 0) beside.push(finder.find(other));
      }
    }
    const coverage = finder.coverage(
      finder.find(candidate),
      beside,
      weights.neighbourCoverage,
    );
    return {
      source: candidate.source,
      hits: candidate.hits,
      coverage,
      score: candidate.score + weights.coverage * coverage +
        weights.proximity * finder.proximity(candidate.hits[0]),
    };
  });
  return ranked.sort((a, b) => b.score - a.score || a.source - b.source);
}
