/** Plain statistics of lists of numbers. What has no value is null, never NaN. */

export function mean(values: ArrayLike<number>): number | null {
  if (values.length === 0) return null;
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum / values.length;
}

/** Of ascending values, by linear interpolation between the two nearest (type 7 of Hyndman and Fan, the usual one). */
export function quantile(sorted: ArrayLike<number>, share: number): number | null {
  if (sorted.length === 0) return null;
  const place = (sorted.length - 1) * share;
  const below = Math.floor(place);
  const low = sorted[below]!;
  return low + (place - below) * ((sorted[below + 1] ?? low) - low);
}

/** Shannon's entropy of the shares of these counts, in nats. */
export function entropy(counts: ArrayLike<number>): number | null {
  let total = 0;
  for (let i = 0; i < counts.length; i++) total += counts[i]!;
  if (total === 0) return null;
  let sum = 0;
  for (let i = 0; i < counts.length; i++) {
    const share = counts[i]! / total;
    if (share > 0) sum += share * Math.log(1 / share);
  }
  return sum;
}

/** How even the counts are (Pielou, 1966): 1 where all are the same, 0 where everything is in one class. */
export function evenness(counts: ArrayLike<number>): number | null {
  const found = entropy(counts);
  return found === null || counts.length < 2 ? null : Math.min(1, found / Math.log(counts.length));
}
