/** Sets of integers packed into one array, ordered for prefix filtering (similarity-join.ts). */
import type { Ticker } from '../../concurrency/ticker.ts';

export interface PackedSets {
  /** The number of sets. */
  readonly count: number;
  /**
   * The members of set i are members[starts[i]] to before members[starts[i + 1]], ascending,
   * without repeats.
   */
  readonly starts: Uint32Array;
  /** Members are numbered by document frequency: the rarest member has the lowest number. */
  readonly members: Uint32Array;
  /** Members below this number are in one set only. */
  readonly firstShared: number;
  /** All members are below this number. */
  readonly universe: number;
}

/**
 * Renumbers the members from rare to frequent, sorts each set and drops repeated members. Works in
 * place on both arrays.
 */
export async function rankByFrequency(
  starts: Uint32Array,
  members: Uint32Array,
  universe: number,
  ticker: Ticker,
): Promise<PackedSets> {
  const frequencies = new Uint32Array(universe);
  for (let i = 0; i < members.length; i++) frequencies[members[i]!]!++;
  const { ranks, singletons } = computeRanks(frequencies);
  for (let i = 0; i < members.length; i++) members[i] = ranks[members[i]!]!;
  const count = starts.length - 1;
  let written = 0;
  for (let set = 0, start = 0; set < count; set++) {
    if (ticker.due()) await ticker.yield(set / count);
    const end = starts[set + 1]!;
    const own = members.subarray(start, end).sort();
    starts[set] = written;
    for (let k = 0; k < own.length; k++) if (k === 0 || own[k] !== own[k - 1]) members[written++] = own[k]!;
    start = end;
  }
  starts[count] = written;
  return { count, starts, members, firstShared: singletons, universe };
}

/** Ranks the members by frequency (a stable counting sort) and counts those that occur once. */
function computeRanks(frequencies: Uint32Array): { ranks: Uint32Array; singletons: number } {
  let maxFrequency = 0;
  for (let i = 0; i < frequencies.length; i++) maxFrequency = Math.max(maxFrequency, frequencies[i]!);
  const next = new Uint32Array(maxFrequency + 2);
  for (let i = 0; i < frequencies.length; i++) next[frequencies[i]! + 1]!++;
  const singletons = next[2] ?? 0;
  for (let f = 1; f < next.length; f++) next[f]! += next[f - 1]!;
  const ranks = new Uint32Array(frequencies.length);
  for (let i = 0; i < frequencies.length; i++) ranks[i] = next[frequencies[i]!]!++;
  return { ranks, singletons };
}
