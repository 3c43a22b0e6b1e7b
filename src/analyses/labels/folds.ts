/**
 * Stratified, grouped k-fold splits: folds have similar class shares, and copies of a text share a
 * fold.
 */
import type { Ticker } from '../../concurrency/ticker.ts';

/** Maps every row to the first row with the same key: the same text, whatever its label. */
export async function groupByKey(keys: Float64Array, ticker: Ticker): Promise<Uint32Array> {
  const firstRows = new Map<number, number>();
  const groups = new Uint32Array(keys.length);
  for (let row = 0; row < keys.length; row++) {
    if (ticker.due()) await ticker.yield(row / keys.length);
    const first = firstRows.get(keys[row]!);
    if (first === undefined) firstRows.set(keys[row]!, row);
    groups[row] = first ?? row;
  }
  return groups;
}

/** Counts the distinct texts of each class. */
export function countDistinctByClass(
  labels: ArrayLike<number>,
  groups: Uint32Array,
  classes: number,
): Uint32Array {
  const counts = new Uint32Array(classes);
  const seen = new Set<number>();
  for (let row = 0; row < groups.length; row++) {
    const [label, first] = [labels[row]!, groups[row]!];
    if (first !== row) {
      const pair = first * classes + label;
      if (label === labels[first] || seen.has(pair)) continue;
      seen.add(pair);
    }
    counts[label]!++;
  }
  return counts;
}

const UNASSIGNED = 255;

/**
 * Assigns the rows of each class to the folds in rotation. Rows with the same text go to the same
 * fold, so that no copy of a question is in the training data: two copies with different labels
 * would each make the other a suspect.
 */
export function assignFolds(
  labels: ArrayLike<number>,
  groups: ArrayLike<number>,
  classes: number,
  folds: number,
): Uint8Array {
  const assigned = new Uint32Array(classes);
  let groupCount = 0;
  for (let row = 0; row < groups.length; row++) groupCount = Math.max(groupCount, groups[row]! + 1);
  const foldOfGroup = new Uint8Array(groupCount).fill(UNASSIGNED);
  return Uint8Array.from(groups, (group, row) => {
    if (foldOfGroup[group] === UNASSIGNED) foldOfGroup[group] = assigned[labels[row]!]!++ % folds;
    return foldOfGroup[group]!;
  });
}

/**
 * Selects the training rows of a fold: all rows outside it, or a stratified sample of about
 * `maxRows`.
 */
export function selectTrainingRows(
  fold: number,
  folds: Uint8Array,
  labels: ArrayLike<number>,
  classes: number,
  maxRows: number,
): Uint32Array {
  let outside = 0;
  for (const other of folds) if (other !== fold) outside++;
  const share = Math.min(1, maxRows / outside);
  // Systematic sampling: a row is taken whenever the shares of its class add up to 1.
  const sums = new Float64Array(classes).fill(1 - share);
  const rows = new Uint32Array(outside);
  let taken = 0;
  for (let row = 0; row < folds.length; row++) {
    if (folds[row] === fold) continue;
    const label = labels[row]!;
    sums[label]! += share;
    if (sums[label]! < 1) continue;
    sums[label]! -= 1;
    rows[taken++] = row;
  }
  return rows.slice(0, taken);
}
