/**
 * One cycle of the EM algorithm: tables of the curves, the expectation over all parts, and the maximisation.
 */

import type { Pace } from '../../shared/ticker.ts';
import type { Team } from './executor.ts';
import { type Expected, type Maximised, maximiseCommonSlope, maximiseSlopes } from './maximisation.ts';
import { guessingPrior, maximiseGuessing } from './maximisation-3pl.ts';
import {
  ABILITIES,
  type Curves,
  curvesAt,
  LOG_PRIOR,
  logistic,
  type Model,
  NODES,
  type Point,
  softplus,
} from './model.ts';
import type { FormTables, Prepared, Problem } from './problem.ts';

/** Items between two looks at the clock. */
const BATCH = 256;

export interface Setting {
  model: Model;
  guessing: { alpha: number; beta: number };
  prepared: Prepared;
  /** By item: how many are right. */
  rightCount: Float64Array;
  team: Team;
  pace: Pace;
}

export interface Evaluated {
  /**
   * The marginal log-likelihood, and the same with the prior of the lower asymptotes, which is what is
   * maximised.
   */
  logLikelihood: number;
  objective: number;
  expected: Expected;
}

/** The likelihood at a point, and what the data is expected to look like there. */
export async function evaluate(setting: Setting, point: Point): Promise<Evaluated> {
  const { model, prepared, team } = setting;
  const { problem } = prepared;
  const curves = curvesAt(point, model, problem.items);
  await fillLogs(problem, curves, setting.pace);
  const parts = problem.parts.length - 1;
  let logLikelihood = 0;
  if (problem.tables) {
    fillForms(problem, problem.tables, curves, prepared.byScore);
    await team.run('expectByForm', parts);
    for (let j = 0; j < problem.items; j++) logLikelihood += curves.intercept[j]! * setting.rightCount[j]!;
  } else {
    await team.run('fillBlocks', parts);
    await team.run('expectByBlock', parts);
  }
  for (const share of problem.logLikelihood) logLikelihood += share;
  const expected = problem.tables ? fromForms(setting, problem.tables) : fromBlocks(setting);
  const prior = model === '3pl' ? guessingPrior(curves.lower, setting.guessing) : 0;
  return { logLikelihood, objective: logLikelihood + prior, expected };
}

export function maximise(setting: Setting, expected: Expected, from: Point): Promise<Maximised> {
  const { model, guessing, prepared, pace } = setting;
  const { items } = prepared.problem;
  if (model === '3pl') return maximiseGuessing(expected, items, from, guessing, pace);
  return (model === '1pl' ? maximiseCommonSlope : maximiseSlopes)(expected, items, from, pace);
}

/** Fills the tables of all items. */
async function fillLogs(problem: Problem, { slope, intercept, lower }: Curves, pace: Pace): Promise<void> {
  const { items, logRight, logWrong } = problem;
  for (let j = 0; j < items; j++) {
    if (j % BATCH === 0) await pace.pause();
    const guess = lower[j]!;
    const rest = Math.log1p(-guess);
    for (let q = 0; q < NODES; q++) {
      const logit = slope[j]! * ABILITIES[q]! + intercept[j]!;
      const fall = softplus(logit);
      logWrong[j * NODES + q] = rest - fall;
      logRight[j * NODES + q] = guess > 0 ? Math.log(guess + (1 - guess) * logistic(logit)) : logit - fall;
    }
  }
}

/** Fills what the expectation by forms needs; fillLogs goes before it. */
function fillForms(problem: Problem, tables: FormTables, { slope }: Curves, byScore: boolean): void {
  const { blocks, logWrong } = problem;
  const { forms, level, rise, up, down } = tables;
  for (let f = 0; f < forms.count; f++) {
    const own = level.subarray(f * NODES, (f + 1) * NODES);
    own.set(LOG_PRIOR);
    for (let i = forms.starts[f]!; i < forms.starts[f + 1]!; i++) {
      const item = forms.item[i]! * NODES;
      for (let q = 0; q < NODES; q++) own[q]! += logWrong[item + q]!;
    }
    for (let q = 0; q < NODES - 1; q++) {
      const change = own[q + 1]! - own[q]!;
      rise[f * NODES + q] = change;
      up[f * NODES + q] = Math.exp(change);
      down[f * NODES + q] = Math.exp(-change);
    }
  }
  if (byScore) {
    for (let score = 0; score < tables.slope.length; score++) tables.slope[score] = slope[0]! * score;
    return;
  }
  for (let b = 0; b < blocks.count; b++) {
    let sum = 0;
    for (let i = blocks.starts[b]!; i < blocks.starts[b + 1]!; i++)
      if (blocks.right[i]) sum += slope[blocks.item[i]!]!;
    tables.slope[b] = sum;
  }
}

/** Adds up the parts in their order, whatever the order in which they were done. */
export function total(byPart: Float64Array, size: number): Float64Array {
  const sums = byPart.slice(0, size);
  for (let start = size; start < byPart.length; start += size)
    for (let i = 0; i < size; i++) sums[i]! += byPart[start + i]!;
  return sums;
}

function fromForms({ prepared, rightCount }: Setting, tables: FormTables): Expected {
  const { items, blocks } = prepared.problem;
  const { forms } = tables;
  const byForm = total(tables.asked, forms.count * NODES);
  const asked = new Float64Array(items * NODES);
  for (let f = 0; f < forms.count; f++) {
    for (let i = forms.starts[f]!; i < forms.starts[f + 1]!; i++) {
      const item = forms.item[i]! * NODES;
      for (let q = 0; q < NODES; q++) asked[item + q]! += byForm[f * NODES + q]!;
    }
  }
  const byBlock = total(tables.mean, tables.slope.length);
  const rightAbility = new Float64Array(items);
  // Of all items together is all that the 1PL asks for; it is put down under the first.
  if (prepared.byScore)
    for (let score = 0; score < byBlock.length; score++) rightAbility[0]! += score * byBlock[score]!;
  else {
    for (let b = 0; b < blocks.count; b++)
      for (let i = blocks.starts[b]!; i < blocks.starts[b + 1]!; i++)
        if (blocks.right[i]) rightAbility[blocks.item[i]!]! += byBlock[b]!;
  }
  return { asked, right: new Float64Array(0), rightCount, rightAbility };
}

function fromBlocks({ prepared, rightCount }: Setting): Expected {
  const { problem } = prepared;
  const size = problem.items * NODES;
  const right = total(problem.right, size);
  const rightAbility = new Float64Array(problem.items);
  for (let j = 0; j < problem.items; j++)
    for (let q = 0; q < NODES; q++) rightAbility[j]! += right[j * NODES + q]! * ABILITIES[q]!;
  return { asked: total(problem.asked, size), right, rightCount, rightAbility };
}
