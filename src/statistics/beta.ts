/**
 * Distributions that follow from the regularised incomplete beta function: the upper tail of
 * Student's t and the quantile function of F.
 */
import { lnGamma } from './special.ts';

/** Replaces a zero denominator in the modified Lentz method. */
const TINY = 1e-300;
/** Relative convergence tolerance; rounding keeps a factor from coming nearer to 1. */
const TOLERANCE = 4 * Number.EPSILON;
/**
 * A safeguard: the fraction converges in some thousand terms for fifty million degrees of freedom.
 */
const MAX_TERMS = 1_000_000;
/** Bisection of [0, 1] reaches adjacent doubles in fewer steps than this. */
const MAX_BISECTIONS = 1100;

/**
 * Upper tail P(T > t) of Student's t with `freedom` > 0 degrees of freedom:
 * I(ν / (ν + t²); ν/2, 1/2) / 2 for t ≥ 0.
 */
export function studentUpperTail(t: number, freedom: number): number {
  const half = incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2;
  return t < 0 ? 1 - half : half;
}

/**
 * Quantile of the F distribution: the x with P(F ≤ x) = p, for 0 < p < 1 and degrees of freedom >
 * 0. By bisection of the beta quantile, since d₁F / (d₁F + d₂) has the Beta(d₁/2, d₂/2)
 * distribution.
 */
export function fQuantile(p: number, numerator: number, denominator: number): number {
  let low = 0;
  let high = 1;
  for (let i = 0; i < MAX_BISECTIONS; i++) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) break;
    if (incompleteBeta(middle, numerator / 2, denominator / 2) < p) low = middle;
    else high = middle;
  }
  return (denominator * high) / (numerator * (1 - high));
}

/**
 * Regularised incomplete beta function I(x; a, b), for a > 0 and b > 0. Uses I(x; a, b) = 1 − I(1 −
 * x; b, a) where the continued fraction converges faster for the complement.
 */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(a * Math.log(x) + b * Math.log1p(-x) + lnGamma(a + b) - lnGamma(a) - lnGamma(b));
  return x < (a + 1) / (a + b + 2)
    ? (front * betaFraction(x, a, b)) / a
    : 1 - (front * betaFraction(1 - x, b, a)) / b;
}

/**
 * Continued fraction of the incomplete beta function (DLMF 8.17.22), by the modified Lentz method.
 */
function betaFraction(x: number, a: number, b: number): number {
  let c = 1;
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1));
  let product = d;
  for (let m = 1, change = 0; m < MAX_TERMS && Math.abs(change - 1) > TOLERANCE; m++) {
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
