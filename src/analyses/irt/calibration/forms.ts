/**
 * Test forms: the distinct sets of items that a case was asked. Under the 1PL and 2PL the
 * likelihood of a pattern factors into a term of its form and one of its sum of discriminations, so
 * that with few forms most of the E-step is done once per form instead of once per pattern.
 */
import type { Ticker } from '../../../concurrency/ticker.ts';
import { type Blocks, type EncodedPatterns, NO_PATTERN, newListInterner, type Patterns } from './patterns.ts';
import { sharedFloats, sharedIntegers } from './shared-arrays.ts';

/** With more forms, or fewer patterns per form on average, tables by form do not pay. */
const MAX_FORMS = 512;
const MIN_PATTERNS_PER_FORM = 8;
/** Total over all forms. */
const MAX_FORM_ITEMS = 50_000;

export interface Forms {
  count: number;
  /** The items of form f are those from starts[f] to before starts[f + 1]. */
  starts: Uint32Array;
  item: Uint32Array;
  /** The form of each pattern. */
  of: Uint32Array;
}

/** Undefined where there are too many forms. */
export async function findForms(
  { patterns, blocks }: EncodedPatterns,
  ticker: Ticker,
): Promise<Forms | undefined> {
  const maxForms = Math.min(MAX_FORMS, Math.ceil(patterns.count / MIN_PATTERNS_PER_FORM));
  const lists = newListInterner(maxForms + 1, MAX_FORM_ITEMS + blocks.count);
  const [itemSet, example] = numberItemSets(blocks);
  const of = sharedIntegers(patterns.count);
  for (let p = 0; p < patterns.count; p++) {
    if (ticker.due()) await ticker.yield();
    for (let i = patterns.starts[p]!; i < patterns.starts[p + 1]!; i++)
      lists.push(itemSet[patterns.block[i]!]!);
    of[p] = lists.close();
    if (lists.count() > maxForms || lists.starts[lists.count()]! > MAX_FORM_ITEMS) return;
  }
  const starts = [0];
  const item: number[] = [];
  for (let f = 0; f < lists.count(); f++) {
    for (let i = lists.starts[f]!; i < lists.starts[f + 1]!; i++) {
      const block = example[lists.values[i]!]!;
      item.push(...blocks.item.subarray(blocks.starts[block]!, blocks.starts[block + 1]!));
    }
    starts.push(item.length);
  }
  return { count: lists.count(), starts: sharedIntegers(starts), item: sharedIntegers(item), of };
}

/** Numbers the item sets of the blocks, and gives one block as an example of each. */
function numberItemSets(blocks: Blocks): [itemSet: Uint32Array, example: number[]] {
  const lists = newListInterner(blocks.count, blocks.item.length);
  const itemSet = new Uint32Array(blocks.count);
  const example: number[] = [];
  for (let b = 0; b < blocks.count; b++) {
    for (let i = blocks.starts[b]!; i < blocks.starts[b + 1]!; i++) lists.push(blocks.item[i]!);
    itemSet[b] = lists.close();
    example[itemSet[b]!] ??= b;
  }
  return [itemSet, example];
}

/**
 * Merges patterns with the same form and sum score. Under the 1PL the sum score is a sufficient
 * statistic, so each such class becomes one pattern; the number of its only block is the sum score.
 */
export function groupByScore(
  { patterns, blocks, patternOf }: EncodedPatterns,
  forms: Forms,
): { patterns: Patterns; forms: Forms; patternOf: Uint32Array } {
  const rightIn = Uint32Array.from({ length: blocks.count }, (_, b) =>
    blocks.right.subarray(blocks.starts[b]!, blocks.starts[b + 1]!).reduce((sum, right) => sum + right, 0),
  );
  const classes = new Map<number, number>();
  const scoreValues = forms.item.length + 1;
  const classOf = new Uint32Array(patterns.count);
  const scores: number[] = [];
  const of: number[] = [];
  const weights: number[] = [];
  for (let p = 0; p < patterns.count; p++) {
    let score = 0;
    for (let i = patterns.starts[p]!; i < patterns.starts[p + 1]!; i++) score += rightIn[patterns.block[i]!]!;
    const key = forms.of[p]! * scoreValues + score;
    let index = classes.get(key);
    if (index === undefined) {
      index = scores.push(score) - 1;
      classes.set(key, index);
      of.push(forms.of[p]!);
      weights.push(0);
    }
    classOf[p] = index;
    weights[index]! += patterns.weight[p]!;
  }
  const weight = sharedFloats(weights.length);
  weight.set(weights);
  const starts = sharedIntegers(scores.length + 1);
  for (let i = 0; i < starts.length; i++) starts[i] = i;
  return {
    patterns: { count: scores.length, starts, block: sharedIntegers(scores), weight },
    forms: { ...forms, of: sharedIntegers(of) },
    patternOf: patternOf.map((pattern) => (pattern === NO_PATTERN ? NO_PATTERN : classOf[pattern]!)),
  };
}
