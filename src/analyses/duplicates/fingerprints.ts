/**
 * Numbers for different things, from 0 in the order they are first met, that does not keep the things: each is known by two
 * independent 32-bit hashes. Among ten million the chance that any two are taken for one is about three in a million.
 */

const SLOT = 3;

/** An open-addressing table of (hash, hash, number + 1). */
export class FingerprintTable {
  #slots = new Int32Array(SLOT << 16);
  #mask = (1 << 16) - 1;
  /** How many different ones there are. */
  count = 0;

  /** The number of what has these hashes. */
  intern(first: number, second: number): number {
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

/** Two hashes of a text, after FNV-1a. */
export function fingerprint(text: string): [number, number] {
  let first = 0x811c9dc5;
  let second = 0x9747b28c;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    first = Math.imul(first ^ code, 0x01000193);
    second = Math.imul(second ^ code, 0x5bd1e995);
    second ^= second >>> 15;
  }
  return [first | 0, second | 0];
}
