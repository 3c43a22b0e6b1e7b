/**
 * Set similarity join: all pairs of sets whose Jaccard similarity reaches a threshold, without
 * comparing every pair.
 *
 * Two similar sets must share one of their rarest members, so only a prefix of each set goes into
 * an inverted index (prefix filter; Chaudhuri et al. 2006, Bayardo et al. 2007), with the length
 * and position filters of PPJoin (Xiao et al. 2008). Candidates that also pass a bitmap filter are
 * verified by their exact similarity. Unlike MinHash the join misses no pair, and members that many
 * sets share, such as the words of a template, cost nothing because they are in no prefix.
 */
import { popcount } from '../../bits/popcount.ts';
import type { Ticker } from '../../concurrency/ticker.ts';
import type { PackedSets } from './packed-sets.ts';

/** Bounds the work for one set. Where a limit is reached, pairs may be missed. */
export interface JoinLimits {
  /** Entries of the inverted index that are read. */
  maxLookups: number;
  /** Pairs that are verified. Of more candidates, the sets with the lowest index are verified. */
  maxPairs(set: number): number;
}

export interface JoinCounts {
  /** Pairs that were verified. */
  compared: number;
  /** Candidate pairs that were not verified. */
  skipped: number;
  /** The sets for which a limit ended the search. */
  bounded: number[];
}

const UNLIMITED: JoinLimits = {
  maxLookups: Number.POSITIVE_INFINITY,
  maxPairs: () => Number.POSITIVE_INFINITY,
};
/** Compensates the rounding of products such as 0.8 × 15. */
const ROUNDING = 1e-9;
/**
 * How many members of their prefixes two sets must share to be verified, unless fewer shared
 * members suffice for the threshold. Prefixes are longer by two for it. One would be correct; three
 * leave far fewer candidates (adaptive prefix length; Wang et al. 2012).
 */
const MIN_PREFIX_MATCHES = 3;
/** Up to this many candidates are all verified when the search was bounded. */
const MAX_UNFILTERED_CANDIDATES = 64;
/** Marks a candidate that the position filter has excluded. */
const EXCLUDED = -1;

/** The minimum similarity by the size of the larger set. Above 0 and not decreasing. */
export type Threshold = (size: number) => number;

/** Calls `emit` for each pair of similar sets, the lower index first. */
export async function joinSimilarSets(
  sets: PackedSets,
  thresholdFor: Threshold,
  emit: (earlier: number, later: number, similarity: number) => void,
  ticker: Ticker,
  limits = UNLIMITED,
): Promise<JoinCounts> {
  const { starts, members, firstShared } = sets;
  const order = sortBySize(sets);
  const sizes = new Uint16Array(sets.count);
  for (let p = 0; p < sets.count; p++) sizes[p] = starts[order[p]! + 1]! - starts[order[p]!]!;
  const index = allocateIndex(sets, order, thresholdFor);
  const { heads, ends, sets: indexedSets, positions } = index;
  const matchCounts = new Int16Array(sets.count);
  const candidates = new Uint32Array(sets.count);
  const bitmaps = buildBitmaps(sets, order);
  const counts: JoinCounts = { compared: 0, skipped: 0, bounded: [] };

  // p and q are positions in the order of size, so that q <= p holds for every indexed set q.
  for (let p = 0; p < sets.count; p++) {
    if (ticker.due()) await ticker.yield(p / sets.count);
    const size = sizes[p]!;
    const threshold = thresholdFor(size);
    const start = starts[order[p]!]!;
    const minSize = Math.ceil(threshold * size - ROUNDING);
    const prefix = Math.min(size, size - minSize + MIN_PREFIX_MATCHES);
    let candidateCount = 0;
    let lookups = 0;
    let bounded = false;
    for (let i = 0; i < prefix && !bounded; i++) {
      const member = members[start + i]!;
      if (member < firstShared) continue;
      let head = heads[member]!;
      let end = ends[member]!;
      while (head < end && sizes[indexedSets[head]!]! < minSize) head++;
      heads[member] = head;
      lookups += end - head;
      if (lookups > limits.maxLookups) {
        bounded = true;
        end -= lookups - limits.maxLookups;
      }
      for (; head < end; head++) {
        const q = indexedSets[head]!;
        const matches = matchCounts[q]!;
        if (matches === EXCLUDED) continue;
        if (matches === 0) candidates[candidateCount++] = q;
        const otherSize = sizes[q]!;
        const remaining = Math.min(size - i, otherSize - positions[head]!);
        matchCounts[q] =
          matches + remaining >= minOverlap(size + otherSize, threshold) ? matches + 1 : EXCLUDED;
      }
    }
    // A bounded search has not seen all matches, so fewer of them are required.
    const minSeen = candidateCount > MAX_UNFILTERED_CANDIDATES ? MIN_PREFIX_MATCHES - 1 : 1;
    const minMatches = bounded ? minSeen : MIN_PREFIX_MATCHES;
    let passed = 0;
    for (let c = 0; c < candidateCount; c++) {
      const q = candidates[c]!;
      const matches = matchCounts[q]!;
      matchCounts[q] = 0;
      const totalSize = size + sizes[q]!;
      if (matches < Math.min(minMatches, minOverlap(totalSize, threshold))) continue;
      if (passesBitmapFilter(bitmaps, p, q, totalSize, threshold)) candidates[passed++] = q;
    }
    const compared = Math.min(passed, limits.maxPairs(order[p]!));
    if (compared < passed) selectLowest(candidates.subarray(0, passed), compared, order);
    for (let c = 0; c < compared; c++) {
      const q = candidates[c]!;
      const similarity = computeJaccard(sets, order[p]!, order[q]!, threshold);
      if (similarity >= threshold) {
        emit(Math.min(order[p]!, order[q]!), Math.max(order[p]!, order[q]!), similarity);
      }
    }
    counts.compared += compared;
    counts.skipped += passed - compared;
    if (bounded || compared < passed) counts.bounded.push(order[p]!);
    addToIndex(index, sets, order, p, thresholdFor);
  }
  return counts;
}

/** Moves the `n` values with the lowest rank to the front (quickselect; Hoare 1961). */
function selectLowest(values: Uint32Array, n: number, ranks: Uint32Array): void {
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const pivot = ranks[values[(low + high) >>> 1]!]!;
    let [i, j] = [low, high];
    while (i <= j) {
      while (ranks[values[i]!]! < pivot) i++;
      while (ranks[values[j]!]! > pivot) j--;
      if (i > j) break;
      const value = values[i]!;
      values[i++] = values[j]!;
      values[j--] = value;
    }
    if (n <= j) high = j;
    else if (n >= i) low = i;
    else return;
  }
}

/** The sets from small to large, by a stable counting sort. */
function sortBySize({ count, starts }: PackedSets): Uint32Array {
  let maxSize = 0;
  for (let i = 0; i < count; i++) maxSize = Math.max(maxSize, starts[i + 1]! - starts[i]!);
  const next = new Uint32Array(maxSize + 2);
  for (let i = 0; i < count; i++) next[starts[i + 1]! - starts[i]! + 1]!++;
  for (let size = 1; size < next.length; size++) next[size]! += next[size - 1]!;
  const order = new Uint32Array(count);
  for (let i = 0; i < count; i++) order[next[starts[i + 1]! - starts[i]!]!++] = i;
  return order;
}

/** From a member to the sets that have it in their prefix, from small to large. */
interface InvertedIndex {
  /**
   * By member: its first entry whose set is large enough for the sets to come, and the end of its
   * entries.
   */
  heads: Uint32Array;
  ends: Uint32Array;
  /** By entry: the set, by its position in the order of size, and the member's position in it. */
  sets: Uint32Array;
  positions: Uint16Array;
}

/**
 * The length of the indexed prefix. Shorter than the probed one, because only sets of at least this
 * size probe it.
 */
function indexedPrefix(size: number, thresholdFor: Threshold): number {
  const threshold = thresholdFor(size);
  const overlap = Math.ceil(((2 * threshold) / (1 + threshold)) * size - ROUNDING);
  return Math.min(size, size - overlap + MIN_PREFIX_MATCHES);
}

/** Counts the entries of each member first, so that all entries share one array. */
function allocateIndex(
  { count, starts, members, firstShared, universe }: PackedSets,
  order: Uint32Array,
  thresholdFor: Threshold,
): InvertedIndex {
  const heads = new Uint32Array(universe + 1);
  for (let p = 0; p < count; p++) {
    const start = starts[order[p]!]!;
    const end = start + indexedPrefix(starts[order[p]! + 1]! - start, thresholdFor);
    for (let i = start; i < end; i++) if (members[i]! >= firstShared) heads[members[i]! + 1]!++;
  }
  for (let member = 1; member <= universe; member++) heads[member]! += heads[member - 1]!;
  const entries = heads[universe]!;
  return {
    heads,
    ends: heads.slice(),
    sets: new Uint32Array(entries),
    positions: new Uint16Array(entries),
  };
}

function addToIndex(
  index: InvertedIndex,
  { starts, members, firstShared }: PackedSets,
  order: Uint32Array,
  p: number,
  thresholdFor: Threshold,
): void {
  const start = starts[order[p]!]!;
  const end = start + indexedPrefix(starts[order[p]! + 1]! - start, thresholdFor);
  for (let i = start; i < end; i++) {
    const member = members[i]!;
    if (member < firstShared) continue;
    const entry = index.ends[member]!++;
    index.sets[entry] = p;
    index.positions[entry] = i - start;
  }
}

const BITMAP_WORDS = 4;

/** For each set 128 parity bits: members are hashed to bits, and each member flips its bit. */
function buildBitmaps({ count, starts, members }: PackedSets, order: Uint32Array): Int32Array {
  const bitmaps = new Int32Array(count * BITMAP_WORDS);
  for (let p = 0; p < count; p++) {
    const end = starts[order[p]! + 1]!;
    for (let i = starts[order[p]!]!; i < end; i++) {
      const bit = Math.imul(members[i]!, 0x9e3779b1) >>> 25;
      bitmaps[p * BITMAP_WORDS + (bit >>> 5)]! ^= 1 << (bit & 31);
    }
  }
  return bitmaps;
}

/** Each bit that differs is caused by at least one member that only one of the sets has. */
function passesBitmapFilter(
  bitmaps: Int32Array,
  p: number,
  q: number,
  totalSize: number,
  threshold: number,
): boolean {
  let differing = 0;
  for (let word = 0; word < BITMAP_WORDS; word++) {
    differing += popcount(bitmaps[p * BITMAP_WORDS + word]! ^ bitmaps[q * BITMAP_WORDS + word]!);
  }
  return differing <= maxUnshared(totalSize, threshold);
}

/** How many members two sets of this total size must share to reach the threshold. */
const minOverlap = (totalSize: number, threshold: number) =>
  Math.ceil((threshold / (1 + threshold)) * totalSize - ROUNDING);

/** How many members may be in only one of the two sets. */
const maxUnshared = (totalSize: number, threshold: number) =>
  totalSize - 2 * minOverlap(totalSize, threshold);

/** The Jaccard similarity, or 0 as soon as the threshold is out of reach. */
export function computeJaccard(
  { starts, members }: PackedSets,
  a: number,
  b: number,
  threshold: number,
): number {
  let i = starts[a]!;
  let j = starts[b]!;
  const endA = starts[a + 1]!;
  const endB = starts[b + 1]!;
  const totalSize = endA - i + endB - j;
  let unshared = maxUnshared(totalSize, threshold);
  let shared = 0;
  while (i < endA && j < endB) {
    const difference = members[i]! - members[j]!;
    if (difference === 0) {
      shared++;
      i++;
      j++;
    } else {
      if (--unshared < 0) return 0;
      if (difference < 0) i++;
      else j++;
    }
  }
  return shared / (totalSize - shared);
}
