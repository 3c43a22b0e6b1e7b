/**
 * All that the threads work on: what was answered, tables of the curves as they are now, and the sums that
 * come of both.
 */
import type { Scores } from '../../shared/responses.ts';
import type { Pace } from '../../shared/ticker.ts';
import { byScore, type Forms, formsOf } from './forms.ts';
import { type Model, NODES } from './model.ts';
import { type Blocks, encode, type Patterns } from './patterns.ts';
import { sharedFloats, sharedIntegers } from './shared-arrays.ts';

/**
 * Into how many parts the patterns are cut at the most, whatever the number of threads: each part has sums of
 * its own.
 */
const MOST_PARTS = 8;
const LEAST_IN_PART = 1024;
/**
 * A part should go through this many blocks for each block that there is, or its sums cost more than what is
 * summed.
 */
const BLOCKS_IN_PART = 8;

/**
 * Classes by score are for tests of a usual length: the information of the 1PL is then that of all parameters
 * together.
 */
const MOST_BY_SCORE = 1000;

export interface Problem {
  items: number;
  patterns: Patterns;
  blocks: Blocks;
  /** Part i has the patterns from parts[i] to before parts[i + 1]. */
  parts: Uint32Array;
  logLikelihood: Float64Array;
  /** By pattern, when they are asked for: the mean and the standard deviation of the ability. */
  ability: Float64Array;
  deviation: Float64Array;
  tables: FormTables | undefined;
  /** By item and node: the logarithms of the probabilities of a right and of a wrong answer. */
  logRight: Float64Array;
  logWrong: Float64Array;
  /**
   * By block and node: the logarithm of the probability of its answers. Nothing where only forms are gone
   * through.
   */
  blockLog: Float64Array;
  /** By part, item and node: how many were expected to have been asked there, and to have been right. */
  asked: Float64Array;
  right: Float64Array;
}

/**
 * What makes patterns of few forms quick under the 1PL and 2PL, where a pattern's likelihood is that of its
 * form times e^(ability · s).
 */
export interface FormTables {
  forms: Forms;
  /** By block: what it adds to s, the sum of the slopes of all right answers. */
  slope: Float64Array;
  /**
   * By form and node: the logarithm of the density with all answers wrong, how it changes to the next node,
   * and e to the power of that and of its opposite.
   */
  level: Float64Array;
  rise: Float64Array;
  up: Float64Array;
  down: Float64Array;
  /** By part, form and node: how many cases were expected there. */
  asked: Float64Array;
  /** By part and block: the sum of the mean abilities of all that have it. */
  mean: Float64Array;
}

export interface Prepared {
  problem: Problem;
  /** Whether the patterns are classes of cases with the same form and score. */
  byScore: boolean;
  /** The pattern of each case. */
  patternOf: Uint32Array;
}

export async function prepare(scores: Scores, model: Model, pace: Pace): Promise<Prepared> {
  const encoded = await encode(scores, pace);
  const found = model === '3pl' ? undefined : await formsOf(encoded, pace);
  const reduced =
    found && model === '1pl' && scores.items <= MOST_BY_SCORE ? byScore(encoded, found) : undefined;
  const { patterns, patternOf } = reduced ?? encoded;
  const forms = reduced?.forms ?? found;
  const { items } = scores;
  const { blocks } = encoded;
  const parts = partsOf(patterns, forms ? 0 : blocks.count);
  const count = parts.length - 1;
  const withBlocks = forms ? 0 : 1;
  const problem = {
    items,
    patterns,
    blocks,
    parts,
    logLikelihood: sharedFloats(count),
    ability: sharedFloats(patterns.count),
    deviation: sharedFloats(patterns.count),
    tables: forms && tablesOf(forms, reduced ? items + 1 : blocks.count, count),
    logRight: sharedFloats(items * NODES),
    logWrong: sharedFloats(items * NODES),
    blockLog: sharedFloats(reduced ? 0 : blocks.count * NODES),
    asked: sharedFloats(withBlocks * count * items * NODES),
    right: sharedFloats(withBlocks * count * items * NODES),
  };
  return { problem, byScore: reduced !== undefined, patternOf };
}

const tablesOf = (forms: Forms, blocks: number, parts: number): FormTables => ({
  forms,
  slope: sharedFloats(blocks),
  level: sharedFloats(forms.count * NODES),
  rise: sharedFloats(forms.count * NODES),
  up: sharedFloats(forms.count * NODES),
  down: sharedFloats(forms.count * NODES),
  asked: sharedFloats(parts * forms.count * NODES),
  mean: sharedFloats(parts * blocks),
});

/**
 * Cuts the patterns so that each part has about as many blocks. It depends on the data alone, and so do the
 * sums, to the last bit.
 */
function partsOf({ count, starts }: Patterns, blocks: number): Uint32Array {
  const total = starts[count]!;
  const most = Math.min(
    MOST_PARTS,
    Math.floor(count / LEAST_IN_PART),
    Math.floor(total / (BLOCKS_IN_PART * Math.max(1, blocks))),
  );
  const parts = Math.max(1, most);
  const cuts = [0];
  for (let p = 0; p < count; p++) if (starts[p]! >= (cuts.length * total) / parts) cuts.push(p);
  return sharedIntegers([...cuts, count]);
}
