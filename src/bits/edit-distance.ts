/** The Damerau-Levenshtein distance (optimal string alignment). O(nm) time: for words and names only. */
export function editDistance(a: string, b: string): number {
  let [previous, row] = [[] as number[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  let beforePrevious: number[] = [];
  for (let i = 1; i <= a.length; i++) {
    [beforePrevious, previous, row] = [previous, row, [i]];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let distance = Math.min(previous[j]! + 1, row[j - 1]! + 1, previous[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        distance = Math.min(distance, beforePrevious[j - 2]! + 1);
      row.push(distance);
    }
  }
  return row[b.length]!;
}
