/**
 * The confidence interval of the common odds ratio that belongs to the Mantel-Haenszel test: the
 * odds ratios that the test does not reject. It excludes 1 if and only if the test is significant
 * at the same level, which an interval from the standard error does not guarantee.
 *
 * Given its margins, the number of correct responses of the reference group in a stratum has
 * Fisher's noncentral hypergeometric distribution; at an odds ratio of 1 its mean and variance are
 * those of the Mantel-Haenszel test (Cornfield 1956; Gart 1970).
 */
import { CELLS, type Table } from './matching.ts';

/** Larger strata use Cornfield's approximation of mean and variance. */
const MAX_EXACT_CASES = 60;
/** The limits are sought within e^±MAX_LOG_ODDS. */
const MAX_LOG_ODDS = 12;
const TOLERANCE = 1e-9;

/** Margins of a stratum: sizes of the groups, and correct responses of both. */
interface Stratum {
  reference: number;
  focal: number;
  correct: number;
}

interface Moments {
  mean: number;
  variance: number;
}

/** The limits as log odds ratios. Null if a limit is infinite. */
export function computeScoreInterval(
  table: Table,
  z: number,
  continuity: number,
): { low: number | null; high: number | null } {
  const { strata, observed } = collectStrata(table);
  /** Standardized distance of the observed from the expected count; decreases with the odds ratio. */
  const score = (logOdds: number, correction: number) => {
    let mean = 0;
    let variance = 0;
    for (const stratum of strata) {
      const moments = computeMoments(stratum, logOdds);
      mean += moments.mean;
      variance += moments.variance;
    }
    return (observed - mean + correction) / Math.sqrt(variance);
  };
  return {
    low: findRoot((logOdds) => score(logOdds, -continuity) - z),
    high: findRoot((logOdds) => score(logOdds, continuity) + z),
  };
}

/** The strata that carry information, with the correct responses of the reference group. */
function collectStrata(table: Table): { strata: Stratum[]; observed: number } {
  const strata: Stratum[] = [];
  let observed = 0;
  for (let cell = 0; cell < table.length; cell += CELLS) {
    const [wrongR, rightR, wrongF, rightF] = table.subarray(cell, cell + CELLS) as unknown as number[];
    const stratum = { reference: wrongR! + rightR!, focal: wrongF! + rightF!, correct: rightR! + rightF! };
    const isConstant = stratum.correct === 0 || wrongR! + wrongF! === 0;
    if (stratum.reference === 0 || stratum.focal === 0 || isConstant) continue;
    strata.push(stratum);
    observed += rightR!;
  }
  return { strata, observed };
}

const computeMoments = (stratum: Stratum, logOdds: number): Moments =>
  stratum.reference + stratum.focal <= MAX_EXACT_CASES
    ? computeExactMoments(stratum, logOdds)
    : approximateMoments(stratum, logOdds);

/** Sums over the support, with weights relative to the first by the ratio of neighbours. */
function computeExactMoments({ reference, focal, correct }: Stratum, logOdds: number): Moments {
  const from = Math.max(0, correct - focal);
  const to = Math.min(reference, correct);
  const odds = Math.exp(logOdds);
  let weight = 1;
  let total = 1;
  let sum = 0;
  let squares = 0;
  for (let k = 1; from + k <= to; k++) {
    const a = from + k;
    weight *= (odds * (reference - a + 1) * (correct - a + 1)) / (a * (focal - correct + a));
    total += weight;
    sum += k * weight;
    squares += k * k * weight;
  }
  const mean = sum / total;
  return { mean: from + mean, variance: Math.max(0, squares / total - mean * mean) };
}

/**
 * Cornfield's mean is the count whose table has this odds ratio. The variance has the factor
 * T / (T − 1) of the hypergeometric distribution.
 */
function approximateMoments({ reference, focal, correct }: Stratum, logOdds: number): Moments {
  const odds = Math.exp(logOdds);
  const total = reference + focal;
  const quadratic = odds - 1;
  const linear = focal - correct + odds * (reference + correct);
  const constant = odds * reference * correct;
  // The root of quadratic · a² − linear · a + constant in its stable form, also for odds near 1.
  const mean = (2 * constant) / (linear + Math.sqrt(Math.max(0, linear ** 2 - 4 * quadratic * constant)));
  const cells = [mean, reference - mean, correct - mean, focal - correct + mean];
  const inverse = cells.reduce((sum, cell) => sum + 1 / Math.max(cell, 1e-12), 0);
  return { mean, variance: total / (total - 1) / inverse };
}

/** Bisection on a decreasing function. Null if it has no root within the range. */
function findRoot(f: (logOdds: number) => number): number | null {
  let [low, high] = [-MAX_LOG_ODDS, MAX_LOG_ODDS];
  if (!(f(low) > 0 && f(high) < 0)) return null;
  while (high - low > TOLERANCE) {
    const middle = (low + high) / 2;
    if (f(middle) > 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
