/**
 * Ranks what was found: by words, neighbours, session and coverage. Pure.
 *
 * How often a word stands in a passage, and how near two words stand, were measured and change
 * nothing (passages are short); so ranking needs no more than who holds what, and how long it is.
 *
 * @module
 */
import { SESSION_SPAN } from "../store/layout.ts";

/** One passage that holds words of the question. */
export interface Hit {
  readonly passage: number;
  /** Message id, or minus a file id. */
  readonly source: number;
  readonly part: number;
  readonly start: number;
  readonly stop: number;
  /** Tokens. */
  readonly length: number;
  /** Milliseconds. */
  readonly created: number;
  /** Row id of the peer, 0 for none. */
  readonly peer: number;
  /** Information of the words it holds, and which they are (bits by index of the term). */
  readonly words: number;
  readonly mask: number;
  /** The same of translated words. */
  readonly translated: number;
  readonly translatedMask: number;
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
  readonly session: number;
  readonly coverage: number;
  readonly neighbourCoverage: number;
  readonly translatedCoverage: number;
  readonly recency: number;
  readonly otherPeer: number;
}

/** The weights in force. */
export const WEIGHTS: Weights = {
  translated: 0.8,
  near: 0.3,
  far: 0.2,
  session: 0.8,
  coverage: 0.6,
  neighbourCoverage: 0.6,
  translatedCoverage: 0.6,
  recency: 0.03,
  otherPeer: 0.9,
};

/** What ranking needs to know beside the hits. */
export interface RankInput {
  readonly hits: readonly Hit[];
  /** Information of each term of the question, by its index; at most 30. */
  readonly terms: readonly number[];
  /** Row id of the asking peer: other peers' passages count a little less. */
  readonly peer: number | undefined;
}

/** Sources whose neighbours are taken in; more of them change nothing. */
const WITH_NEIGHBOURS = 40;

/** Inverse document frequency as BM25 has it, never negative. */
export function inverseFrequency(frequency: number, passages: number): number {
  return Math.log(1 + Math.max(passages - frequency + 0.5, 0.5) / (frequency + 0.5));
}

/** BM25's constants, and the length of a usual passage in tokens. */
const K1 = 1.2;
const B = 0.75;
const USUAL_LENGTH = 25;

interface Scored {
  readonly hit: Hit;
  readonly base: number;
}

interface Candidate {
  readonly source: number;
  readonly session: number;
  readonly hits: Hit[];
  readonly created: number;
  base: number;
  mask: number;
  translatedMask: number;
}

/** BM25 of both lists, each divided by its best, the second weighted, other peers a little less. */
function scoreHits({ hits, peer }: RankInput, weights: Weights): Scored[] {
  const factors = new Float64Array(hits.length);
  let topWords = 0;
  let topTranslated = 0;
  for (let at = 0; at < hits.length; at++) {
    const { length, words, translated } = hits[at]!;
    const factor = (K1 + 1) / (1 + K1 * (1 - B + B * length / USUAL_LENGTH));
    factors[at] = factor;
    if (words * factor > topWords) topWords = words * factor;
    if (translated * factor > topTranslated) topTranslated = translated * factor;
  }
  const first = topWords === 0 ? 0 : 1 / topWords;
  const second = topTranslated === 0
    ? 0
    : (topWords === 0 ? 1 : weights.translated) / topTranslated;
  const out: Scored[] = [];
  for (let at = 0; at < hits.length; at++) {
    const hit = hits[at]!;
    const isForeign = peer !== undefined && hit.peer !== 0 && hit.peer !== peer;
    const base = (hit.words * first + hit.translated * second) * factors[at]!;
    out.push({ hit, base: isForeign ? base * weights.otherPeer : base });
  }
  return out.sort((a, b) => b.base - a.base || b.hit.passage - a.hit.passage);
}

function toCandidate(source: number, created: number): Candidate {
  return {
    source,
    session: source < 0 ? 0 : Math.floor(source / SESSION_SPAN),
    created,
    hits: [],
    base: 0,
    mask: 0,
    translatedMask: 0,
  };
}

/** Messages and files with their hits, best hit first. */
function gather(scored: readonly Scored[]): Map<number, Candidate> {
  const out = new Map<number, Candidate>();
  for (const { hit, base } of scored) {
    let candidate = out.get(hit.source);
    if (candidate === undefined) {
      candidate = toCandidate(hit.source, hit.created);
      candidate.base = base;
      out.set(hit.source, candidate);
    }
    candidate.hits.push(hit);
    candidate.mask |= hit.mask;
    candidate.translatedMask |= hit.translatedMask;
  }
  return out;
}

/** Adds the messages beside hits: an answer rarely repeats the words of its question. */
function addNeighbours(candidates: Map<number, Candidate>): void {
  for (const { source, session, created } of [...candidates.values()].slice(0, WITH_NEIGHBOURS)) {
    if (session === 0) continue;
    for (const beside of [source - 1, source + 1, source - 2, source + 2]) {
      if (Math.floor(beside / SESSION_SPAN) !== session || candidates.has(beside)) continue;
      candidates.set(beside, toCandidate(beside, created));
    }
  }
}

/** Sum of each session's three best messages, divided by the best session's. */
function sessionScores(candidates: readonly Candidate[]): Map<number, number> {
  const best = new Map<number, [number, number, number]>();
  for (const { session, base } of candidates) {
    if (session === 0 || base === 0) continue;
    const three = best.get(session);
    if (three === undefined) best.set(session, [base, 0, 0]);
    else if (base > three[2]) {
      three[2] = base;
      three.sort((a, b) => b - a);
    }
  }
  const sums = new Map<number, number>();
  let top = 0;
  for (const [session, [first, second, third]] of best) {
    const sum = first + second + third;
    sums.set(session, sum);
    if (sum > top) top = sum;
  }
  for (const [session, sum] of sums) sums.set(session, sum / top);
  return sums;
}

/** Share of the question's information in a candidate, in translation or beside it at a lower worth. */
function coverageOf(
  candidate: Candidate,
  candidates: ReadonlyMap<number, Candidate>,
  terms: readonly number[],
  weights: Weights,
): number {
  const before = candidate.session === 0 ? undefined : candidates.get(candidate.source - 1);
  const after = candidate.session === 0 ? undefined : candidates.get(candidate.source + 1);
  const beside = (before?.mask ?? 0) | (after?.mask ?? 0);
  const besideTranslated = (before?.translatedMask ?? 0) | (after?.translatedMask ?? 0);
  let found = 0;
  let total = 0;
  for (let at = 0; at < terms.length; at++) {
    const bit = 1 << at;
    const weight = terms[at]!;
    total += weight;
    if (candidate.mask & bit) found += weight;
    else if (candidate.translatedMask & bit) found += weights.translatedCoverage * weight;
    else if (beside & bit) found += weights.neighbourCoverage * weight;
    else if (besideTranslated & bit) {
      found += weights.neighbourCoverage * weights.translatedCoverage * weight;
    }
  }
  return total === 0 ? 0 : found / total;
}

/** Ranks the hits of one question; the same input gives the same order. */
export function rankHits(input: RankInput, weights: Weights = WEIGHTS): Ranked[] {
  const candidates = gather(scoreHits(input, weights));
  addNeighbours(candidates);
  const all = [...candidates.values()];
  const sessions = sessionScores(all);
  let oldest = Infinity;
  let newest = 0;
  for (const { created } of all) {
    if (created < oldest) oldest = created;
    if (created > newest) newest = created;
  }
  const young = weights.recency / Math.max(newest - oldest, 1);
  const ranked: Ranked[] = [];
  for (const candidate of all) {
    const { source, session, hits } = candidate;
    let score = candidate.base + young * (candidate.created - oldest);
    if (session !== 0) {
      const near = baseOf(candidates, source - 1) + baseOf(candidates, source + 1);
      const far = baseOf(candidates, source - 2) + baseOf(candidates, source + 2);
      score += weights.near * near + weights.far * far +
        weights.session * (sessions.get(session) ?? 0);
    }
    const coverage = coverageOf(candidate, candidates, input.terms, weights);
    ranked.push({ source, score: score + weights.coverage * coverage, coverage, hits });
  }
  return ranked.sort((a, b) => b.score - a.score || b.source - a.source);
}

function baseOf(candidates: ReadonlyMap<number, Candidate>, source: number): number {
  return candidates.get(source)?.base ?? 0;
}
