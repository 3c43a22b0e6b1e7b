/** Seeded random numbers: a failing case can be repeated. */
export interface Chance {
  /** From 0 up to, not including, n. */
  below(n: number): number;
  pick<T>(list: readonly T[]): T;
  maybe(probability: number): boolean;
}

/** mulberry32 */
export function chance(seed: number): Chance {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return {
    below: (n) => Math.floor(next() * n),
    pick: (list) => list[Math.floor(next() * list.length)]!,
    maybe: (probability) => next() < probability,
  };
}
