/**
 * Cases by their score, and groups of them such as the best 27 %. Cases with equal scores at the border of a group belong to
 * it in part, each as much as the others: what comes out is the average over all ways to break the tie, and does not depend on
 * the order of the cases.
 */

export interface Levels {
  /** The scores there are, ascending. */
  values: Float64Array;
  /** How many cases have this score or a lower one. */
  ends: Uint32Array;
}

/** A range of places among cases in ascending order. */
export type Range = readonly [from: number, to: number];

/** Whole numbers up to this are counted instead of sorted. */
const COUNTABLE = 4096;

export function levelsOf(scores: ArrayLike<number>): Levels {
  return countedLevels(scores) ?? sortedLevels(scores);
}

/** Of small whole numbers, many times as fast; nothing where there are others, or too few to make it worth while. */
function countedLevels(scores: ArrayLike<number>): Levels | undefined {
  let most = 0;
  for (let i = 0; i < scores.length; i++) {
    const score = scores[i]!;
    if (!(score >= 0 && score <= COUNTABLE) || score !== Math.floor(score)) return undefined;
    if (score > most) most = score;
  }
  if (most > 8 * scores.length) return undefined;
  const counts = new Uint32Array(most + 1);
  for (let i = 0; i < scores.length; i++) counts[scores[i]!]!++;
  const values: number[] = [];
  const ends: number[] = [];
  let end = 0;
  for (let value = 0; value <= most; value++) {
    if (counts[value] === 0) continue;
    end += counts[value]!;
    values.push(value);
    ends.push(end);
  }
  return { values: Float64Array.from(values), ends: Uint32Array.from(ends) };
}

function sortedLevels(scores: ArrayLike<number>): Levels {
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

/** How many cases there are of each class at each level: by class, then level. */
export function tabulate(
  classes: Uint8Array,
  classCount: number,
  scores: Float64Array,
  { values }: Levels,
): Uint32Array[] {
  const table = Array.from({ length: classCount }, () => new Uint32Array(values.length));
  for (let i = 0; i < scores.length; i++) table[classes[i]!]![placeOf(values, scores[i]!)]!++;
  return table;
}

/** Where a value is in a list that has it, by halving. */
function placeOf(values: Float64Array, value: number): number {
  let low = 0;
  let high = values.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many of the cases counted by level fall into a range of places. */
export function inRange(counts: Uint32Array, { ends }: Levels, [from, to]: Range): number {
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

/** The mean score in a range of places. */
export function meanInRange({ values, ends }: Levels, [from, to]: Range): number | null {
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

/** The share of cases in the upper and in the lower group that gives them the most certain difference (Kelley, 1939). */
const KELLEY = 0.27;

/** The lowest 27 %, those between, and the highest 27 % of n cases: at least one in each of the outer ones. */
export function kelleyGroups(n: number): { lower: Range; middle: Range; upper: Range } {
  const size = Math.max(1, Math.round(KELLEY * n));
  return { lower: [0, size], middle: [size, n - size], upper: [n - size, n] };
}

/** n cases in `count` groups as equal as can be, from the lowest scores to the highest. */
export const equalGroups = (n: number, count: number): Range[] =>
  Array.from({ length: count }, (_, i) => [Math.round((i * n) / count), Math.round(((i + 1) * n) / count)]);
