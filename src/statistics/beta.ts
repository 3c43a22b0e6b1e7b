/** The incomplete beta function, and what follows from it: tails of Student's t and quantiles of F. */
import { lnGamma } from './special.ts';

/** A fraction whose parts may be zero is started from this instead (Lentz's method). */
const TINY = 1e-300;
const SETTLED = 4 * Number.EPSILON;
/** Far more than is ever needed: some thousand steps settle the fraction for fifty million degrees of freedom. */
const MOST_STEPS = 1_000_000;
/** So many halvings exhaust the digits of a number. */
const HALVINGS = 1100;

/** P(T > t) of Student's t with `freedom` degrees of freedom. */
export function studentUpperTail(t: number, freedom: number): number {
  const half = lowerBeta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2;
  return t < 0 ? 1 - half : half;
}

/** The value below which an F variable with these degrees of freedom lies with probability p, for 0 < p < 1. */
export function fQuantile(p: number, numerator: number, denominator: number): number {
  let low = 0;
  let high = 1;
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) break;
    if (lowerBeta(middle, numerator / 2, denominator / 2) < p) low = middle;
    else high = middle;
  }
  return (denominator * high) / (numerator * (1 - high));
}

/** The regularised incomplete beta function I(x; a, b), for a > 0 and b > 0. */
function lowerBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(a * Math.log(x) + b * Math.log1p(-x) + lnGamma(a + b) - lnGamma(a) - lnGamma(b));
  return x < (a + 1) / (a + b + 2)
    ? (front * fraction(x, a, b)) / a
    : 1 - (front * fraction(1 - x, b, a)) / b;
}

/** The continued fraction of the incomplete beta function: quick to converge left of the mean. */
function fraction(x: number, a: number, b: number): number {
  let c = 1;
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1));
  let product = d;
  for (let m = 1, change = 0; m < MOST_STEPS && Math.abs(change - 1) > SETTLED; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / nonZero(1 + even * d);
    c = nonZero(1 + even / c);
    product *= c * d;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / nonZero(1 + odd * d);
    c = nonZero(1 + odd / c);
    change = c * d;
    product *= change;
  }
  return product;
}

const nonZero = (value: number) => (Math.abs(value) < TINY ? TINY : value);
