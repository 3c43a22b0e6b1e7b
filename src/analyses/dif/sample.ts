/**
 * The cases of both groups, the items they were asked and, for incomplete data, the easiness of
 * these items.
 */
import type { Ticker } from '../../concurrency/ticker.ts';
import type { Scores } from '../shared/responses.ts';
import { NEITHER } from './groups.ts';

export interface Sample {
  scores: Scores;
  /** REFERENCE, FOCAL or NEITHER, by case. */
  sides: Uint8Array;
  /** The questions with a score in the sample. An item is an index into this array. */
  items: Uint32Array;
  /** By question: its item, or -1. */
  itemByQuestion: Int32Array;
  /** Whether every case has a score on every item. */
  complete: boolean;
  /** Strata are 0 to this. */
  maxStratum: number;
  /**
   * By item: the expected proportion correct of a case of average ability. Empty if the sample is
   * complete.
   */
  easiness: Float64Array;
  /** Cases dropped because they were asked too few items. */
  tooShort: number;
  /**
   * Scores by item, at starts[item] up to but not including starts[item + 1]. Entry = 2 · case +
   * score.
   */
  byItem: { starts: Uint32Array; entries: Uint32Array };
}

/** Finer strata would have too few cases each. */
const MAX_STRATA = 100;
/** Alternating least squares ends when no easiness changes by more than this. */
const EASINESS_TOLERANCE = 1e-4;
const MAX_EASINESS_ITERATIONS = 30;

/** Builds the sample. If it is incomplete, cases with fewer than `minItems` items are dropped. */
export async function buildSample(
  scores: Scores,
  sides: Uint8Array,
  minItems: number,
  ticker: Ticker,
): Promise<Sample> {
  const all = findItems(scores, sides);
  if (all.complete) {
    return {
      scores,
      sides,
      ...all,
      maxStratum: all.items.length,
      easiness: new Float64Array(0),
      tooShort: 0,
      byItem: groupByItem(scores, sides, all),
    };
  }
  const keptSides = sides.slice();
  let tooShort = 0;
  for (let c = 0; c < scores.cases; c++) {
    if (keptSides[c] === NEITHER || scores.starts[c + 1]! - scores.starts[c]! >= minItems) continue;
    keptSides[c] = NEITHER;
    tooShort++;
  }
  const kept = { ...findItems(scores, keptSides), complete: false };
  return {
    scores,
    sides: keptSides,
    ...kept,
    maxStratum: Math.min(MAX_STRATA, medianLength(scores, keptSides)),
    easiness: await estimateEasiness({ scores, sides: keptSides, ...kept }, ticker),
    tooShort,
    byItem: groupByItem(scores, keptSides, kept),
  };
}

function findItems(scores: Scores, sides: Uint8Array): Pick<Sample, 'items' | 'itemByQuestion' | 'complete'> {
  const itemByQuestion = new Int32Array(scores.items).fill(-1);
  let cases = 0;
  let responses = 0;
  for (let c = 0; c < scores.cases; c++) {
    if (sides[c] === NEITHER) continue;
    cases++;
    responses += scores.starts[c + 1]! - scores.starts[c]!;
    for (let i = scores.starts[c]!; i < scores.starts[c + 1]!; i++) itemByQuestion[scores.item[i]!] = 0;
  }
  const items = Uint32Array.from(itemByQuestion.keys()).filter((question) => itemByQuestion[question] === 0);
  for (const [item, question] of items.entries()) itemByQuestion[question] = item;
  return { items, itemByQuestion, complete: responses === cases * items.length };
}

function groupByItem(
  scores: Scores,
  sides: Uint8Array,
  { items, itemByQuestion }: Pick<Sample, 'items' | 'itemByQuestion'>,
): Sample['byItem'] {
  const starts = new Uint32Array(items.length + 1);
  const forEachScore = (visit: (item: number, c: number, right: number) => void) => {
    for (let c = 0; c < scores.cases; c++) {
      if (sides[c] === NEITHER) continue;
      for (let i = scores.starts[c]!; i < scores.starts[c + 1]!; i++) {
        visit(itemByQuestion[scores.item[i]!]!, c, scores.right[i]!);
      }
    }
  };
  forEachScore((item) => starts[item + 1]!++);
  for (let item = 0; item < items.length; item++) starts[item + 1]! += starts[item]!;
  const entries = new Uint32Array(starts[items.length]!);
  const next = starts.slice();
  forEachScore((item, c, right) => {
    entries[next[item]!++] = 2 * c + right;
  });
  return { starts, entries };
}

/** The median number of items per case. */
function medianLength(scores: Scores, sides: Uint8Array): number {
  const lengths = new Uint32Array(scores.cases);
  let n = 0;
  for (let c = 0; c < scores.cases; c++) {
    if (sides[c] !== NEITHER) lengths[n++] = scores.starts[c + 1]! - scores.starts[c]!;
  }
  return n === 0 ? 1 : lengths.subarray(0, n).sort()[n >> 1]!;
}

/**
 * Fits score = ability of the case + easiness of the item by alternating least squares, so that the
 * easiness does not depend on who was asked. For complete data it is the facility.
 */
async function estimateEasiness(
  { scores, sides, itemByQuestion, items }: Pick<Sample, 'scores' | 'sides' | 'itemByQuestion' | 'items'>,
  ticker: Ticker,
): Promise<Float64Array> {
  const counts = new Uint32Array(items.length);
  let easiness = new Float64Array(items.length);
  for (
    let iteration = 0, change = 1;
    iteration < MAX_EASINESS_ITERATIONS && change > EASINESS_TOLERANCE;
    iteration++
  ) {
    const sums = new Float64Array(items.length);
    counts.fill(0);
    for (let c = 0; c < scores.cases; c++) {
      if (sides[c] === NEITHER) continue;
      if (ticker.due()) await ticker.yield(iteration / MAX_EASINESS_ITERATIONS);
      const start = scores.starts[c]!;
      const end = scores.starts[c + 1]!;
      let surplus = 0;
      if (iteration > 0) {
        for (let i = start; i < end; i++)
          surplus += scores.right[i]! - easiness[itemByQuestion[scores.item[i]!]!]!;
      }
      const ability = surplus / (end - start);
      for (let i = start; i < end; i++) {
        const item = itemByQuestion[scores.item[i]!]!;
        sums[item]! += scores.right[i]! - ability;
        counts[item]!++;
      }
    }
    change = 0;
    const previous = easiness;
    easiness = sums.map((sum, item) => sum / counts[item]!);
    for (let item = 0; item < easiness.length; item++) {
      change = Math.max(change, Math.abs(easiness[item]! - previous[item]!));
    }
  }
  return easiness;
}
