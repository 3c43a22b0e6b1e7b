/**
 * Texts as sets of character 5-grams, in the form the join wants them: numbers, rarest first.
 *
 * A gram is known by two independent 32-bit hashes. Among ten million different ones the chance that any two are taken for
 * one is about three in a million, so that nothing is lost by not keeping the grams themselves.
 */
import { rankByFrequency, type Sets } from './sets.ts';

const GRAM = 5;
const SLOT = 3;
/** More grams than this are not kept at once; they would take half a gigabyte. */
const MOST_GRAMS = 120_000_000;
const BETWEEN_REPORTS = 1 << 20;
/** The share of the work that is done when all grams have numbers. */
const COUNTED = 0.7;

/** Gives different grams numbers from 0, in an open-addressing table of (hash, hash, number + 1). */
class GramNumbers {
  #slots = new Int32Array(SLOT << 16);
  #mask = (1 << 16) - 1;
  count = 0;

  of(first: number, second: number): number {
    const slots = this.#slots;
    for (let slot = (first ^ (first >>> 15)) & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const at = slot * SLOT;
      const number = slots[at + 2]!;
      if (number === 0) return this.#add(at, first, second);
      if (slots[at] === first && slots[at + 1] === second) return number - 1;
    }
  }

  #add(at: number, first: number, second: number): number {
    this.#slots[at] = first;
    this.#slots[at + 1] = second;
    this.#slots[at + 2] = ++this.count;
    const number = this.count - 1;
    if (this.count * 2 > this.#mask) this.#grow();
    return number;
  }

  #grow(): void {
    const old = this.#slots;
    this.#mask = this.#mask * 2 + 1;
    this.#slots = new Int32Array((this.#mask + 1) * SLOT);
    for (let from = 0; from < old.length; from += SLOT) {
      if (old[from + 2] === 0) continue;
      let slot = (old[from]! ^ (old[from]! >>> 15)) & this.#mask;
      while (this.#slots[slot * SLOT + 2] !== 0) slot = (slot + 1) & this.#mask;
      this.#slots.set(old.subarray(from, from + SLOT), slot * SLOT);
    }
  }
}

/** How many characters of each text can be looked at so that all grams fit; long texts give way first. */
export function longestLookedAt(lengths: ArrayLike<number>, most = MOST_GRAMS): number {
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

/** The sets of 5-grams. A text that is shorter is its own only gram. */
export async function gramSets(
  texts: readonly string[],
  longest: number,
  progress: (share: number) => Promise<void>,
): Promise<Sets> {
  const count = texts.length;
  const starts = new Uint32Array(count + 1);
  for (let i = 0; i < count; i++) {
    starts[i + 1] = starts[i]! + Math.max(1, Math.min(texts[i]!.length, longest) - GRAM + 1);
  }
  const members = new Uint32Array(starts[count]!);
  const numbers = new GramNumbers();
  for (let i = 0, reported = 0; i < count; i++) {
    const text = texts[i]!;
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
      members[at] = numbers.of(Math.imul(first, 0x9e3779b1), second | 0);
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
