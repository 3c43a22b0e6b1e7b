/**
 * Kernels of the E-step: the posterior distribution of ability for each response pattern, and the
 * expected counts summed over patterns (Bock & Aitkin, 1981). The same posteriors give the EAP
 * abilities. Nodes whose weight is below the rounding error of the largest one are skipped.
 */
import { LOG_PRIOR, NODE_SPACING, NODES, THETA } from './model.ts';
import type { Problem } from './problem.ts';

const MIN_RELATIVE_WEIGHT = 1e-18;
const LOG_MIN_RELATIVE_WEIGHT = Math.log(MIN_RELATIVE_WEIGHT);
/** Up to this logarithm, a ratio of weights can be computed as a product without overflow. */
const MAX_LOG_RATIO = 300;

/** Posterior of ability given a pattern: weights of the nodes `from` to `to`, which sum to 1. */
export interface Posterior {
  weight: Float64Array;
  from: number;
  to: number;
  mean: number;
  variance: number;
  /** Of the pattern; by forms, without the intercepts of its right responses. */
  logLikelihood: number;
}

const newPosterior = (): Posterior => ({
  weight: new Float64Array(NODES),
  from: 0,
  to: 0,
  mean: 0,
  variance: 0,
  logLikelihood: 0,
});

/**
 * Posterior by forms (1PL, 2PL). Starts at the mode, found by bisection, and multiplies outwards by
 * the ratio of neighbouring weights; the density is log-concave, so the weights fall on both sides.
 * The returned object is reused by the next call.
 */
export function newPosteriorByForm(problem: Problem) {
  const { patterns, tables } = problem;
  const { starts, block } = patterns;
  const { forms, discrimination, logDensity, logRatio, ratioUp, ratioDown } = tables!;
  const result = newPosterior();
  const { weight } = result;
  return (p: number): Posterior => {
    const form = forms.of[p]! * NODES;
    let sum = 0;
    for (let i = starts[p]!; i < starts[p + 1]!; i++) sum += discrimination[block[i]!]!;
    const logStep = NODE_SPACING * sum;
    let mode = 0;
    for (let high = NODES - 1; mode < high; ) {
      const middle = (mode + high) >> 1;
      if (logRatio[form + middle]! + logStep > 0) mode = middle + 1;
      else high = middle;
    }
    const overflows = Math.abs(logStep) > MAX_LOG_RATIO;
    const ratio = overflows ? 1 : Math.exp(logStep);
    const inverse = 1 / ratio;
    weight[mode] = 1;
    let total = 1;
    let first = 0;
    let second = 0;
    let to = mode;
    for (let w = 1; to < NODES - 1; ) {
      w *= overflows ? Math.exp(logRatio[form + to]! + logStep) : ratioUp[form + to]! * ratio;
      if (!(w > MIN_RELATIVE_WEIGHT)) break;
      weight[++to] = w;
      total += w;
      first += w * (to - mode);
      second += w * (to - mode) * (to - mode);
    }
    let from = mode;
    for (let w = 1; from > 0; ) {
      w *= overflows
        ? Math.exp(-logRatio[form + from - 1]! - logStep)
        : ratioDown[form + from - 1]! * inverse;
      if (!(w > MIN_RELATIVE_WEIGHT)) break;
      weight[--from] = w;
      total += w;
      first += w * (from - mode);
      second += w * (from - mode) * (from - mode);
    }
    const scale = 1 / total;
    for (let q = from; q <= to; q++) weight[q]! *= scale;
    const shift = first * scale;
    result.from = from;
    result.to = to;
    result.mean = THETA[mode]! + NODE_SPACING * shift;
    result.variance = NODE_SPACING * NODE_SPACING * Math.max(0, second * scale - shift * shift);
    result.logLikelihood = logDensity[form + mode]! + THETA[mode]! * sum + Math.log(total);
    return result;
  };
}

/** Posterior by blocks, for any model and forms. The returned object is reused by the next call. */
export function newPosteriorByBlock(problem: Problem) {
  const { patterns, blockLog } = problem;
  const { starts, block } = patterns;
  const result = newPosterior();
  const { weight } = result;
  const logs = new Float64Array(NODES);
  return (p: number): Posterior => {
    logs.set(LOG_PRIOR);
    const end = starts[p + 1]!;
    let i = starts[p]!;
    // Four blocks per pass, to read and write `logs` less often.
    for (; i + 3 < end; i += 4) {
      const one = block[i]! * NODES;
      const two = block[i + 1]! * NODES;
      const three = block[i + 2]! * NODES;
      const four = block[i + 3]! * NODES;
      for (let q = 0; q < NODES; q++)
        logs[q]! += blockLog[one + q]! + blockLog[two + q]! + (blockLog[three + q]! + blockLog[four + q]!);
    }
    for (; i < end; i++) {
      const one = block[i]! * NODES;
      for (let q = 0; q < NODES; q++) logs[q]! += blockLog[one + q]!;
    }
    let max = logs[0]!;
    for (let q = 1; q < NODES; q++) if (logs[q]! > max) max = logs[q]!;
    let from = 0;
    let to = NODES - 1;
    while (logs[from]! - max < LOG_MIN_RELATIVE_WEIGHT) from++;
    while (logs[to]! - max < LOG_MIN_RELATIVE_WEIGHT) to--;
    let total = 0;
    for (let q = from; q <= to; q++) total += weight[q] = Math.exp(logs[q]! - max);
    const scale = 1 / total;
    let mean = 0;
    for (let q = from; q <= to; q++) {
      weight[q]! *= scale;
      mean += weight[q]! * THETA[q]!;
    }
    let variance = 0;
    for (let q = from; q <= to; q++) variance += weight[q]! * (THETA[q]! - mean) ** 2;
    result.from = from;
    result.to = to;
    result.mean = mean;
    result.variance = variance;
    result.logLikelihood = max + Math.log(total);
    return result;
  };
}

const newPosteriorFunction = (problem: Problem) =>
  problem.tables ? newPosteriorByForm(problem) : newPosteriorByBlock(problem);

/** E-step over one part of the patterns, by forms. */
export function expectByForm(problem: Problem, part: number): void {
  const { patterns, tables, parts, logLikelihood } = problem;
  const { starts, block, weight: cases } = patterns;
  const { forms, discrimination } = tables!;
  const blocks = discrimination.length;
  const asked = tables!.asked.subarray(part * forms.count * NODES, (part + 1) * forms.count * NODES).fill(0);
  const abilitySum = tables!.abilitySum.subarray(part * blocks, (part + 1) * blocks).fill(0);
  const computePosterior = newPosteriorByForm(problem);
  let log = 0;
  for (let p = parts[part]!; p < parts[part + 1]!; p++) {
    const result = computePosterior(p);
    const { weight, from, to } = result;
    const count = cases[p]!;
    const form = forms.of[p]! * NODES;
    for (let q = from; q <= to; q++) asked[form + q]! += count * weight[q]!;
    const sum = count * result.mean;
    for (let i = starts[p]!; i < starts[p + 1]!; i++) abilitySum[block[i]!]! += sum;
    log += count * result.logLikelihood;
  }
  logLikelihood[part] = log;
}

/** Scratch sums by block and node, reused by the next part: clearing is faster than allocating. */
let byBlock = new Float64Array(0);

/** E-step over one part of the patterns, by blocks. */
export function expectByBlock(problem: Problem, part: number): void {
  const { patterns, blocks, parts, items, logLikelihood } = problem;
  const { starts, block, weight: cases } = patterns;
  if (byBlock.length === blocks.count * NODES) byBlock.fill(0);
  else byBlock = new Float64Array(blocks.count * NODES);
  const sums = byBlock;
  const computePosterior = newPosteriorByBlock(problem);
  let log = 0;
  for (let p = parts[part]!; p < parts[part + 1]!; p++) {
    const result = computePosterior(p);
    const { weight, from, to } = result;
    const count = cases[p]!;
    if (count !== 1) for (let q = from; q <= to; q++) weight[q]! *= count;
    for (let i = starts[p]!; i < starts[p + 1]!; i++) {
      const row = block[i]! * NODES;
      for (let q = from; q <= to; q++) sums[row + q]! += weight[q]!;
    }
    log += count * result.logLikelihood;
  }
  logLikelihood[part] = log;
  const asked = problem.asked.subarray(part * items * NODES, (part + 1) * items * NODES).fill(0);
  const right = problem.right.subarray(part * items * NODES, (part + 1) * items * NODES).fill(0);
  for (let b = 0; b < blocks.count; b++) {
    for (let i = blocks.starts[b]!; i < blocks.starts[b + 1]!; i++) {
      const item = blocks.item[i]! * NODES;
      for (let q = 0; q < NODES; q++) asked[item + q]! += sums[b * NODES + q]!;
      if (blocks.right[i]) for (let q = 0; q < NODES; q++) right[item + q]! += sums[b * NODES + q]!;
    }
  }
}

/** Fills one part's share of the table of log-likelihoods by block. */
export function fillBlocks(problem: Problem, part: number): void {
  const { blocks, parts, logRight, logWrong, blockLog } = problem;
  const count = parts.length - 1;
  const to = Math.floor((blocks.count * (part + 1)) / count);
  for (let b = Math.floor((blocks.count * part) / count); b < to; b++) {
    const row = blockLog.subarray(b * NODES, (b + 1) * NODES).fill(0);
    for (let i = blocks.starts[b]!; i < blocks.starts[b + 1]!; i++) {
      const logs = blocks.right[i] ? logRight : logWrong;
      const item = blocks.item[i]! * NODES;
      for (let q = 0; q < NODES; q++) row[q]! += logs[item + q]!;
    }
  }
}

/**
 * EAP (expected a posteriori) abilities of the patterns of one part, with the posterior standard
 * deviation as standard error (Bock & Mislevy, 1982).
 */
export function estimateEap(problem: Problem, part: number): void {
  const computePosterior = newPosteriorFunction(problem);
  for (let p = problem.parts[part]!; p < problem.parts[part + 1]!; p++) {
    const { mean, variance } = computePosterior(p);
    problem.ability[p] = mean;
    problem.abilitySe[p] = Math.sqrt(variance);
  }
}
