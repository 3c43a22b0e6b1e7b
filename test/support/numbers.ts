/** Assertions on numbers, and a generator of pseudo-random ones. */
import assert from 'node:assert/strict';

export const assertNear = (actual: number | null, expected: number, tolerance = 1e-10) =>
  assert.ok(actual !== null && Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected}`);

/** Asserts that no number in the value is NaN or infinite. */
export function assertFinite(value: unknown, path = 'result'): void {
  if (typeof value === 'number') assert.ok(Number.isFinite(value), path);
  else if (value && typeof value === 'object') {
    for (const [key, inner] of Object.entries(value)) assertFinite(inner, `${path}.${key}`);
  }
}

/** A linear congruential generator of numbers in [0, 1). */
export function createGenerator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
