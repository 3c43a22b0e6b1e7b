/**
 * The data that kernels share across threads: response patterns, tables of the current item curves,
 * and the sums of the E-step. The patterns are split into parts, each with sums of its own.
 */

import type { Ticker } from '../../../concurrency/ticker.ts';
import type { Scores } from '../../shared/responses.ts';
import { type Forms, findForms, groupByScore } from './forms.ts';
import { type Model, NODES } from './model.ts';
import { type Blocks, encodePatterns, type Patterns } from './patterns.ts';
import { sharedFloats, sharedIntegers } from './shared-arrays.ts';

/** Independent of the number of threads, so that results are too. */
const MAX_PARTS = 8;
const MIN_PATTERNS_PER_PART = 1024;
/** Mean visits per distinct block; with fewer, the sums of a part cost more than its visits. */
const MIN_BLOCK_USES_PER_PART = 8;

/** Limit for merging 1PL patterns by sum score, which makes the joint information affordable. */
const MAX_ITEMS_BY_SCORE = 1000;

export interface Problem {
  items: number;
  patterns: Patterns;
  blocks: Blocks;
  /** Part i has the patterns from parts[i] to before parts[i + 1]. */
  parts: Uint32Array;
  /** By part. */
  logLikelihood: Float64Array;
  /** By pattern: EAP ability and its standard error, the posterior mean and standard deviation. */
  ability: Float64Array;
  abilitySe: Float64Array;
  /** Undefined where there are too many forms, and for the 3PL: the E-step then goes by blocks. */
  tables: FormTables | undefined;
  /** By item and node: ln P and ln(1 − P). */
  logRight: Float64Array;
  logWrong: Float64Array;
  /** By block and node: the log-likelihood of its responses. Empty for patterns merged by score. */
  blockLog: Float64Array;
  /** By part, item and node: expected numbers of (right) responses. Empty by forms. */
  asked: Float64Array;
  right: Float64Array;
}

/**
 * Tables for the E-step by forms (1PL, 2PL): up to a constant, the likelihood of a pattern is that
 * of all wrong responses to its form times e^(θ · s), with s the sum of the discriminations of its
 * right responses.
 */
export interface FormTables {
  forms: Forms;
  /** By block: its contribution to s. */
  discrimination: Float64Array;
  /** By form and node: log prior plus log-likelihood of all wrong responses. */
  logDensity: Float64Array;
  /** Its difference to the next node, and the exponentials of ± that difference. */
  logRatio: Float64Array;
  ratioUp: Float64Array;
  ratioDown: Float64Array;
  /** By part, form and node: expected number of cases. */
  asked: Float64Array;
  /** By part and block: sum of the posterior means of the cases with the block. */
  abilitySum: Float64Array;
}

export interface PreparedProblem {
  problem: Problem;
  /** Whether patterns are merged by form and sum score. */
  byScore: boolean;
  /** The pattern of each case. */
  patternOf: Uint32Array;
}

export async function prepareProblem(scores: Scores, model: Model, ticker: Ticker): Promise<PreparedProblem> {
  const encoded = await encodePatterns(scores, ticker);
  const foundForms = model === '3pl' ? undefined : await findForms(encoded, ticker);
  const merged =
    foundForms && model === '1pl' && scores.items <= MAX_ITEMS_BY_SCORE
      ? groupByScore(encoded, foundForms)
      : undefined;
  const { patterns, patternOf } = merged ?? encoded;
  const forms = merged?.forms ?? foundForms;
  const { items } = scores;
  const { blocks } = encoded;
  const parts = splitIntoParts(patterns, forms ? 0 : blocks.count);
  const count = parts.length - 1;
  const withBlocks = forms ? 0 : 1;
  const problem = {
    items,
    patterns,
    blocks,
    parts,
    logLikelihood: sharedFloats(count),
    ability: sharedFloats(patterns.count),
    abilitySe: sharedFloats(patterns.count),
    tables: forms && newFormTables(forms, merged ? items + 1 : blocks.count, count),
    logRight: sharedFloats(items * NODES),
    logWrong: sharedFloats(items * NODES),
    blockLog: sharedFloats(merged ? 0 : blocks.count * NODES),
    asked: sharedFloats(withBlocks * count * items * NODES),
    right: sharedFloats(withBlocks * count * items * NODES),
  };
  return { problem, byScore: merged !== undefined, patternOf };
}

const newFormTables = (forms: Forms, blocks: number, parts: number): FormTables => ({
  forms,
  discrimination: sharedFloats(blocks),
  logDensity: sharedFloats(forms.count * NODES),
  logRatio: sharedFloats(forms.count * NODES),
  ratioUp: sharedFloats(forms.count * NODES),
  ratioDown: sharedFloats(forms.count * NODES),
  asked: sharedFloats(parts * forms.count * NODES),
  abilitySum: sharedFloats(parts * blocks),
});

/**
 * Splits the patterns into parts of about equal numbers of blocks. The split depends on the data
 * alone, which makes the sums reproducible to the last bit.
 */
function splitIntoParts({ count, starts }: Patterns, blocks: number): Uint32Array {
  const total = starts[count]!;
  const maxParts = Math.min(
    MAX_PARTS,
    Math.floor(count / MIN_PATTERNS_PER_PART),
    Math.floor(total / (MIN_BLOCK_USES_PER_PART * Math.max(1, blocks))),
  );
  const parts = Math.max(1, maxParts);
  const cuts = [0];
  for (let p = 0; p < count; p++) if (starts[p]! >= (cuts.length * total) / parts) cuts.push(p);
  return sharedIntegers([...cuts, count]);
}
