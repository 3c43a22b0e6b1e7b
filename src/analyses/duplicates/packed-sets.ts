/**
 * Sets of whole numbers, packed one behind the other: the form in which texts are compared by the million.
 */

export interface PackedSets {
  /** How many sets there are. */
  readonly count: number;
  /**
   * The members of set i stand at starts[i] to starts[i + 1], ascending and each once: the rarest member has
   * the lowest number.
   */
  readonly starts: Uint32Array;
  readonly members: Uint32Array;
  /** Members below this number occur only once in all. */
  readonly firstShared: number;
  /** All members are below this number. */
  readonly universe: number;
}

const BETWEEN_REPORTS = 1 << 14;

/**
 * Numbers the members anew, so that what occurs in few sets comes before what occurs in many, and puts each
 * set in order. Works in place; members that stand twice in a set are dropped.
 */
export async function rankByFrequency(
  starts: Uint32Array,
  members: Uint32Array,
  universe: number,
  progress: (share: number) => Promise<void>,
): Promise<PackedSets> {
  const frequency = new Uint32Array(universe);
  for (let at = 0; at < members.length; at++) frequency[members[at]!]!++;
  const { ranks, once } = ranksOf(frequency);
  for (let at = 0; at < members.length; at++) members[at] = ranks[members[at]!]!;
  const count = starts.length - 1;
  let to = 0;
  for (let i = 0, from = 0; i < count; i++) {
    const end = starts[i + 1]!;
    const own = members.subarray(from, end).sort();
    starts[i] = to;
    for (let k = 0; k < own.length; k++) if (k === 0 || own[k] !== own[k - 1]) members[to++] = own[k]!;
    from = end;
    if (i % BETWEEN_REPORTS === 0) await progress(i / count);
  }
  starts[count] = to;
  return { count, starts, members, firstShared: once, universe };
}

/** The place of each number when they are sorted by frequency (a counting sort); and how many occur once. */
function ranksOf(frequency: Uint32Array): { ranks: Uint32Array; once: number } {
  let most = 0;
  for (let i = 0; i < frequency.length; i++) most = Math.max(most, frequency[i]!);
  const next = new Uint32Array(most + 2);
  for (let i = 0; i < frequency.length; i++) next[frequency[i]! + 1]!++;
  const once = next[2] ?? 0;
  for (let f = 1; f < next.length; f++) next[f]! += next[f - 1]!;
  const ranks = new Uint32Array(frequency.length);
  for (let i = 0; i < frequency.length; i++) ranks[i] = next[frequency[i]!]!++;
  return { ranks, once };
}
