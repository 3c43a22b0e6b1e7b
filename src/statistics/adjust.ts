/**
 * Adjusts p-values for multiple testing by the step-up procedure of Benjamini and Hochberg (1995),
 * which controls the false discovery rate: with the p-values in ascending order, p(i) becomes min
 * over k ≥ i of p(k) · m / k. m counts the tests that have a p-value; null (not tested) stays null.
 */
export function falseDiscoveryRate(p: readonly (number | null)[]): (number | null)[] {
  const tested = [...p.keys()].filter((i) => p[i] !== null);
  const descending = tested.sort((a, b) => p[b]! - p[a]! || b - a);
  const adjusted: (number | null)[] = p.map(() => null);
  let runningMin = 1;
  for (const [rank, i] of descending.entries()) {
    runningMin = Math.min(runningMin, (p[i]! * tested.length) / (tested.length - rank));
    adjusted[i] = runningMin;
  }
  return adjusted;
}
