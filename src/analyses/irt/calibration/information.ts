/**
 * The observed information (Louis, 1982): what the complete data would tell, less what is not known because
 * the abilities are not. Of the posterior, where there is a prior.
 */

import type { Derivatives } from './derivatives.ts';
import { type Setting, total } from './em-step.ts';
import { commonSlopeInformation } from './information-1pl.ts';
import { completeSize, subtractComplete } from './information-2pl.ts';
import type { Kernel } from './kernels.ts';
import type { Expected } from './maximisation.ts';
import { ABILITIES, type Curves, curvesAt, logistic, type Model, NODES, type Point } from './model.ts';
import type { Problem } from './problem.ts';
import { groupPairsOf, newReady, ROUND, ROUND_PARTS } from './score-products.ts';
import { sharedFloats } from './shared-arrays.ts';

/** With more parameters than that, or more pairs of answers, each item is taken by itself. */
const MOST_PARAMETERS = 1500;
const MOST_PAIRS = 1e10;

/** Of all parameters together: the lower triangle, row by row. Undefined where it would take too long. */
export async function jointInformation(
  setting: Setting,
  point: Point,
  expected: Expected,
): Promise<Float64Array | undefined> {
  const { model, prepared, pace } = setting;
  const { problem } = prepared;
  if (prepared.byScore) return commonSlopeInformation(problem, point, expected.asked, pace);
  const kinds = kindsOf(model);
  const { items } = problem;
  if (kinds * items > MOST_PARAMETERS) return;
  const curves = curvesAt(point, model, items);
  const derivatives = derivativesAt(curves, kinds);
  const matrix = completeInformation(curves, derivatives, expected, setting.guessing);
  if (problem.tables?.forms.count === 1) {
    const size = completeSize(problem);
    const sums = await summed(setting, 'sumComplete', derivatives, size);
    // All were asked the same, so what holds for the first item holds for all.
    await subtractComplete(matrix, problem, expected.asked.subarray(0, NODES), derivatives, sums, pace);
  } else {
    if (pairsOf(problem) > MOST_PAIRS) return;
    await subtractPairs(matrix, setting, derivatives);
  }
  return model === '1pl' ? withCommonSlope(matrix, items) : matrix;
}

/** Takes away what is lost with the abilities, for any model and any choice of items. */
async function subtractPairs(
  matrix: Float64Array,
  setting: Setting,
  derivatives: Derivatives,
): Promise<void> {
  const { prepared, team } = setting;
  const { problem } = prepared;
  const pairs = sharedFloats(matrix.length);
  // The expectation by forms does without this table.
  await team.run('fillBlocks', problem.parts.length - 1);
  const ready = newReady(problem.items);
  for (; ready.first < problem.patterns.count; ready.first += ROUND) {
    await team.run('makeReady', ROUND_PARTS, { derivatives, sums: pairs, ready });
    await team.run('sumPairs', groupPairsOf(problem.items), { derivatives, sums: pairs, ready });
  }
  const products = await summed(setting, 'sumProducts', derivatives, matrix.length);
  for (let i = 0; i < matrix.length; i++) matrix[i]! += products[i]! - pairs[i]!;
}

/** The sums of all parts, added up in their order. */
async function summed(
  { prepared, team }: Setting,
  kernel: Kernel,
  derivatives: Derivatives,
  size: number,
): Promise<Float64Array> {
  const parts = prepared.problem.parts.length - 1;
  const byPart = sharedFloats(parts * size);
  await team.run(kernel, parts, { derivatives, sums: byPart });
  return total(byPart, size);
}

/**
 * Of each item alone, as if all others were known: by item, a small lower triangle. In the 1PL, whose slope
 * belongs to no item, that of the slope by itself is behind them.
 */
export async function informationByItem(
  setting: Setting,
  point: Point,
  expected: Expected,
): Promise<{ kinds: number; matrices: Float64Array }> {
  const { model, prepared, team } = setting;
  const { problem } = prepared;
  const { items } = problem;
  const kinds = kindsOf(model);
  const curves = curvesAt(point, model, items);
  const derivatives = derivativesAt(curves, kinds);
  await team.run('fillBlocks', problem.parts.length - 1);
  const size = items * kinds * kinds + 1;
  const matrices = await summed(setting, 'sumOwn', derivatives, size);
  for (let i = 0; i < size; i++) matrices[i] = -matrices[i]!;
  for (let j = 0; j < items; j++) {
    const complete = completeOf(j, curves, derivatives, expected, setting.guessing);
    for (let i = 0; i < kinds * kinds; i++) matrices[j * kinds * kinds + i]! += complete[i]!;
    matrices[size - 1]! += complete[0]!;
  }
  return { kinds, matrices };
}

const kindsOf = (model: Model) => (model === '3pl' ? 3 : 2);

/** How many pairs of answers all patterns have. */
function pairsOf({ patterns, blocks }: Problem): number {
  let pairs = 0;
  for (let p = 0; p < patterns.count; p++) {
    let answers = 0;
    for (let i = patterns.starts[p]!; i < patterns.starts[p + 1]!; i++) {
      const block = patterns.block[i]!;
      answers += blocks.starts[block + 1]! - blocks.starts[block]!;
    }
    pairs += (answers * answers) / 2;
  }
  return pairs;
}

function derivativesAt({ slope, intercept, lower }: Curves, kinds: number): Derivatives {
  const items = slope.length;
  const size = items * NODES;
  const residual = sharedFloats(2 * size);
  const factor = sharedFloats(kinds * size);
  for (let j = 0; j < items; j++) {
    for (let q = 0; q < NODES; q++) {
      const place = j * NODES + q;
      const logit = slope[j]! * ABILITIES[q]! + intercept[j]!;
      const known = logistic(logit);
      const p = lower[j]! + (1 - lower[j]!) * known;
      residual[place] = -p;
      residual[size + place] = (1 - lower[j]!) * logistic(-logit);
      const byLogit = lower[j]! > 0 ? known / p : 1;
      factor[place] = byLogit * ABILITIES[q]!;
      factor[size + place] = byLogit;
      if (kinds === 3) factor[2 * size + place] = lower[j]! / p;
    }
  }
  return { kinds, residual, factor };
}

/** What the data would tell if the abilities were known: the items do not depend on each other. */
function completeInformation(
  curves: Curves,
  derivatives: Derivatives,
  expected: Expected,
  prior: { alpha: number; beta: number },
): Float64Array {
  const { kinds } = derivatives;
  const items = curves.slope.length;
  const size = kinds * items;
  const matrix = new Float64Array(size * size);
  for (let j = 0; j < items; j++) {
    const own = completeOf(j, curves, derivatives, expected, prior);
    for (let a = 0; a < kinds; a++)
      for (let b = 0; b <= a; b++) matrix[(a * items + j) * size + b * items + j] = own[a * kinds + b]!;
  }
  return matrix;
}

/**
 * The negative second derivatives of the expected complete-data likelihood of an item, with its prior: a
 * small lower triangle.
 */
function completeOf(
  item: number,
  { slope, intercept, lower }: Curves,
  { kinds, residual, factor }: Derivatives,
  { asked, right }: Expected,
  prior: { alpha: number; beta: number },
): Float64Array {
  const matrix = new Float64Array(kinds * kinds);
  const size = slope.length * NODES;
  const guess = lower[item]!;
  for (let q = 0; q < NODES; q++) {
    const place = item * NODES + q;
    const variance = -asked[place]! * residual[place]! * residual[size + place]!;
    for (let a = 0; a < kinds; a++)
      for (let b = 0; b <= a; b++)
        matrix[a * kinds + b]! += variance * factor[a * size + place]! * factor[b * size + place]!;
    if (kinds < 3) continue;
    // Where the factors depend on the parameters, residuals count, too.
    const p = -residual[place]!;
    const rest = right[place]! - asked[place]! * p;
    const known = logistic(slope[item]! * ABILITIES[q]! + intercept[item]!);
    const byLogit = (rest * known * (1 - known) * guess) / (p * p);
    const mixed = (rest * known * (1 - known) * guess * (1 - guess)) / (p * p);
    matrix[0]! -= byLogit * ABILITIES[q]! ** 2;
    matrix[kinds]! -= byLogit * ABILITIES[q]!;
    matrix[kinds + 1]! -= byLogit;
    matrix[2 * kinds]! += mixed * ABILITIES[q]!;
    matrix[2 * kinds + 1]! += mixed;
    matrix[2 * kinds + 2]! -= (rest * known * guess * (1 - guess)) / (p * p);
  }
  if (kinds === 3) matrix[8]! += (prior.alpha + prior.beta - 2) * guess * (1 - guess);
  return matrix;
}

/** From one slope for each item to one for all: its derivatives are the sums of theirs. */
function withCommonSlope(matrix: Float64Array, items: number): Float64Array {
  const size = items + 1;
  const wide = 2 * items;
  const common = new Float64Array(size * size);
  for (let j = 0; j < items; j++) {
    for (let k = 0; k <= j; k++) {
      common[0]! += (j === k ? 1 : 2) * matrix[j * wide + k]!;
      common[(1 + j) * size + 1 + k] = matrix[(items + j) * wide + items + k]!;
    }
    for (let k = 0; k < items; k++) common[(1 + j) * size]! += matrix[(items + j) * wide + k]!;
  }
  return common;
}
