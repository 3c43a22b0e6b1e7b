/**
 * Test forms: which items were asked together. Where they are few, most of the work is done once for a form
 * instead of once for a case.
 */
import type { Pace } from '../../shared/ticker.ts';
import { type Blocks, distinctLists, type Encoded, NO_PATTERN, type Patterns } from './patterns.ts';
import { sharedFloats, sharedIntegers } from './shared-arrays.ts';

/** With more forms than that, or with less than so many patterns to each, they are no help. */
const MOST_FORMS = 512;
const LEAST_PATTERNS = 8;
/** How many items the forms may have together. */
const MOST_ITEMS = 50_000;
const BATCH = 2048;

export interface Forms {
  count: number;
  /** The items of form f are those from starts[f] to before starts[f + 1]. */
  starts: Uint32Array;
  item: Uint32Array;
  /** The form of each pattern. */
  of: Uint32Array;
}

/** The forms, or undefined where there are too many of them. */
export async function formsOf({ patterns, blocks }: Encoded, pace: Pace): Promise<Forms | undefined> {
  const most = Math.min(MOST_FORMS, Math.ceil(patterns.count / LEAST_PATTERNS));
  const found = distinctLists(most + 1, MOST_ITEMS + blocks.count);
  const [asked, example] = askedOf(blocks);
  const of = sharedIntegers(patterns.count);
  for (let p = 0; p < patterns.count; p++) {
    if (p % BATCH === 0) await pace.pause();
    for (let i = patterns.starts[p]!; i < patterns.starts[p + 1]!; i++)
      found.push(asked[patterns.block[i]!]!);
    of[p] = found.close();
    if (found.count() > most || found.starts[found.count()]! > MOST_ITEMS) return;
  }
  const starts = [0];
  const item: number[] = [];
  for (let f = 0; f < found.count(); f++) {
    for (let i = found.starts[f]!; i < found.starts[f + 1]!; i++) {
      const block = example[found.values[i]!]!;
      item.push(...blocks.item.subarray(blocks.starts[block]!, blocks.starts[block + 1]!));
    }
    starts.push(item.length);
  }
  return { count: found.count(), starts: sharedIntegers(starts), item: sharedIntegers(item), of };
}

/** Numbers blocks by the items they are about; and for each number one block that has it. */
function askedOf(blocks: Blocks): [asked: Uint32Array, example: number[]] {
  const found = distinctLists(blocks.count, blocks.item.length);
  const asked = new Uint32Array(blocks.count);
  const example: number[] = [];
  for (let b = 0; b < blocks.count; b++) {
    for (let i = blocks.starts[b]!; i < blocks.starts[b + 1]!; i++) found.push(blocks.item[i]!);
    asked[b] = found.close();
    example[asked[b]!] ??= b;
  }
  return [asked, example];
}

/**
 * Under the 1PL, all cases with the same form and the same number of right answers are alike. Each such class
 * is made one pattern; its only block stands for the number of right answers.
 */
export function byScore(
  { patterns, blocks, patternOf }: Encoded,
  forms: Forms,
): { patterns: Patterns; forms: Forms; patternOf: Uint32Array } {
  const rightIn = Uint32Array.from({ length: blocks.count }, (_, b) =>
    blocks.right.subarray(blocks.starts[b]!, blocks.starts[b + 1]!).reduce((sum, right) => sum + right, 0),
  );
  const classes = new Map<number, number>();
  const longest = forms.item.length + 1;
  const classOf = new Uint32Array(patterns.count);
  const scores: number[] = [];
  const of: number[] = [];
  const weights: number[] = [];
  for (let p = 0; p < patterns.count; p++) {
    let score = 0;
    for (let i = patterns.starts[p]!; i < patterns.starts[p + 1]!; i++) score += rightIn[patterns.block[i]!]!;
    const key = forms.of[p]! * longest + score;
    let own = classes.get(key);
    if (own === undefined) {
      own = scores.push(score) - 1;
      classes.set(key, own);
      of.push(forms.of[p]!);
      weights.push(0);
    }
    classOf[p] = own;
    weights[own]! += patterns.weight[p]!;
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
