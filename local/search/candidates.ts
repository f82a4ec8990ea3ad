/**
 * From posting lists to the passages worth reading. Pure, and in flat arrays: this runs cold in the
 * prompt hook.
 *
 * @module
 */

/** Passages that hold a word. */
export interface Postings {
  /** Passage ids, ascending. */
  readonly ids: readonly number[];
  /** What holding it is worth. */
  readonly weight: number;
  /** Which terms of the question it is, or stands for, as bits. */
  readonly mask: number;
}

/** What each passage holds, by passage id. */
export interface Tally {
  /** Sum of the weights. */
  readonly sums: Float32Array;
  /** Bits of the terms. */
  readonly masks: Int32Array;
}

/** Ids in both lists; both ascending. */
export function intersect(a: readonly number[], b: readonly number[]): number[] {
  const out: number[] = [];
  let at = 0;
  for (const id of a) {
    while (at < b.length && b[at]! < id) at++;
    if (b[at] === id) out.push(id);
  }
  return out;
}

/** Adds up some lists over passages up to `largestId`. */
export function tally(lists: readonly Postings[], largestId: number): Tally {
  const sums = new Float32Array(largestId + 1);
  const masks = new Int32Array(largestId + 1);
  for (const { ids, weight, mask } of lists) {
    for (let at = 0; at < ids.length; at++) {
      const id = ids[at]!;
      sums[id]! += weight;
      masks[id]! |= mask;
    }
  }
  return { sums, masks };
}

const BINS = 256;

/** The ids of some lists, once each. */
function distinctIds(lists: readonly Postings[], largestId: number): number[] {
  const [only] = lists;
  if (lists.length === 1 && only !== undefined) return [...only.ids];
  const seen = new Uint8Array(largestId + 1);
  const out: number[] = [];
  for (const { ids } of lists) {
    for (let at = 0; at < ids.length; at++) {
      const id = ids[at]!;
      if (seen[id] === 1) continue;
      seen[id] = 1;
      out.push(id);
    }
  }
  return out;
}

/** Leaves those ids that can be among the best `limit`, found by counting and not by sorting all. */
function withoutHopeless(ids: number[], sums: Float32Array, limit: number): number[] {
  let most = 0;
  for (let at = 0; at < ids.length; at++) most = Math.max(most, sums[ids[at]!]!);
  const scale = (BINS - 1) / most;
  const counts = new Uint32Array(BINS);
  for (let at = 0; at < ids.length; at++) counts[(sums[ids[at]!]! * scale) | 0]!++;
  let bin = BINS - 1;
  for (let above = counts[bin]!; bin > 0 && above < limit; above += counts[bin]!) bin--;
  return ids.filter((id) => ((sums[id]! * scale) | 0) >= bin);
}

/** Ids of the lists by their sums, best first, at most `limit`; of equals the newest (largest) first. */
export function bestCandidates(
  lists: readonly Postings[],
  { sums }: Tally,
  limit: number,
): number[] {
  const all = distinctIds(lists, sums.length - 1);
  const kept = all.length > limit ? withoutHopeless(all, sums, limit) : all;
  kept.sort((a, b) => sums[b]! - sums[a]! || b - a);
  return kept.length > limit ? kept.slice(0, limit) : kept;
}
