/** Which questions are learned from together: classes that are large enough, and folds that are alike. */

/** Rows between two breaths. */
const BREATH = 20_000;

/** For every row the first row with the same key: those are the same question, however it is filed. */
export async function groupByKey(keys: Float64Array, breathe: () => Promise<void>): Promise<Uint32Array> {
  const first = new Map<number, number>();
  const groups = new Uint32Array(keys.length);
  for (let row = 0; row < keys.length; row++) {
    if (row % BREATH === 0) await breathe();
    const known = first.get(keys[row]!);
    if (known === undefined) first.set(keys[row]!, row);
    groups[row] = known ?? row;
  }
  return groups;
}

/** How many different questions each class has. */
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

const UNDEALT = 255;

/**
 * Deals the rows of each class out to the folds in turn. Rows with the same text go to the same fold, so that no copy of
 * a question says how it is to be filed: two copies filed differently would each accuse the other.
 */
export function assignFolds(
  labels: ArrayLike<number>,
  groups: ArrayLike<number>,
  classes: number,
  folds: number,
): Uint8Array {
  const dealt = new Uint32Array(classes);
  let groupCount = 0;
  for (let row = 0; row < groups.length; row++) groupCount = Math.max(groupCount, groups[row]! + 1);
  const foldOfGroup = new Uint8Array(groupCount).fill(UNDEALT);
  return Uint8Array.from(groups, (group, row) => {
    if (foldOfGroup[group] === UNDEALT) foldOfGroup[group] = dealt[labels[row]!]!++ % folds;
    return foldOfGroup[group]!;
  });
}

/** The rows outside a fold; if there are more than `most`, about as many, picked evenly from every class. */
export function selectTrainingRows(
  fold: number,
  folds: Uint8Array,
  labels: ArrayLike<number>,
  classes: number,
  most: number,
): Uint32Array {
  let outside = 0;
  for (const other of folds) if (other !== fold) outside++;
  const share = Math.min(1, most / outside);
  // A row is taken whenever the shares of its class add up to a whole.
  const credits = new Float64Array(classes).fill(1 - share);
  const rows = new Uint32Array(outside);
  let taken = 0;
  for (let row = 0; row < folds.length; row++) {
    if (folds[row] === fold) continue;
    const label = labels[row]!;
    credits[label]! += share;
    if (credits[label]! < 1) continue;
    credits[label]! -= 1;
    rows[taken++] = row;
  }
  return rows.slice(0, taken);
}
