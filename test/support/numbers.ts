/** Assertions on floating-point numbers. */
import assert from 'node:assert/strict';

/** The largest allowed difference, absolute or as a proportion of the expected value. */
export type Tolerance = { absolute: number } | { relative: number };

export function assertClose(
  actual: number | null,
  expected: number,
  tolerance: Tolerance = { absolute: 1e-10 },
  label = 'value',
): void {
  const limit = 'absolute' in tolerance ? tolerance.absolute : tolerance.relative * Math.abs(expected);
  assert.ok(
    actual !== null && Math.abs(actual - expected) <= limit,
    `${label}: expected ${expected} within ${limit}, got ${actual}`,
  );
}

/** Asserts that two lists have the same length and that their elements are close. */
export function assertAllClose(
  actual: ArrayLike<number>,
  expected: ArrayLike<number>,
  tolerance: Tolerance,
  label: string,
): void {
  assert.equal(actual.length, expected.length, label);
  for (let i = 0; i < actual.length; i++) {
    assertClose(actual[i]!, expected[i]!, tolerance, `${label}[${i}]`);
  }
}

/** Asserts that no number in the value is NaN or infinite, which JSON would turn into null. */
export function assertFinite(value: unknown, path = 'result'): void {
  if (typeof value === 'number') assert.ok(Number.isFinite(value), path);
  else if (value && typeof value === 'object') {
    for (const [key, inner] of Object.entries(value)) assertFinite(inner, `${path}.${key}`);
  }
}
