/** Exact arithmetic with rational numbers, for comparing numbers by value. */

/** The denominator is positive; both are without a common factor. */
export interface Rational {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Bounds the work on a text that looks like a number. */
const MAX_ABS_SCALE = 400;

export function toRational(numerator: bigint, denominator: bigint): Rational {
  const divisor = gcd(numerator, denominator) * (denominator < 0n ? -1n : 1n);
  return { numerator: numerator / divisor, denominator: denominator / divisor };
}

/** The greatest common divisor, which is positive. */
function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [abs(a), abs(b)];
  while (y > 0n) [x, y] = [y, x % y];
  return x;
}

const abs = (n: bigint) => (n < 0n ? -n : n);

/** Digits before and after the decimal point, with a power of ten; undefined if out of range. */
export function toDecimal(whole: string, fraction: string, exponent: number): Rational | undefined {
  const scale = fraction.length - exponent;
  if (whole + fraction === '' || Math.abs(scale) > MAX_ABS_SCALE) return undefined;
  const digits = BigInt(whole + fraction);
  return scale > 0
    ? toRational(digits, 10n ** BigInt(scale))
    : toRational(digits * 10n ** BigInt(-scale), 1n);
}

export const add = (a: Rational, b: Rational) =>
  toRational(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator);

export const negate = ({ numerator, denominator }: Rational): Rational => ({
  numerator: -numerator,
  denominator,
});

export const multiply = (a: Rational, b: Rational) =>
  toRational(a.numerator * b.numerator, a.denominator * b.denominator);

/** Undefined if the divisor is 0. */
export const divide = (a: Rational, b: Rational): Rational | undefined =>
  b.numerator === 0n ? undefined : toRational(a.numerator * b.denominator, a.denominator * b.numerator);

export const magnitude = ({ numerator, denominator }: Rational): Rational => ({
  numerator: abs(numerator),
  denominator,
});

/** Negative if a is less than b, positive if it is greater. */
export function compare(a: Rational, b: Rational): number {
  const difference = a.numerator * b.denominator - b.numerator * a.denominator;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** The canonical text of a number. */
export const formatRational = ({ numerator, denominator }: Rational) =>
  denominator === 1n ? `${numerator}` : `${numerator}/${denominator}`;
