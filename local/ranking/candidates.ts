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
  readonly ids: number[];
  /** Sum of the weights of each, in the same order. */
  readonly sums: number[];
  /** Bits of the terms of each. */
  readonly masks: number[];
  /** Place of an id in these lists. */
  readonly places: Map<number, number>;
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

/** Adds up lists. */
export function tally(lists: readonly Postings[]): Tally {
  const ids: number[] = [];
  const sums: number[] = [];
  const masks: number[] = [];
  const places = new Map<number, number>();
  for (const list of lists) {
    const { weight, mask } = list;
    for (const id of list.ids) {
      const place = places.get(id);
      if (place === undefined) {
        places.set(id, ids.length);
        ids.push(id);
        sums.push(weight);
        masks.push(mask);
      } else {
        sums[place]! += weight;
        masks[place]! |= mask;
      }
    }
  }
  return { ids, sums, masks, places };
}

/** Adds further lists to some passages only, given by their places. */
export function tallyMore(
  lists: readonly Postings[],
  { ids, sums, masks }: Tally,
  only: readonly number[],
): void {
  for (const list of lists) {
    for (const place of only) {
      if (!holds(list.ids, ids[place]!)) continue;
      sums[place]! += list.weight;
      masks[place]! |= list.mask;
    }
  }
}

const BINS = 128;

/**
 * Places of the best passages by their sums, about `limit`, in no order; of those that would be the
 * last ones in, the newest (largest id). Found by counting: sorting thousands costs more than the rest.
 *
 * @param among Places to choose from; all when absent.
 */
export function bestOf(
  { ids, sums }: Tally,
  limit: number,
  among: readonly number[] = [...ids.keys()],
): readonly number[] {
  if (among.length <= limit) return among;
  let most = 0;
  for (const place of among) if (sums[place]! > most) most = sums[place]!;
  const scale = (BINS - 1) / most;
  const counts = new Uint32Array(BINS);
  for (const place of among) counts[(sums[place]! * scale) | 0]!++;
  let last = BINS - 1;
  let above = 0;
  while (last > 0 && above + counts[last]! < limit) above += counts[last--]!;
  const sure: number[] = [];
  const edge: number[] = [];
  for (const place of among) {
    const bin = (sums[place]! * scale) | 0;
    if (bin > last) sure.push(place);
    else if (bin === last) edge.push(place);
  }
  if (sure.length + edge.length > limit) {
    edge.sort((a, b) => sums[b]! - sums[a]! || ids[b]! - ids[a]!);
    edge.length = limit - sure.length;
  }
  return [...sure, ...edge];
}
