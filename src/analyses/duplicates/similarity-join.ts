/**
 * All pairs of sets that are alike, without comparing each with each.
 *
 * Two sets whose Jaccard similarity reaches the threshold must share one of their rarest members: the fewer
 * they may differ by, the fewer members need to be looked up (prefix filtering; Chaudhuri et al. 2006, with
 * the filters by length and by position of PPJoin, Xiao et al. 2008). Every pair that passes is then compared
 * exactly. Unlike MinHash it misses nothing, and what many sets have in common (the frame of a family of
 * questions) costs nothing, since it is not rare.
 */
import { popcount } from '../../bits/popcount.ts';
import type { PackedSets } from './packed-sets.ts';

export interface JoinLimits {
  /** How many places where a member occurs are looked at for one set, the rarest members first. */
  maxLookups: number;
  /** How many pairs are compared exactly for one set. */
  maxPairs: number;
}

export interface JoinCounts {
  /** Pairs that were compared exactly. */
  compared: number;
  /** Sets for which a limit ended the search. */
  bounded: number;
}

const UNLIMITED: JoinLimits = { maxLookups: Number.POSITIVE_INFINITY, maxPairs: Number.POSITIVE_INFINITY };
const BETWEEN_REPORTS = 1 << 21;
/** So many lookups take about as long as comparing a pair, with what the caller does about it. */
const PAIR = 200;
/** Against the rounding of products such as 0.8 × 15. */
const ROUNDING = 1e-9;
/**
 * How many of their rarest members two sets must share to be compared. One would do if it were looked for among the rarest
 * alone; looking up two more and asking for three leaves far fewer pairs (Wang et al. 2012). As long as so many must be shared.
 */
const MATCHES = 3;
/** So few candidates are all looked at when the search was ended early. */
const FEW = 64;
/** Instead of a count: this pair cannot reach the threshold any more. */
const HOPELESS = -1;

/** How alike two sets have to be, by the size of the larger one; above 0, and never less for larger ones. */
export type Threshold = (size: number) => number;

/** Calls `found` for each pair of sets, the earlier one first, that are alike enough. */
export async function joinSimilarSets(
  sets: PackedSets,
  thresholdOf: Threshold,
  found: (earlier: number, later: number, similarity: number) => void,
  progress: (share: number) => Promise<void>,
  limits = UNLIMITED,
): Promise<JoinCounts> {
  const { starts, members, firstShared } = sets;
  const order = bySize(sets);
  const sizes = new Uint16Array(sets.count);
  for (let p = 0; p < sets.count; p++) sizes[p] = starts[order[p]! + 1]! - starts[order[p]!]!;
  const index = emptyIndex(sets, order, thresholdOf);
  const { heads, ends, places, positions } = index;
  const counts = new Int16Array(sets.count);
  const candidates = new Uint32Array(sets.count);
  const sketches = sketchesOf(sets, order);
  const work = { compared: 0, bounded: 0 };
  let sinceReport = 0;

  for (let p = 0; p < sets.count; p++) {
    const size = sizes[p]!;
    const threshold = thresholdOf(size);
    const start = starts[order[p]!]!;
    const smallest = Math.ceil(threshold * size - ROUNDING);
    const prefix = Math.min(size, size - smallest + MATCHES);
    let candidateCount = 0;
    let lookups = 0;
    for (let i = 0; i < prefix; i++) {
      const member = members[start + i]!;
      if (member < firstShared) continue;
      let head = heads[member]!;
      const end = ends[member]!;
      while (head < end && sizes[places[head]!]! < smallest) head++;
      heads[member] = head;
      lookups += end - head;
      if (lookups > limits.maxLookups) break;
      for (; head < end; head++) {
        const q = places[head]!;
        const count = counts[q]!;
        if (count === HOPELESS) continue;
        if (count === 0) candidates[candidateCount++] = q;
        const otherSize = sizes[q]!;
        const left = Math.min(size - i, otherSize - positions[head]!);
        counts[q] = count + left >= needed(size + otherSize, threshold) ? count + 1 : HOPELESS;
      }
    }
    // Where the search was ended, not all matches have been seen.
    const seen = candidateCount > FEW ? MATCHES - 1 : 1;
    const enough = lookups > limits.maxLookups ? seen : MATCHES;
    let compared = 0;
    for (let c = 0; c < candidateCount; c++) {
      const q = candidates[c]!;
      const matches = counts[q]!;
      counts[q] = 0;
      const total = size + sizes[q]!;
      if (matches < Math.min(enough, needed(total, threshold)) || compared >= limits.maxPairs) continue;
      if (!mayBeAlike(sketches, p, q, total, threshold)) continue;
      compared++;
      const similarity = computeJaccard(sets, order[p]!, order[q]!, threshold);
      if (similarity >= threshold) {
        found(Math.min(order[p]!, order[q]!), Math.max(order[p]!, order[q]!), similarity);
      }
    }
    work.compared += compared;
    if (lookups > limits.maxLookups || compared >= limits.maxPairs) work.bounded++;
    add(index, sets, order, p, thresholdOf);
    sinceReport += lookups + size + PAIR * compared;
    if (sinceReport > BETWEEN_REPORTS) {
      sinceReport = 0;
      await progress(p / sets.count);
    }
  }
  return work;
}

/** The sets from small to large (a counting sort, so that equal ones stay in their order). */
function bySize({ count, starts }: PackedSets): Uint32Array {
  let largest = 0;
  for (let i = 0; i < count; i++) largest = Math.max(largest, starts[i + 1]! - starts[i]!);
  const next = new Uint32Array(largest + 2);
  for (let i = 0; i < count; i++) next[starts[i + 1]! - starts[i]! + 1]!++;
  for (let size = 1; size < next.length; size++) next[size]! += next[size - 1]!;
  const order = new Uint32Array(count);
  for (let i = 0; i < count; i++) order[next[starts[i + 1]! - starts[i]!]!++] = i;
  return order;
}

interface Index {
  /**
   * Where the entries of a member begin that are still large enough for those to come, and where they end as
   * yet.
   */
  heads: Uint32Array;
  ends: Uint32Array;
  /** For each entry: which set (by its place in the order of size), and where in it the member stands. */
  places: Uint32Array;
  positions: Uint16Array;
}

/**
 * How many members of a set are entered: fewer than are looked up, because only sets as large or larger will
 * ask.
 */
function entered(size: number, thresholdOf: Threshold): number {
  const threshold = thresholdOf(size);
  return Math.min(size, size - Math.ceil(((2 * threshold) / (1 + threshold)) * size - ROUNDING) + MATCHES);
}

function emptyIndex(
  { count, starts, members, firstShared, universe }: PackedSets,
  order: Uint32Array,
  thresholdOf: Threshold,
): Index {
  const heads = new Uint32Array(universe + 1);
  for (let p = 0; p < count; p++) {
    const start = starts[order[p]!]!;
    const until = start + entered(starts[order[p]! + 1]! - start, thresholdOf);
    for (let at = start; at < until; at++) if (members[at]! >= firstShared) heads[members[at]! + 1]!++;
  }
  for (let member = 1; member <= universe; member++) heads[member]! += heads[member - 1]!;
  const entries = heads[universe]!;
  return {
    heads,
    ends: heads.slice(),
    places: new Uint32Array(entries),
    positions: new Uint16Array(entries),
  };
}

function add(
  index: Index,
  { starts, members, firstShared }: PackedSets,
  order: Uint32Array,
  p: number,
  thresholdOf: Threshold,
): void {
  const start = starts[order[p]!]!;
  const until = start + entered(starts[order[p]! + 1]! - start, thresholdOf);
  for (let at = start; at < until; at++) {
    const member = members[at]!;
    if (member < firstShared) continue;
    const entry = index.ends[member]!++;
    index.places[entry] = p;
    index.positions[entry] = at - start;
  }
}

/** 32-bit words of a sketch. */
const SKETCH = 4;

/** For each set 128 bits, each telling whether an odd number of its members fall to it. */
function sketchesOf({ count, starts, members }: PackedSets, order: Uint32Array): Int32Array {
  const sketches = new Int32Array(count * SKETCH);
  for (let p = 0; p < count; p++) {
    const end = starts[order[p]! + 1]!;
    for (let at = starts[order[p]!]!; at < end; at++) {
      const bit = Math.imul(members[at]!, 0x9e3779b1) >>> 25;
      sketches[p * SKETCH + (bit >>> 5)]! ^= 1 << (bit & 31);
    }
  }
  return sketches;
}

/**
 * Each bit in which two sketches differ is at least one member without a partner; there may be only so many.
 */
function mayBeAlike(sketches: Int32Array, p: number, q: number, total: number, threshold: number): boolean {
  let differing = 0;
  for (let word = 0; word < SKETCH; word++) {
    differing += popcount(sketches[p * SKETCH + word]! ^ sketches[q * SKETCH + word]!);
  }
  return differing <= sparable(total, threshold);
}

/** How many members two sets, together of that size, must have in common. */
const needed = (total: number, threshold: number) =>
  Math.ceil((threshold / (1 + threshold)) * total - ROUNDING);

/** How many of their members may be without a partner. */
const sparable = (total: number, threshold: number) => total - 2 * needed(total, threshold);

/** Exactly, or 0 as soon as the threshold is out of reach. */
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
  const total = endA - i + endB - j;
  let spare = sparable(total, threshold);
  let common = 0;
  while (i < endA && j < endB) {
    const difference = members[i]! - members[j]!;
    if (difference === 0) {
      common++;
      i++;
      j++;
    } else {
      if (--spare < 0) return 0;
      if (difference < 0) i++;
      else j++;
    }
  }
  return common / (total - common);
}
