/**
 * Special functions: upper tails of the normal and χ² distributions, the normal quantile, and ln Γ.
 * The tails come from the regularised incomplete gamma function and keep a relative error of about
 * 1e-13 for tiny probabilities too, so that extreme p-values can be compared. All functions are
 * defined for all arguments in the domain they state; none returns NaN within it.
 */

const HALF_LN_TWO_PI = Math.log(2 * Math.PI) / 2;
/** From this argument on, six terms of the Stirling series have the full precision of a double. */
const MIN_STIRLING_ARGUMENT = 10;
/** Replaces a zero denominator in the modified Lentz method. */
const TINY = 1e-300;
/** Relative convergence tolerance; rounding keeps a factor from coming nearer to 1. */
const TOLERANCE = 4 * Number.EPSILON;
/** AS 241 uses its central approximation for |p − 1/2| up to this. */
const CENTRAL = 0.425;
/**
 * Coefficients of AS 241: numerator and denominator of a rational function, constant terms first.
 */
const CENTRE = [
  [
    3.3871328727963665, 133.14166789178438, 1971.5909503065513, 13731.69376550946, 45921.95393154987,
    67265.7709270087, 33430.57558358813, 2509.0809287301227,
  ],
  [
    1, 42.31333070160091, 687.1870074920579, 5394.196021424751, 21213.794301586597, 39307.89580009271,
    28729.085735721943, 5226.495278852546,
  ],
];
const SHOULDER = [
  [
    1.4234371107496835, 4.630337846156546, 5.769497221460691, 3.6478483247632045, 1.2704582524523684,
    0.2417807251774506, 0.022723844989269184, 0.0007745450142783414,
  ],
  [
    1, 2.053191626637759, 1.6763848301838038, 0.6897673349851, 0.14810397642748008, 0.015198666563616457,
    0.0005475938084995345, 1.0507500716444169e-9,
  ],
];
const TAIL = [
  [
    6.657904643501103, 5.463784911164114, 1.7848265399172913, 0.29656057182850487, 0.026532189526576124,
    0.0012426609473880784, 2.7115555687434876e-5, 2.0103343992922881e-7,
  ],
  [
    1, 0.599832206555888, 0.1369298809227358, 0.014875361290850615, 0.0007868691311456133,
    1.8463183175100548e-5, 1.421511758316446e-7, 2.0442631033899397e-15,
  ],
];

/**
 * Upper tail P(Z > z) of the standard normal distribution, for any z: Q(1/2, z²/2) / 2 for z ≥ 0.
 */
export function normalUpperTail(z: number): number {
  const half = upperIncompleteGamma(0.5, (z * z) / 2) / 2;
  return z < 0 ? 1 - half : half;
}

/**
 * Quantile of the standard normal distribution: the z with P(Z ≤ z) = p, for 0 < p < 1. Wichura
 * (1988), algorithm AS 241 (PPND16), accurate to about 1e-16.
 */
export function normalQuantile(p: number): number {
  const distance = p - 0.5;
  if (Math.abs(distance) <= CENTRAL)
    return distance * evaluateRational(CENTRE, CENTRAL ** 2 - distance * distance);
  const r = Math.sqrt(-Math.log(Math.min(p, 1 - p)));
  const z = r <= 5 ? evaluateRational(SHOULDER, r - 1.6) : evaluateRational(TAIL, r - 5);
  return distance < 0 ? -z : z;
}

const evaluateRational = ([numerator, denominator]: readonly (readonly number[])[], x: number) =>
  evaluatePolynomial(numerator!, x) / evaluatePolynomial(denominator!, x);

/** By Horner's rule. */
const evaluatePolynomial = (coefficients: readonly number[], x: number) =>
  coefficients.reduceRight((sum, coefficient) => sum * x + coefficient, 0);

/**
 * Upper tail P(X > x) of the χ² distribution with `freedom` > 0 degrees of freedom: Q(ν/2, x/2).
 */
export function chiSquaredUpperTail(x: number, freedom: number): number {
  return upperIncompleteGamma(freedom / 2, x / 2);
}

/** Regularised upper incomplete gamma function Q(a, x), for a > 0; 1 for x ≤ 0. */
function upperIncompleteGamma(a: number, x: number): number {
  if (x <= 0) return 1;
  if (x === Infinity) return 0;
  return x < a + 1 ? 1 - gammaSeries(a, x) : gammaFraction(a, x);
}

/** P(a, x) = 1 − Q(a, x) by its power series (DLMF 8.7.1), which converges fast for x < a + 1. */
function gammaSeries(a: number, x: number): number {
  let term = 1;
  let sum = 1;
  for (let n = a + 1; term > sum * Number.EPSILON; n++) {
    term *= x / n;
    sum += term;
  }
  return gammaPrefactor(a, x) * sum;
}

/**
 * Q(a, x) by its continued fraction (DLMF 8.9.2) and the modified Lentz method: converges fast for
 * x > a + 1 and has no cancellation where Q is tiny.
 */
function gammaFraction(a: number, x: number): number {
  let b = x + 1 - a;
  let c = 1 / TINY;
  let d = 1 / b;
  let fraction = d;
  for (let i = 1, change = 0; Math.abs(change - 1) > TOLERANCE; i++) {
    const numerator = -i * (i - a);
    b += 2;
    d = 1 / nonZero(numerator * d + b);
    c = nonZero(b + numerator / c);
    change = c * d;
    fraction *= change;
  }
  return gammaPrefactor(a, x) * a * fraction;
}

const nonZero = (value: number) => (Math.abs(value) < TINY ? TINY : value);

/**
 * x^a · e^−x / Γ(a + 1). For a large `a` by the saddle-point expansion of Loader (2000), which
 * never forms the large terms of the logarithm that would cancel.
 */
function gammaPrefactor(a: number, x: number): number {
  if (a < MIN_STIRLING_ARGUMENT) return Math.exp(a * Math.log(x) - x - lnGamma(a + 1));
  const deviance = a * subtractLog1p((x - a) / a);
  return Math.exp(-stirlingRemainder(a) - deviance - Math.log(a) / 2 - HALF_LN_TWO_PI);
}

/** t − ln(1 + t), by its Taylor series for small t, where the difference would cancel. */
function subtractLog1p(t: number): number {
  if (Math.abs(t) > 0.1) return t - Math.log1p(t);
  let power = t * t;
  let sum = power / 2;
  for (let n = 3; Math.abs(power) > sum * Number.EPSILON; n++) {
    power *= -t;
    sum += power / n;
  }
  return sum;
}

/** ln Γ(a) for a > 0: the Stirling series, after shifting a up by Γ(a + 1) = a · Γ(a). */
export function lnGamma(a: number): number {
  let product = 1;
  let shifted = a;
  for (; shifted < MIN_STIRLING_ARGUMENT; shifted++) product *= shifted;
  return (
    (shifted - 0.5) * Math.log(shifted) -
    shifted +
    HALF_LN_TWO_PI +
    stirlingRemainder(shifted) -
    Math.log(product)
  );
}

/** Remainder of Stirling's formula for ln Γ(a): 1/12a − 1/360a³ + … (DLMF 5.11.1). */
function stirlingRemainder(a: number): number {
  const s = 1 / (a * a);
  return (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s * (1 / 1188 - (s * 691) / 360360))))) / a;
}
