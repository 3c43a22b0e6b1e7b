/**
 * Interns things by a 64-bit fingerprint instead of keeping them: two independent 32-bit hashes.
 * Among ten million things the probability of any collision is about three in a million.
 */
import { fnv1a } from '../../bits/hash.ts';

const SLOT_WORDS = 3;
const INITIAL_SLOTS = 1 << 16;

/** An open-addressing hash table with linear probing. A slot is (hash, hash, number + 1). */
export class FingerprintTable {
  #slots = new Int32Array(SLOT_WORDS * INITIAL_SLOTS);
  #mask = INITIAL_SLOTS - 1;
  #count = 0;

  /** The number of different fingerprints. */
  get count(): number {
    return this.#count;
  }

  /** The number of a fingerprint, from 0 in the order of first occurrence. */
  intern(first: number, second: number): number {
    const slots = this.#slots;
    for (let slot = (first ^ (first >>> 15)) & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const i = slot * SLOT_WORDS;
      const number = slots[i + 2]!;
      if (number === 0) return this.#add(i, first, second);
      if (slots[i] === first && slots[i + 1] === second) return number - 1;
    }
  }

  #add(i: number, first: number, second: number): number {
    this.#slots[i] = first;
    this.#slots[i + 1] = second;
    this.#slots[i + 2] = ++this.#count;
    const number = this.#count - 1;
    if (this.#count * 2 > this.#mask) this.#grow();
    return number;
  }

  /** Doubles the table, so that at most half of the slots are used. */
  #grow(): void {
    const old = this.#slots;
    this.#mask = this.#mask * 2 + 1;
    this.#slots = new Int32Array((this.#mask + 1) * SLOT_WORDS);
    for (let i = 0; i < old.length; i += SLOT_WORDS) {
      if (old[i + 2] === 0) continue;
      let slot = (old[i]! ^ (old[i]! >>> 15)) & this.#mask;
      while (this.#slots[slot * SLOT_WORDS + 2] !== 0) slot = (slot + 1) & this.#mask;
      this.#slots.set(old.subarray(i, i + SLOT_WORDS), slot * SLOT_WORDS);
    }
  }
}

/** FNV-1a and, independent of it, a hash with MurmurHash2's multiplier and a shift in each step. */
export function fingerprint(text: string): [number, number] {
  let second = 0x9747b28c;
  for (let i = 0; i < text.length; i++) {
    second = Math.imul(second ^ text.charCodeAt(i), 0x5bd1e995);
    second ^= second >>> 15;
  }
  return [fnv1a(text) | 0, second | 0];
}
