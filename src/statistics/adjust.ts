/** P-values where many things are tested at once. */

/** Benjamini & Hochberg (1995): of those called significant at a level, no more than that share is expected to be so by chance. */
export function falseDiscoveryRate(p: readonly (number | null)[]): (number | null)[] {
  const tested = [...p.keys()].filter((i) => p[i] !== null);
  // From the largest down: no p-value may end up above that of one that was larger.
  const descending = tested.sort((a, b) => p[b]! - p[a]! || b - a);
  const adjusted: (number | null)[] = p.map(() => null);
  let least = 1;
  for (const [place, i] of descending.entries()) {
    least = Math.min(least, (p[i]! * tested.length) / (tested.length - place));
    adjusted[i] = least;
  }
  return adjusted;
}
