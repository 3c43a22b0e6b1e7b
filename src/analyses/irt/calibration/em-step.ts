/** One iteration of the EM algorithm: the E-step over all parts of the data, and the M-step. */

import type { Ticker } from '../../../concurrency/ticker.ts';
import type { Executor } from './executor.ts';
import { type ExpectedCounts, type MStepResult, maximise1pl, maximise2pl } from './maximisation.ts';
import { maximise3pl } from './maximisation-3pl.ts';
import {
  type ItemCurves,
  LOG_PRIOR,
  logistic,
  type Model,
  NODES,
  type ParameterVector,
  softplus,
  THETA,
  toItemCurves,
} from './model.ts';
import { computeLogPrior, type Priors } from './priors.ts';
import type { FormTables, PreparedProblem, Problem } from './problem.ts';

export interface EmContext {
  model: Model;
  priors: Priors;
  prepared: PreparedProblem;
  /** By item: number of right responses. */
  rightCount: Float64Array;
  executor: Executor;
  ticker: Ticker;
}

export interface EStepResult {
  /** Marginal log-likelihood of the data. */
  logLikelihood: number;
  /** The log-likelihood plus the log prior: the function that is maximised. */
  objective: number;
  expected: ExpectedCounts;
}

/** Marginal likelihood and expected counts at a point. Fills the tables of `problem` for it. */
export async function runEStep(context: EmContext, point: ParameterVector): Promise<EStepResult> {
  const { model, prepared, executor } = context;
  const { problem } = prepared;
  const curves = toItemCurves(point, model, problem.items);
  await fillLogProbabilities(problem, curves, context.ticker);
  const parts = problem.parts.length - 1;
  let logLikelihood = 0;
  if (problem.tables) {
    fillFormTables(problem, problem.tables, curves, prepared.byScore);
    await executor.run('expectByForm', parts);
    for (let j = 0; j < problem.items; j++) logLikelihood += curves.intercept[j]! * context.rightCount[j]!;
  } else {
    await executor.run('fillBlocks', parts);
    await executor.run('expectByBlock', parts);
  }
  for (const share of problem.logLikelihood) logLikelihood += share;
  const expected = problem.tables ? collectFromForms(context, problem.tables) : collectFromBlocks(context);
  const objective = logLikelihood + computeLogPrior(curves, model, context.priors);
  return { logLikelihood, objective, expected };
}

export function runMStep(
  context: EmContext,
  expected: ExpectedCounts,
  from: ParameterVector,
): Promise<MStepResult> {
  const { model, priors, prepared, ticker } = context;
  const { items } = prepared.problem;
  if (model === '3pl') return maximise3pl(expected, items, from, priors, ticker);
  if (model === '2pl') return maximise2pl(expected, items, from, priors.discrimination, ticker);
  return maximise1pl(expected, items, from, ticker);
}

/** Tabulates ln P and ln(1 − P) of all items. */
async function fillLogProbabilities(
  problem: Problem,
  { discrimination, intercept, guessing }: ItemCurves,
  ticker: Ticker,
): Promise<void> {
  const { items, logRight, logWrong } = problem;
  for (let j = 0; j < items; j++) {
    if (ticker.due()) await ticker.yield();
    const c = guessing[j]!;
    const logNotGuessed = Math.log1p(-c);
    for (let q = 0; q < NODES; q++) {
      const logit = discrimination[j]! * THETA[q]! + intercept[j]!;
      const logNormaliser = softplus(logit);
      logWrong[j * NODES + q] = logNotGuessed - logNormaliser;
      logRight[j * NODES + q] = c > 0 ? Math.log(c + (1 - c) * logistic(logit)) : logit - logNormaliser;
    }
  }
}

/** Fills the tables of the E-step by forms, from those of fillLogProbabilities. */
function fillFormTables(
  problem: Problem,
  tables: FormTables,
  { discrimination }: ItemCurves,
  byScore: boolean,
): void {
  const { blocks, logWrong } = problem;
  const { forms, logDensity, logRatio, ratioUp, ratioDown } = tables;
  for (let f = 0; f < forms.count; f++) {
    const ownDensity = logDensity.subarray(f * NODES, (f + 1) * NODES);
    ownDensity.set(LOG_PRIOR);
    for (let i = forms.starts[f]!; i < forms.starts[f + 1]!; i++) {
      const item = forms.item[i]! * NODES;
      for (let q = 0; q < NODES; q++) ownDensity[q]! += logWrong[item + q]!;
    }
    for (let q = 0; q < NODES - 1; q++) {
      const change = ownDensity[q + 1]! - ownDensity[q]!;
      logRatio[f * NODES + q] = change;
      ratioUp[f * NODES + q] = Math.exp(change);
      ratioDown[f * NODES + q] = Math.exp(-change);
    }
  }
  if (byScore) {
    for (let score = 0; score < tables.discrimination.length; score++)
      tables.discrimination[score] = discrimination[0]! * score;
    return;
  }
  for (let b = 0; b < blocks.count; b++) {
    let sum = 0;
    for (let i = blocks.starts[b]!; i < blocks.starts[b + 1]!; i++)
      if (blocks.right[i]) sum += discrimination[blocks.item[i]!]!;
    tables.discrimination[b] = sum;
  }
}

/** Adds the sums of all parts in order, so that the result does not depend on thread scheduling. */
export function sumParts(byPart: Float64Array, size: number): Float64Array {
  const sums = byPart.slice(0, size);
  for (let start = size; start < byPart.length; start += size)
    for (let i = 0; i < size; i++) sums[i]! += byPart[start + i]!;
  return sums;
}

function collectFromForms({ prepared, rightCount }: EmContext, tables: FormTables): ExpectedCounts {
  const { items, blocks } = prepared.problem;
  const { forms } = tables;
  const byForm = sumParts(tables.asked, forms.count * NODES);
  const asked = new Float64Array(items * NODES);
  for (let f = 0; f < forms.count; f++) {
    for (let i = forms.starts[f]!; i < forms.starts[f + 1]!; i++) {
      const item = forms.item[i]! * NODES;
      for (let q = 0; q < NODES; q++) asked[item + q]! += byForm[f * NODES + q]!;
    }
  }
  const abilityByBlock = sumParts(tables.abilitySum, tables.discrimination.length);
  const rightAbility = new Float64Array(items);
  // The 1PL needs the sum over all items only; it is stored under the first.
  if (prepared.byScore)
    for (let score = 0; score < abilityByBlock.length; score++)
      rightAbility[0]! += score * abilityByBlock[score]!;
  else {
    for (let b = 0; b < blocks.count; b++)
      for (let i = blocks.starts[b]!; i < blocks.starts[b + 1]!; i++)
        if (blocks.right[i]) rightAbility[blocks.item[i]!]! += abilityByBlock[b]!;
  }
  return { asked, right: new Float64Array(0), rightCount, rightAbility };
}

function collectFromBlocks({ prepared, rightCount }: EmContext): ExpectedCounts {
  const { problem } = prepared;
  const size = problem.items * NODES;
  const right = sumParts(problem.right, size);
  const rightAbility = new Float64Array(problem.items);
  for (let j = 0; j < problem.items; j++)
    for (let q = 0; q < NODES; q++) rightAbility[j]! += right[j * NODES + q]! * THETA[q]!;
  return { asked: sumParts(problem.asked, size), right, rightCount, rightAbility };
}
