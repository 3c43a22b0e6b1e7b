/** Seeded pseudo-random numbers, so that every demo bank has the same responses. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** A uniform number in [0, 1), by the generator mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.next();
  }

  /** A standard normal number (Box and Muller 1958). */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.next() * list.length)]!;
  }

  /** The first `n` of the list in a random order (Fisher and Yates). */
  sample<T>(list: readonly T[], n: number): T[] {
    const rest = [...list];
    for (let i = 0; i < n; i++) {
      const j = i + Math.floor(this.next() * (rest.length - i));
      [rest[i], rest[j]] = [rest[j]!, rest[i]!];
    }
    return rest.slice(0, n);
  }
}
