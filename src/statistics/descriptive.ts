/** Descriptive statistics. A statistic of an empty sample is null, never NaN. */

/** Arithmetic mean. */
export function mean(values: ArrayLike<number>): number | null {
  if (values.length === 0) return null;
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum / values.length;
}

/**
 * Quantile of ascending values at probability p in [0, 1], by linear interpolation between order
 * statistics: type 7 of Hyndman and Fan (1996), the default of R and NumPy.
 */
export function quantile(sorted: ArrayLike<number>, p: number): number | null {
  if (sorted.length === 0) return null;
  const h = (sorted.length - 1) * p;
  const below = Math.floor(h);
  const low = sorted[below]!;
  return low + (h - below) * ((sorted[below + 1] ?? low) - low);
}

/**
 * Shannon entropy −Σ p · ln p of the proportions of counts, in nats. Null where all counts are 0.
 */
export function entropy(counts: ArrayLike<number>): number | null {
  let total = 0;
  for (let i = 0; i < counts.length; i++) total += counts[i]!;
  if (total === 0) return null;
  let sum = 0;
  for (let i = 0; i < counts.length; i++) {
    const p = counts[i]! / total;
    if (p > 0) sum += p * Math.log(1 / p);
  }
  return sum;
}

/**
 * Pielou's evenness (1966): entropy / ln(number of classes). 1 for equal counts, 0 where one class
 * has them all. Null for fewer than two classes, or where all counts are 0.
 */
export function evenness(counts: ArrayLike<number>): number | null {
  const h = entropy(counts);
  return h === null || counts.length < 2 ? null : Math.min(1, h / Math.log(counts.length));
}
