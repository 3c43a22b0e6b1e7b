import type { Scores } from '../shared/responses.ts';

/** Row and column sums of the score matrix. */
export interface Totals {
  /** By case: scored items, and of these the correct ones. */
  answered: Uint32Array;
  right: Uint32Array;
  /** The number of cases with a score. */
  cases: number;
  /** The items with a score, by index. */
  items: Uint32Array;
  /** By item: cases with a score, and of these the correct ones. */
  counts: Uint32Array;
  rightCounts: Uint32Array;
  /** Whether every case has a score on every one of `items`. */
  complete: boolean;
}

export function computeTotals(scores: Scores): Totals {
  const answered = new Uint32Array(scores.cases);
  const right = new Uint32Array(scores.cases);
  const counts = new Uint32Array(scores.items);
  const rightCounts = new Uint32Array(scores.items);
  let cases = 0;
  for (let c = 0; c < scores.cases; c++) {
    const [from, to] = [scores.starts[c]!, scores.starts[c + 1]!];
    answered[c] = to - from;
    if (to > from) cases++;
    for (let i = from; i < to; i++) {
      right[c]! += scores.right[i]!;
      counts[scores.item[i]!]!++;
      rightCounts[scores.item[i]!]! += scores.right[i]!;
    }
  }
  const items = Uint32Array.from(counts.keys()).filter((item) => counts[item]! > 0);
  return {
    answered,
    right,
    cases,
    items,
    counts,
    rightCounts,
    complete: scores.item.length === cases * items.length,
  };
}

/** Number correct if the matrix is complete, else the proportion correct of the scored items. */
export function computeCaseScores({ answered, right, complete }: Totals): Float64Array {
  return Float64Array.from(right, (count, c) => {
    if (complete) return count;
    return answered[c]! > 0 ? count / answered[c]! : 0;
  });
}
