/** "Did you mean": the name that a mistyped one is closest to. */

const MAX_DISTANCE = 2;

/** Undefined if no name is close. Names that begin with the given text are close to it. */
export function findClosest(given: string, names: readonly string[]): string | undefined {
  let best: string | undefined;
  // A short word is within two edits of many others.
  let distance = Math.min(MAX_DISTANCE, Math.floor(given.length / 2)) + 1;
  for (const name of names) {
    const found = computeDistance(given, name);
    if (found < distance) [best, distance] = [name, found];
  }
  return best ?? (given === '' ? undefined : names.find((name) => name.startsWith(given)));
}

/** Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours. */
function computeDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, substituted);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) row[j] = Math.min(row[j]!, rows[i - 2]![j - 2]! + 1);
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}
