/**
 * Logistic regression of one item on score, group and their interaction (Swaminathan & Rogers
 * 1990), fitted to the table of counts by Newton's method. Likelihood-ratio tests compare three
 * nested models: score; score + group; score + group + score × group.
 */
import { chiSquaredUpperTail } from '../../statistics/special.ts';
import { CELLS, type Table } from './matching.ts';

/** The smallest R² changes of the classes B and C: Jodoin & Gierl (2001), Zumbo & Thomas (1997). */
const JODOIN_GIERL = [0.035, 0.07] as const;
const ZUMBO_THOMAS = [0.13, 0.26] as const;

const MAX_ITERATIONS = 60;
const MAX_HALVINGS = 30;
/** Newton's method ends when the relative change of the deviance is below this. */
const DEVIANCE_TOLERANCE = 1e-12;
/** If the last step still changes a linear predictor by more than this, the data are separated. */
const MAX_CONVERGED_STEP = 0.01;
/** A pivot below this share of the diagonal is rounding error: the matrix is singular. */
const MIN_PIVOT = 1e-13;

interface LikelihoodRatioTest {
  chi_squared: number;
  p_value: number;
  r_squared_change: number;
}

export interface LogisticRegression {
  uniform: LikelihoodRatioTest;
  nonuniform: LikelihoodRatioTest;
  both: LikelihoodRatioTest;
  jodoin_gierl: 'A' | 'B' | 'C';
  zumbo_thomas: 'A' | 'B' | 'C';
  /**
   * Of the full model, on the scale of the score; null if the data are separated and have no finite
   * estimate.
   */
  coefficients: { intercept: number; score: number; group: number; score_by_group: number } | null;
}

/** The non-empty cells of a table: cases with the same score and group. */
interface Cells {
  /** Centred on the mean and divided by the largest deviation, for numerical stability. */
  score: Float64Array;
  focal: Uint8Array;
  cases: Float64Array;
  right: Float64Array;
  centre: number;
  scale: number;
  all: number;
}

/** Returns the reason as a string if the model cannot be fitted. */
export function fitLogisticRegression(table: Table, significance: number): LogisticRegression | string {
  const cells = buildCells(table);
  const right = cells.right.reduce((sum, count) => sum + count, 0);
  if (right === 0 || right === cells.all)
    return `All responses are ${right === 0 ? 'incorrect' : 'correct'}.`;
  const focalScores = cells.focal.reduce((sum, isFocal) => sum + isFocal, 0);
  if (focalScores < 2 || cells.focal.length - focalScores < 2) {
    return 'All cases of one of the groups have the same score.';
  }
  const logit = Math.log(right / (cells.all - right));
  const nullDeviance = evaluateAt(cells, [logit, 0, 0, 0]).deviance;
  const score = fitByNewton(cells, 2, [logit, 0, 0, 0]);
  const group = fitByNewton(cells, 3, score.coefficients);
  const full = fitByNewton(cells, 4, group.coefficients);
  const test = (restricted: number, unrestricted: number, df: number) =>
    testLikelihoodRatio(restricted, unrestricted, df, nullDeviance, cells.all);
  const both = test(score.deviance, full.deviance, 2);
  const classify = (bounds: readonly [number, number]) => classifyEffect(both, bounds, significance);
  return {
    uniform: test(score.deviance, group.deviance, 1),
    nonuniform: test(group.deviance, full.deviance, 1),
    both,
    jodoin_gierl: classify(JODOIN_GIERL),
    zumbo_thomas: classify(ZUMBO_THOMAS),
    coefficients: full.separated ? null : toScoreScale(full.coefficients, cells),
  };
}

function buildCells(table: Table): Cells {
  const indices = [];
  let all = 0;
  let sum = 0;
  for (let index = 0; index < table.length; index += 2) {
    const cases = table[index]! + table[index + 1]!;
    if (cases === 0) continue;
    indices.push(index);
    all += cases;
    sum += cases * toScore(index);
  }
  const centre = all === 0 ? 0 : sum / all;
  const scale = indices.reduce((max, index) => Math.max(max, Math.abs(toScore(index) - centre)), 0) || 1;
  return {
    score: Float64Array.from(indices, (index) => (toScore(index) - centre) / scale),
    focal: Uint8Array.from(indices, (index) => (index % CELLS === 0 ? 0 : 1)),
    cases: Float64Array.from(indices, (index) => table[index]! + table[index + 1]!),
    right: Float64Array.from(indices, (index) => table[index + 1]!),
    centre,
    scale,
    all,
  };
}

const toScore = (index: number) => Math.floor(index / CELLS);

/** Intercept, score, group, score × group. Terms that a model does not have are 0. */
type Coefficients = readonly [number, number, number, number];

interface Fit {
  coefficients: Coefficients;
  deviance: number;
  /** Complete or quasi-complete separation: the likelihood has its maximum at infinity. */
  separated: boolean;
}

interface Evaluation {
  deviance: number;
  gradient: number[];
  information: number[][];
}

/** Newton's method with step halving. The log-likelihood is concave, so the maximum is unique. */
function fitByNewton(cells: Cells, terms: number, start: Coefficients): Fit {
  let coefficients = start;
  let current = evaluateAt(cells, coefficients);
  for (let iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
    const step = solveCholesky(current.information, current.gradient, terms);
    if (step === null) break;
    let factor = 1;
    let next = addStep(coefficients, step, factor);
    let candidate = evaluateAt(cells, next);
    for (let halvings = 0; !(candidate.deviance <= current.deviance) && halvings < MAX_HALVINGS; halvings++) {
      factor /= 2;
      next = addStep(coefficients, step, factor);
      candidate = evaluateAt(cells, next);
    }
    const change = current.deviance - candidate.deviance;
    if (change >= 0) {
      coefficients = next;
      current = candidate;
    }
    if (!(change > DEVIANCE_TOLERANCE * (current.deviance + 1))) {
      const separated = maxPredictorChange(cells, step) > MAX_CONVERGED_STEP;
      return { coefficients, deviance: current.deviance, separated };
    }
  }
  return { coefficients, deviance: current.deviance, separated: true };
}

const addStep = (from: Coefficients, step: Coefficients, factor: number): Coefficients => [
  from[0] + factor * step[0],
  from[1] + factor * step[1],
  from[2] + factor * step[2],
  from[3] + factor * step[3],
];

/** The largest change of a linear predictor by a step. */
function maxPredictorChange({ score, focal }: Cells, [intercept, slope, group, both]: Coefficients): number {
  let max = 0;
  for (let cell = 0; cell < score.length; cell++) {
    const isFocal = focal[cell]!;
    max = Math.max(max, Math.abs(intercept + group * isFocal + (slope + both * isFocal) * score[cell]!));
  }
  return max;
}

/** Deviance, score vector (gradient) and Fisher information of the full model. */
function evaluateAt(
  { score, focal, cases, right }: Cells,
  [intercept, slope, group, both]: Coefficients,
): Evaluation {
  // By group: residual, residual × score, weight, weight × score, weight × score².
  const sums = [new Float64Array(5), new Float64Array(5)] as const;
  let negativeLogLikelihood = 0;
  for (let cell = 0; cell < score.length; cell++) {
    const isFocal = focal[cell]!;
    const s = score[cell]!;
    const n = cases[cell]!;
    const eta = intercept + group * isFocal + (slope + both * isFocal) * s;
    const small = Math.exp(-Math.abs(eta));
    const probability = (eta < 0 ? small : 1) / (1 + small);
    // ln(1 + e^eta), without overflow or cancellation.
    negativeLogLikelihood += n * (Math.max(eta, 0) + Math.log1p(small)) - right[cell]! * eta;
    const residual = right[cell]! - n * probability;
    const weight = (n * small) / (1 + small) ** 2;
    const own = sums[isFocal as 0 | 1];
    own[0]! += residual;
    own[1]! += residual * s;
    own[2]! += weight;
    own[3]! += weight * s;
    own[4]! += weight * s * s;
  }
  const [f0, f1, w0, w1, w2] = sums[1] as unknown as Moments;
  const [r0, r1, a0, a1, a2] = sums[0].map((sum, i) => sum + sums[1][i]!) as unknown as Moments;
  return {
    deviance: 2 * negativeLogLikelihood,
    gradient: [r0, r1, f0, f1],
    information: [
      [a0, a1, w0, w1],
      [a1, a2, w1, w2],
      [w0, w1, w0, w1],
      [w1, w2, w1, w2],
    ],
  };
}

type Moments = readonly [number, number, number, number, number];

/**
 * Solves the first `terms` equations by Cholesky decomposition, in place; null if the matrix is
 * singular. A 4 × 4 special case of statistics/linear.ts, without allocation.
 */
function solveCholesky(matrix: number[][], vector: readonly number[], terms: number): Coefficients | null {
  const solution: [number, number, number, number] = [0, 0, 0, 0];
  for (let i = 0; i < terms; i++) {
    const diagonal = matrix[i]![i]!;
    for (let j = 0; j <= i; j++) {
      let value = matrix[i]![j]!;
      for (let k = 0; k < j; k++) value -= matrix[i]![k]! * matrix[j]![k]!;
      if (i !== j) matrix[i]![j] = value / matrix[j]![j]!;
      else if (!(value > MIN_PIVOT * diagonal)) return null;
      else matrix[i]![i] = Math.sqrt(value);
    }
    solution[i] = vector[i]!;
    for (let k = 0; k < i; k++) solution[i]! -= matrix[i]![k]! * solution[k]!;
    solution[i]! /= matrix[i]![i]!;
  }
  for (let i = terms - 1; i >= 0; i--) {
    for (let k = i + 1; k < terms; k++) solution[i]! -= matrix[k]![i]! * solution[k]!;
    solution[i]! /= matrix[i]![i]!;
  }
  return solution;
}

/** The likelihood-ratio test of two nested models, and the change of Nagelkerke's R² (1991). */
function testLikelihoodRatio(
  restricted: number,
  unrestricted: number,
  df: number,
  nullDeviance: number,
  n: number,
): LikelihoodRatioTest {
  const chi_squared = Math.max(0, restricted - unrestricted);
  const maxRSquared = -Math.expm1(-nullDeviance / n);
  const change = Math.exp((unrestricted - nullDeviance) / n) * Math.expm1(chi_squared / n);
  return {
    chi_squared,
    p_value: chiSquaredUpperTail(chi_squared, df),
    r_squared_change: change / maxRSquared,
  };
}

function classifyEffect(
  { p_value, r_squared_change }: LikelihoodRatioTest,
  [minModerate, minLarge]: readonly [number, number],
  significance: number,
) {
  if (p_value >= significance || r_squared_change < minModerate) return 'A';
  return r_squared_change < minLarge ? 'B' : 'C';
}

/** Undoes the centring and scaling of the score. */
function toScoreScale([intercept, score, group, both]: Coefficients, { centre, scale }: Cells) {
  return {
    intercept: intercept - (score * centre) / scale,
    score: score / scale,
    group: group - (both * centre) / scale,
    score_by_group: both / scale,
  };
}
