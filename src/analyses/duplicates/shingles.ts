/** Turns texts into sets of shingles: all character 5-grams, numbered from rare to frequent. */
import type { Ticker } from '../../concurrency/ticker.ts';
import { FingerprintTable } from './fingerprints.ts';
import { type PackedSets, rankByFrequency } from './packed-sets.ts';

export const SHINGLE_CHARS = 5;
/** Bounds the memory of all shingles to half a gigabyte. */
const MAX_SHINGLES = 120_000_000;
/** The share of the work that is done when all shingles are numbered. */
const NUMBERED = 0.7;

/** To how many characters texts must be cut so that all shingles fit. */
export function findMaxChars(lengths: ArrayLike<number>, maxShingles = MAX_SHINGLES): number {
  let [low, high] = [SHINGLE_CHARS, 1];
  for (let i = 0; i < lengths.length; i++) high = Math.max(high, lengths[i]!);
  const fits = (maxChars: number) => {
    let sum = 0;
    for (let i = 0; i < lengths.length; i++) sum += Math.min(maxChars, lengths[i]!);
    return sum <= maxShingles;
  };
  if (fits(high)) return Math.max(high, SHINGLE_CHARS);
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * Builds the shingle sets. A text shorter than a shingle is its own only shingle. Texts are read
 * one at a time, so that they need not all be in memory.
 */
export async function buildShingleSets(
  lengths: ArrayLike<number>,
  readText: (index: number) => string,
  maxChars: number,
  ticker: Ticker,
): Promise<PackedSets> {
  const count = lengths.length;
  const starts = new Uint32Array(count + 1);
  for (let i = 0; i < count; i++) {
    starts[i + 1] = starts[i]! + Math.max(1, Math.min(lengths[i]!, maxChars) - SHINGLE_CHARS + 1);
  }
  const members = new Uint32Array(starts[count]!);
  const table = new FingerprintTable();
  for (let i = 0; i < count; i++) {
    if (ticker.due()) await ticker.yield((i / count) * NUMBERED);
    const text = readText(i);
    const start = starts[i]!;
    const end = starts[i + 1]!;
    for (let m = start; m < end; m++) {
      // Two polynomial hashes of the five characters, with odd multipliers, modulo 2^32.
      let first = 0;
      let second = 0;
      const last = Math.min(m - start + SHINGLE_CHARS, text.length);
      for (let k = m - start; k < last; k++) {
        const code = text.charCodeAt(k) + 1;
        first = Math.imul(first, 0x01000193) + code;
        second = Math.imul(second, 0x5bd1e995) + code;
      }
      members[m] = table.intern(Math.imul(first, 0x9e3779b1), second | 0);
    }
  }
  return rankByFrequency(starts, members, table.count, ticker.part(NUMBERED, 1));
}
