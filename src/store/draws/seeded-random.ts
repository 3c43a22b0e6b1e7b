/** Random numbers that a seed determines. The generator is specified in docs/delivery.md. */
import { hash } from 'node:crypto';

const WORDS_PER_DIGEST = 8;

/** 32-bit words: the SHA-256 digests of the label and a counter. */
export class SeededRandom {
  readonly #label: string;
  #digest = Buffer.alloc(0);
  #counter = 0;
  #used = WORDS_PER_DIGEST;

  constructor(label: string) {
    this.#label = label;
  }

  /** A uniform integer from 0 to before `n`, which is at most 2^32: words beyond a multiple of `n` are skipped. */
  below(n: number): number {
    const end = 2 ** 32 - (2 ** 32 % n);
    for (;;) {
      const word = this.#next();
      if (word < end) return word % n;
    }
  }

  #next(): number {
    if (this.#used === WORDS_PER_DIGEST) {
      this.#digest = hash('sha256', `${this.#label} ${this.#counter++}`, 'buffer');
      this.#used = 0;
    }
    return this.#digest.readUInt32BE(4 * this.#used++);
  }
}

/**
 * The numbers from 0 to before `n` in a random order, computed as they are taken: a shuffle after
 * Fisher and Yates, whose array exists only where it was changed.
 */
export function* shuffleLazily(random: SeededRandom, n: number): Generator<number> {
  const moved = new Map<number, number>();
  for (let i = 0; i < n; i++) {
    const j = i + random.below(n - i);
    yield moved.get(j) ?? j;
    moved.set(j, moved.get(i) ?? i);
    moved.delete(i);
  }
}
