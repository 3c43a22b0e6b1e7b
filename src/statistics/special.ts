/**
 * Tails of the usual distributions, accurate far out: a relative error of about 1e-13 where the result is tiny, too, so
 * that what is rare can be told from what is rarer. All of them come from one function, the incomplete gamma. And the
 * quantile of the normal distribution.
 */

const HALF_LN_TWO_PI = Math.log(2 * Math.PI) / 2;
/** From here on the series below has the full precision of a double. */
const STIRLING_FROM = 10;
/** A fraction whose parts may be zero is started from this instead (Lentz's method). */
const TINY = 1e-300;
/** The last digits of a factor come and go with rounding; asking for less than this might never end. */
const SETTLED = 4 * Number.EPSILON;
/** So far from one half a probability counts as central, where another ratio is used for its quantile. */
const CENTRAL = 0.425;
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

/** P(Z > z) of a standard normal variable. */
export function normalUpperTail(z: number): number {
  const half = upperGamma(0.5, (z * z) / 2) / 2;
  return z < 0 ? 1 - half : half;
}

/** The z below which a standard normal variable lies with probability p, for 0 < p < 1 (Wichura 1988, algorithm AS 241). */
export function normalQuantile(p: number): number {
  const distance = p - 0.5;
  if (Math.abs(distance) <= CENTRAL) return distance * ratio(CENTRE, CENTRAL ** 2 - distance * distance);
  const r = Math.sqrt(-Math.log(Math.min(p, 1 - p)));
  const z = r <= 5 ? ratio(SHOULDER, r - 1.6) : ratio(TAIL, r - 5);
  return distance < 0 ? -z : z;
}

/** Two polynomials of x by their coefficients, the constants first, one divided by the other. */
const ratio = ([above, below]: readonly (readonly number[])[], x: number) =>
  polynomial(above!, x) / polynomial(below!, x);

const polynomial = (coefficients: readonly number[], x: number) =>
  coefficients.reduceRight((sum, coefficient) => sum * x + coefficient, 0);

/** P(X > x) of a χ² variable with `freedom` degrees of freedom. */
export function chiSquaredUpperTail(x: number, freedom: number): number {
  return upperGamma(freedom / 2, x / 2);
}

/** The regularised upper incomplete gamma function Q(a, x), for a > 0. */
function upperGamma(a: number, x: number): number {
  if (x <= 0) return 1;
  if (x === Infinity) return 0;
  return x < a + 1 ? 1 - lowerBySeries(a, x) : upperByFraction(a, x);
}

/** P(a, x) as a power series: quick to converge left of the mean. */
function lowerBySeries(a: number, x: number): number {
  let term = 1;
  let sum = 1;
  for (let n = a + 1; term > sum * Number.EPSILON; n++) {
    term *= x / n;
    sum += term;
  }
  return gammaDensity(a, x) * sum;
}

/** Q(a, x) as a continued fraction: quick to converge right of the mean, and exact where the result is tiny. */
function upperByFraction(a: number, x: number): number {
  let b = x + 1 - a;
  let c = 1 / TINY;
  let d = 1 / b;
  let fraction = d;
  for (let i = 1, change = 0; Math.abs(change - 1) > SETTLED; i++) {
    const numerator = -i * (i - a);
    b += 2;
    d = 1 / nonZero(numerator * d + b);
    c = nonZero(b + numerator / c);
    change = c * d;
    fraction *= change;
  }
  return gammaDensity(a, x) * a * fraction;
}

const nonZero = (value: number) => (Math.abs(value) < TINY ? TINY : value);

/**
 * x^a · e^−x / Γ(a + 1). The large terms of its logarithm cancel, so for a large `a` they are never formed (C. Loader,
 * 2000).
 */
function gammaDensity(a: number, x: number): number {
  if (a < STIRLING_FROM) return Math.exp(a * Math.log(x) - x - lnGamma(a + 1));
  const deviance = a * differenceToLog((x - a) / a);
  return Math.exp(-stirlingRest(a) - deviance - Math.log(a) / 2 - HALF_LN_TWO_PI);
}

/** t − ln(1 + t), by its series where the two are nearly the same. */
function differenceToLog(t: number): number {
  if (Math.abs(t) > 0.1) return t - Math.log1p(t);
  let power = t * t;
  let sum = power / 2;
  for (let n = 3; Math.abs(power) > sum * Number.EPSILON; n++) {
    power *= -t;
    sum += power / n;
  }
  return sum;
}

/** The natural logarithm of the gamma function, for a > 0. */
export function lnGamma(a: number): number {
  let product = 1;
  let shifted = a;
  for (; shifted < STIRLING_FROM; shifted++) product *= shifted;
  return (
    (shifted - 0.5) * Math.log(shifted) - shifted + HALF_LN_TWO_PI + stirlingRest(shifted) - Math.log(product)
  );
}

/** What Stirling's formula leaves of ln Γ(a): 1/12a − 1/360a³ + … */
function stirlingRest(a: number): number {
  const s = 1 / (a * a);
  return (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s * (1 / 1188 - (s * 691) / 360360))))) / a;
}
