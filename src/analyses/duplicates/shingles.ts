/** Texts as sets of character 5-grams, in the form the join wants them: numbers, rarest first. */
import { FingerprintTable } from './fingerprints.ts';
import { type PackedSets, rankByFrequency } from './packed-sets.ts';

const GRAM = 5;
/** More grams than this are not kept at once; they would take half a gigabyte. */
const MOST_GRAMS = 120_000_000;
const BETWEEN_REPORTS = 1 << 20;
/** The share of the work that is done when all grams have numbers. */
const COUNTED = 0.7;

/** How many characters of each text can be looked at so that all grams fit; long texts give way first. */
export function findMaxChars(lengths: ArrayLike<number>, most = MOST_GRAMS): number {
  let [low, high] = [GRAM, 1];
  for (let i = 0; i < lengths.length; i++) high = Math.max(high, lengths[i]!);
  const fits = (limit: number) => {
    let sum = 0;
    for (let i = 0; i < lengths.length; i++) sum += Math.min(limit, lengths[i]!);
    return sum <= most;
  };
  if (fits(high)) return Math.max(high, GRAM);
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** The sets of 5-grams. A text that is shorter is its own only gram. Texts are asked for one at a time, to be let go again. */
export async function buildShingleSets(
  lengths: ArrayLike<number>,
  textAt: (place: number) => string,
  longest: number,
  progress: (share: number) => Promise<void>,
): Promise<PackedSets> {
  const count = lengths.length;
  const starts = new Uint32Array(count + 1);
  for (let i = 0; i < count; i++) {
    starts[i + 1] = starts[i]! + Math.max(1, Math.min(lengths[i]!, longest) - GRAM + 1);
  }
  const members = new Uint32Array(starts[count]!);
  const numbers = new FingerprintTable();
  for (let i = 0, reported = 0; i < count; i++) {
    const text = textAt(i);
    const from = starts[i]!;
    const end = starts[i + 1]!;
    for (let at = from; at < end; at++) {
      // Two polynomials of the five characters, with odd factors, modulo 2^32.
      let first = 0;
      let second = 0;
      const last = Math.min(at - from + GRAM, text.length);
      for (let k = at - from; k < last; k++) {
        const code = text.charCodeAt(k) + 1;
        first = Math.imul(first, 0x01000193) + code;
        second = Math.imul(second, 0x5bd1e995) + code;
      }
      members[at] = numbers.intern(Math.imul(first, 0x9e3779b1), second | 0);
    }
    if (end - reported > BETWEEN_REPORTS) {
      reported = end;
      await progress((i / count) * COUNTED);
    }
  }
  return rankByFrequency(starts, members, numbers.count, (share) =>
    progress(COUNTED + share * (1 - COUNTED)),
  );
}
