/**
 * A keyed permutation of the numbers below 2^bits: a Feistel network of eight rounds, whose halves
 * differ by a bit if `bits` is odd. Each number has one position, found in constant time in both
 * directions, so a random order needs no memory. The rounds are specified in docs/delivery.md.
 */
export class Permutation {
  readonly size: number;
  readonly #keys: Uint32Array;
  readonly #lowSize: number;
  readonly #highMask: number;
  readonly #lowMask: number;

  /** A round for each key. At most 52 bits. */
  constructor(keys: Uint32Array, bits: number) {
    const low = bits >>> 1;
    this.size = 2 ** bits;
    this.#keys = keys;
    this.#lowSize = 2 ** low;
    this.#lowMask = 2 ** low - 1;
    this.#highMask = 2 ** (bits - low) - 1;
  }

  /** The number at a position. */
  at(position: number): number {
    let high = Math.floor(position / this.#lowSize);
    let low = position % this.#lowSize;
    for (let i = 0; i < this.#keys.length; i++) {
      if (i % 2 === 0) high ^= mix(low, this.#keys[i]!) & this.#highMask;
      else low ^= mix(high, this.#keys[i]!) & this.#lowMask;
    }
    return high * this.#lowSize + low;
  }

  /** The position of a number. */
  positionOf(number: number): number {
    let high = Math.floor(number / this.#lowSize);
    let low = number % this.#lowSize;
    for (let i = this.#keys.length - 1; i >= 0; i--) {
      if (i % 2 === 0) high ^= mix(low, this.#keys[i]!) & this.#highMask;
      else low ^= mix(high, this.#keys[i]!) & this.#lowMask;
    }
    return high * this.#lowSize + low;
  }
}

/** The round function: a multiplication, the key, and the finalizer of MurmurHash3. */
function mix(half: number, key: number): number {
  let hash = (Math.imul(half, 0x9e3779b1) + key) | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
