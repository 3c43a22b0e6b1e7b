/**
 * Groups cases by score, such as the upper and lower 27 %.
 *
 * Cases with the same score at the boundary of a group belong to it fractionally, each with the
 * same weight. That is the average over all ways to break the tie, so results do not depend on the
 * order of cases.
 */

/** The distinct scores of a set of cases. */
export interface ScoreLevels {
  /** Ascending. */
  values: Float64Array;
  /** The number of cases with this score or a lower one. */
  ends: Uint32Array;
}

/** A range of ranks among cases in ascending order of score; `to` is exclusive. */
export type RankRange = readonly [from: number, to: number];

/** Integer scores up to this are counted instead of sorted. */
const MAX_COUNTED_SCORE = 4096;
/** Counting is faster than sorting only if scores are not much larger than the number of cases. */
const MAX_SCORES_PER_CASE = 8;

/**
 * The proportion of cases in the upper and lower group that maximises the precision of their
 * difference (Kelley 1939).
 */
const KELLEY_PROPORTION = 0.27;

export function buildScoreLevels(scores: ArrayLike<number>): ScoreLevels {
  return countLevels(scores) ?? sortLevels(scores);
}

/** Counting sort for small non-negative integers; undefined if it does not apply. */
function countLevels(scores: ArrayLike<number>): ScoreLevels | undefined {
  let max = 0;
  for (let i = 0; i < scores.length; i++) {
    const score = scores[i]!;
    if (!(score >= 0 && score <= MAX_COUNTED_SCORE) || score !== Math.floor(score)) return undefined;
    if (score > max) max = score;
  }
  if (max > MAX_SCORES_PER_CASE * scores.length) return undefined;
  const counts = new Uint32Array(max + 1);
  for (let i = 0; i < scores.length; i++) counts[scores[i]!]!++;
  const values: number[] = [];
  const ends: number[] = [];
  let end = 0;
  for (let value = 0; value <= max; value++) {
    if (counts[value] === 0) continue;
    end += counts[value]!;
    values.push(value);
    ends.push(end);
  }
  return { values: Float64Array.from(values), ends: Uint32Array.from(ends) };
}

function sortLevels(scores: ArrayLike<number>): ScoreLevels {
  const sorted = new Float64Array(scores).sort();
  const values = new Float64Array(sorted.length);
  const ends = new Uint32Array(sorted.length);
  let n = 0;
  for (let i = 0; i < sorted.length; i++) {
    if (i + 1 < sorted.length && sorted[i + 1] === sorted[i]) continue;
    values[n] = sorted[i]!;
    ends[n++] = i + 1;
  }
  return { values: values.subarray(0, n), ends: ends.subarray(0, n) };
}

/** Counts cases by class, then score level. */
export function tabulate(
  classes: Uint8Array,
  classCount: number,
  scores: Float64Array,
  { values }: ScoreLevels,
): Uint32Array[] {
  const table = Array.from({ length: classCount }, () => new Uint32Array(values.length));
  for (let i = 0; i < scores.length; i++) table[classes[i]!]![findLevel(values, scores[i]!)]!++;
  return table;
}

/** The same for cases that can be of several classes, as bits. */
export function tabulateSets(
  sets: Uint32Array,
  classCount: number,
  scores: Float64Array,
  { values }: ScoreLevels,
): Uint32Array[] {
  const table = Array.from({ length: classCount }, () => new Uint32Array(values.length));
  for (let i = 0; i < scores.length; i++) {
    const level = findLevel(values, scores[i]!);
    for (let each = 0; each < classCount; each++) if (sets[i]! & (1 << each)) table[each]![level]!++;
  }
  return table;
}

/** Binary search for a value that is present. */
function findLevel(values: Float64Array, value: number): number {
  let low = 0;
  let high = values.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Counts the cases in a range of ranks, from counts by level. May be fractional. */
export function countInRange(counts: Uint32Array, { ends }: ScoreLevels, [from, to]: RankRange): number {
  let sum = 0;
  let begin = 0;
  for (let level = 0; level < ends.length && begin < to; level++) {
    const end = ends[level]!;
    const overlap = Math.min(end, to) - Math.max(begin, from);
    if (overlap > 0) sum += (counts[level]! * overlap) / (end - begin);
    begin = end;
  }
  return sum;
}

/** The mean score in a range of ranks; null if it is empty. */
export function meanInRange({ values, ends }: ScoreLevels, [from, to]: RankRange): number | null {
  if (!(to > from)) return null;
  let sum = 0;
  let begin = 0;
  for (let level = 0; level < ends.length && begin < to; level++) {
    const overlap = Math.min(ends[level]!, to) - Math.max(begin, from);
    if (overlap > 0) sum += values[level]! * overlap;
    begin = ends[level]!;
  }
  return sum / (to - from);
}

/**
 * The lower 27 %, the middle and the upper 27 % of n cases. The outer groups have at least one
 * case.
 */
export function kelleyGroups(n: number): { lower: RankRange; middle: RankRange; upper: RankRange } {
  const size = Math.max(1, Math.round(KELLEY_PROPORTION * n));
  return { lower: [0, size], middle: [size, n - size], upper: [n - size, n] };
}

/** Divides n cases into `count` groups of nearly equal size, lowest scores first. */
export const equalGroups = (n: number, count: number): RankRange[] =>
  Array.from({ length: count }, (_, i) => [Math.round((i * n) / count), Math.round(((i + 1) * n) / count)]);
