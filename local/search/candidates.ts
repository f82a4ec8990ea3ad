/**
 * From posting lists to the passages worth reading. Pure, and in flat loops: this runs cold in the
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

/** What passages hold. */
export interface Tally {
  /** Passages that hold anything, once each. */
  readonly ids: readonly number[];
  /** Sum of the weights, by passage id. */
  readonly sums: Float32Array;
  /** Bits of the terms, by passage id. */
  readonly masks: Int32Array;
}

/** Ids in both lists; both ascending. */
export function intersect(a: readonly number[], b: readonly number[]): number[] {
  return a.length <= b.length ? a.filter((id) => holds(b, id)) : b.filter((id) => holds(a, id));
}

/** Whether an ascending list holds an id. */
function holds(ids: readonly number[], id: number): boolean {
  let low = 0;
  let high = ids.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const here = ids[middle]!;
    if (here === id) return true;
    if (here < id) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}

/** Adds up lists over passages up to `largestId`. */
export function tally(lists: readonly Postings[], largestId: number): Tally {
  const sums = new Float32Array(largestId + 1);
  const masks = new Int32Array(largestId + 1);
  const distinct: number[] = [];
  for (const { ids, weight, mask } of lists) {
    for (let at = 0; at < ids.length; at++) {
      const id = ids[at]!;
      if (sums[id] === 0) distinct.push(id);
      sums[id]! += weight;
      masks[id]! |= mask;
    }
  }
  return { ids: distinct, sums, masks };
}

/** Adds further lists to a few passages only. */
export function tallyMore(
  lists: readonly Postings[],
  { sums, masks }: Tally,
  only: readonly number[],
): void {
  for (const { ids, weight, mask } of lists) {
    for (const id of only) {
      if (!holds(ids, id)) continue;
      sums[id]! += weight;
      masks[id]! |= mask;
    }
  }
}

const BINS = 128;

/**
 * The best of `ids` by their sums, about `limit`, in no order; of those that would be the last ones in,
 * the newest (largest). Found by counting: sorting thousands costs more than all the rest.
 */
export function bestOf(ids: readonly number[], sums: Float32Array, limit: number): number[] {
  if (ids.length <= limit) return [...ids];
  let most = 0;
  for (let at = 0; at < ids.length; at++) if (sums[ids[at]!]! > most) most = sums[ids[at]!]!;
  const scale = (BINS - 1) / most;
  const counts = new Uint32Array(BINS);
  for (let at = 0; at < ids.length; at++) counts[(sums[ids[at]!]! * scale) | 0]!++;
  let last = BINS - 1;
  let above = 0;
  while (last > 0 && above + counts[last]! < limit) above += counts[last--]!;
  const sure: number[] = [];
  const edge: number[] = [];
  for (let at = 0; at < ids.length; at++) {
    const bin = (sums[ids[at]!]! * scale) | 0;
    if (bin > last) sure.push(ids[at]!);
    else if (bin === last) edge.push(ids[at]!);
  }
  if (sure.length + edge.length > limit) edge.sort((a, b) => sums[b]! - sums[a]! || b - a);
  return sure.concat(edge.slice(0, limit - sure.length));
}
