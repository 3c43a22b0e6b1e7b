/**
 * Logistic regression of one question on score and group (Swaminathan and Rogers 1990), from its table of
 * counts.
 */
import { chiSquaredUpperTail } from '../../statistics/special.ts';
import { CELLS, type Table } from './matching.ts';

/** Where the classes of the gain in R² begin: Jodoin and Gierl (2001), Zumbo and Thomas (1997). */
const JODOIN_GIERL = [0.035, 0.07] as const;
const ZUMBO_THOMAS = [0.13, 0.26] as const;

const MOST_STEPS = 60;
const MOST_HALVINGS = 30;
/** The deviance has settled when a step changes it by less than this part. */
const SETTLED = 1e-12;
/**
 * When it has, but the predictions still go on growing by more than this, no finite coefficients fit best.
 */
const STILL_GROWING = 0.01;
const SINGULAR = 1e-13;

interface LikelihoodTest {
  chi_squared: number;
  p_value: number;
  r_squared_change: number;
}

export interface Logistic {
  uniform: LikelihoodTest;
  nonuniform: LikelihoodTest;
  both: LikelihoodTest;
  jodoin_gierl: 'A' | 'B' | 'C';
  zumbo_thomas: 'A' | 'B' | 'C';
  /** Of the model with all terms, on the scale of the score; null where they have no finite estimate. */
  coefficients: { intercept: number; score: number; group: number; score_by_group: number } | null;
}

/** Cases with the same score and group. */
interface Cells {
  /** Centred on the mean and divided by the largest distance from it. */
  score: Float64Array;
  focal: Uint8Array;
  cases: Float64Array;
  right: Float64Array;
  centre: number;
  scale: number;
  all: number;
}

/** Or the reason in words why nothing can be fitted. */
export function logistic(table: Table, significance: number): Logistic | string {
  const cells = cellsOf(table);
  const right = cells.right.reduce((sum, count) => sum + count, 0);
  if (right === 0 || right === cells.all) return `All answers are ${right === 0 ? 'wrong' : 'right'}.`;
  const focalScores = cells.focal.reduce((sum, is) => sum + is, 0);
  if (focalScores < 2 || cells.focal.length - focalScores < 2) {
    return 'All cases of one of the groups have the same score.';
  }
  const logit = Math.log(right / (cells.all - right));
  const empty = slopesAt(cells, [logit, 0, 0, 0]).deviance;
  const score = fit(cells, 2, [logit, 0, 0, 0]);
  const group = fit(cells, 3, score.coefficients);
  const full = fit(cells, 4, group.coefficients);
  const test = (smaller: number, larger: number, freedom: number) =>
    likelihoodTest(smaller, larger, freedom, empty, cells.all);
  const both = test(score.deviance, full.deviance, 2);
  const classIn = (bounds: readonly [number, number]) => effectClass(both, bounds, significance);
  return {
    uniform: test(score.deviance, group.deviance, 1),
    nonuniform: test(group.deviance, full.deviance, 1),
    both,
    jodoin_gierl: classIn(JODOIN_GIERL),
    zumbo_thomas: classIn(ZUMBO_THOMAS),
    coefficients: full.separated ? null : onScoreScale(full.coefficients, cells),
  };
}

function cellsOf(table: Table): Cells {
  const places = [];
  let all = 0;
  let sum = 0;
  for (let at = 0; at < table.length; at += 2) {
    const cases = table[at]! + table[at + 1]!;
    if (cases === 0) continue;
    places.push(at);
    all += cases;
    sum += cases * scoreAt(at);
  }
  const centre = all === 0 ? 0 : sum / all;
  const scale = places.reduce((most, at) => Math.max(most, Math.abs(scoreAt(at) - centre)), 0) || 1;
  return {
    score: Float64Array.from(places, (at) => (scoreAt(at) - centre) / scale),
    focal: Uint8Array.from(places, (at) => (at % CELLS === 0 ? 0 : 1)),
    cases: Float64Array.from(places, (at) => table[at]! + table[at + 1]!),
    right: Float64Array.from(places, (at) => table[at + 1]!),
    centre,
    scale,
    all,
  };
}

const scoreAt = (at: number) => Math.floor(at / CELLS);

/** Intercept, score, group, score × group. Models that have fewer terms leave the last ones at 0. */
type Coefficients = readonly [number, number, number, number];

interface Fit {
  coefficients: Coefficients;
  deviance: number;
  separated: boolean;
}

/**
 * The deviance of a model with its first and second derivatives: sums over the cells of all cases and of the
 * focal group.
 */
interface Slopes {
  deviance: number;
  gradient: number[];
  information: number[][];
}

/**
 * Newton's method, with steps halved until they help: the likelihood has a single summit, at infinity where
 * the data part cleanly.
 */
function fit(cells: Cells, terms: number, start: Coefficients): Fit {
  let coefficients = start;
  let slopes = slopesAt(cells, coefficients);
  for (let n = 0; n < MOST_STEPS; n++) {
    const step = solve(slopes.information, slopes.gradient, terms);
    if (step === null) break;
    let share = 1;
    let next = moved(coefficients, step, share);
    let found = slopesAt(cells, next);
    for (let halvings = 0; !(found.deviance <= slopes.deviance) && halvings < MOST_HALVINGS; halvings++) {
      share /= 2;
      next = moved(coefficients, step, share);
      found = slopesAt(cells, next);
    }
    const change = slopes.deviance - found.deviance;
    if (change >= 0) {
      coefficients = next;
      slopes = found;
    }
    if (!(change > SETTLED * (slopes.deviance + 1))) {
      return { coefficients, deviance: slopes.deviance, separated: growth(cells, step) > STILL_GROWING };
    }
  }
  return { coefficients, deviance: slopes.deviance, separated: true };
}

const moved = (from: Coefficients, step: Coefficients, share: number): Coefficients => [
  from[0] + share * step[0],
  from[1] + share * step[1],
  from[2] + share * step[2],
  from[3] + share * step[3],
];

/** By how much a step would change the prediction that it changes most. */
function growth({ score, focal }: Cells, [intercept, slope, group, both]: Coefficients): number {
  let most = 0;
  for (let cell = 0; cell < score.length; cell++) {
    const is = focal[cell]!;
    most = Math.max(most, Math.abs(intercept + group * is + (slope + both * is) * score[cell]!));
  }
  return most;
}

function slopesAt(
  { score, focal, cases, right }: Cells,
  [intercept, slope, group, both]: Coefficients,
): Slopes {
  // By group: rest, rest × score, weight, weight × score, weight × score².
  const sums = [new Float64Array(5), new Float64Array(5)] as const;
  let half = 0;
  for (let cell = 0; cell < score.length; cell++) {
    const is = focal[cell]!;
    const s = score[cell]!;
    const n = cases[cell]!;
    const eta = intercept + group * is + (slope + both * is) * s;
    const small = Math.exp(-Math.abs(eta));
    const probability = (eta < 0 ? small : 1) / (1 + small);
    // ln(1 + e^x) without loss on either side.
    half += n * (Math.max(eta, 0) + Math.log1p(small)) - right[cell]! * eta;
    const rest = right[cell]! - n * probability;
    const weight = (n * small) / (1 + small) ** 2;
    const own = sums[is as 0 | 1];
    own[0]! += rest;
    own[1]! += rest * s;
    own[2]! += weight;
    own[3]! += weight * s;
    own[4]! += weight * s * s;
  }
  const [f0, f1, w0, w1, w2] = sums[1] as unknown as Moments;
  const [r0, r1, a0, a1, a2] = sums[0].map((sum, i) => sum + sums[1][i]!) as unknown as Moments;
  return {
    deviance: 2 * half,
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
 * By Cholesky's decomposition, for the first terms; null where the matrix is singular to the precision of
 * numbers.
 */
function solve(matrix: number[][], vector: readonly number[], terms: number): Coefficients | null {
  const found: [number, number, number, number] = [0, 0, 0, 0];
  for (let i = 0; i < terms; i++) {
    const diagonal = matrix[i]![i]!;
    for (let j = 0; j <= i; j++) {
      let value = matrix[i]![j]!;
      for (let k = 0; k < j; k++) value -= matrix[i]![k]! * matrix[j]![k]!;
      if (i !== j) matrix[i]![j] = value / matrix[j]![j]!;
      else if (!(value > SINGULAR * diagonal)) return null;
      else matrix[i]![i] = Math.sqrt(value);
    }
    found[i] = vector[i]!;
    for (let k = 0; k < i; k++) found[i]! -= matrix[i]![k]! * found[k]!;
    found[i]! /= matrix[i]![i]!;
  }
  for (let i = terms - 1; i >= 0; i--) {
    for (let k = i + 1; k < terms; k++) found[i]! -= matrix[k]![i]! * found[k]!;
    found[i]! /= matrix[i]![i]!;
  }
  return found;
}

/** The gain is in R² as Nagelkerke (1991) has it. */
function likelihoodTest(
  smaller: number,
  larger: number,
  freedom: number,
  empty: number,
  all: number,
): LikelihoodTest {
  const chi_squared = Math.max(0, smaller - larger);
  const most = -Math.expm1(-empty / all);
  const gain = Math.exp((larger - empty) / all) * Math.expm1(chi_squared / all);
  return { chi_squared, p_value: chiSquaredUpperTail(chi_squared, freedom), r_squared_change: gain / most };
}

function effectClass(
  { p_value, r_squared_change }: LikelihoodTest,
  [moderate, large]: readonly [number, number],
  significance: number,
) {
  if (p_value >= significance || r_squared_change < moderate) return 'A';
  return r_squared_change < large ? 'B' : 'C';
}

function onScoreScale([intercept, score, group, both]: Coefficients, { centre, scale }: Cells) {
  return {
    intercept: intercept - (score * centre) / scale,
    score: score / scale,
    group: group - (both * centre) / scale,
    score_by_group: both / scale,
  };
}
