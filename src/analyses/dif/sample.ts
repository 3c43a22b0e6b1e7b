/** The cases of the two groups, what they were asked, and how easy that was. */
import type { Scores } from '../shared/responses.ts';
import { NEITHER } from './groups.ts';

/** The cases of the two groups that can be matched, and the questions they were asked. */
export interface Sample {
  scores: Scores;
  /** REFERENCE, FOCAL or NEITHER, by case. */
  sides: Uint8Array;
  /** The questions with a score in the sample, and the place of each question among them, or -1. */
  tested: Uint32Array;
  slots: Int32Array;
  /** Whether every case was asked all of them. */
  complete: boolean;
  /** The highest stratum; the lowest is 0. */
  highest: number;
  /**
   * How easy each question is, by slot, for cases as able as the average. Empty where all were asked the
   * same.
   */
  easiness: Float64Array;
  /** Cases that were asked too little to be matched. */
  tooShort: number;
  /**
   * The scores by slot: those of a slot are from starts[slot] to before starts[slot + 1], each twice the
   * case, plus 1 if right.
   */
  bySlot: { starts: Uint32Array; entries: Uint32Array };
}

/** Finer strata than this would leave too few cases in each. */
const MOST_STRATA = 100;
/**
 * When the easiness of every question changes by less, it has settled; and it need not be pursued further
 * than so often.
 */
const SETTLED = 1e-4;
const MOST_ROUNDS = 30;

/** Leaves out, where not all were asked the same, the cases that were asked fewer questions than `fewest`. */
export async function sampleOf(
  scores: Scores,
  sides: Uint8Array,
  fewest: number,
  progress: () => Promise<void>,
): Promise<Sample> {
  const all = surveyOf(scores, sides);
  if (all.complete) {
    const bySlot = entriesOf(scores, sides, all);
    return {
      scores,
      sides,
      ...all,
      highest: all.tested.length,
      easiness: new Float64Array(0),
      tooShort: 0,
      bySlot,
    };
  }
  const kept = sides.slice();
  let tooShort = 0;
  for (let c = 0; c < scores.cases; c++) {
    if (kept[c] === NEITHER || scores.starts[c + 1]! - scores.starts[c]! >= fewest) continue;
    kept[c] = NEITHER;
    tooShort++;
  }
  const rest = { ...surveyOf(scores, kept), complete: false };
  return {
    scores,
    sides: kept,
    ...rest,
    highest: Math.min(MOST_STRATA, middleLength(scores, kept)),
    easiness: await easinessOf({ scores, sides: kept, ...rest }, progress),
    tooShort,
    bySlot: entriesOf(scores, kept, rest),
  };
}

function surveyOf(scores: Scores, sides: Uint8Array) {
  const slots = new Int32Array(scores.items).fill(-1);
  let cases = 0;
  let responses = 0;
  for (let c = 0; c < scores.cases; c++) {
    if (sides[c] === NEITHER) continue;
    cases++;
    responses += scores.starts[c + 1]! - scores.starts[c]!;
    for (let i = scores.starts[c]!; i < scores.starts[c + 1]!; i++) slots[scores.item[i]!] = 0;
  }
  const tested = Uint32Array.from(slots.keys()).filter((item) => slots[item] === 0);
  for (const [slot, item] of tested.entries()) slots[item] = slot;
  return { tested, slots, complete: responses === cases * tested.length };
}

function entriesOf(
  scores: Scores,
  sides: Uint8Array,
  { tested, slots }: Pick<Sample, 'tested' | 'slots'>,
): Sample['bySlot'] {
  const starts = new Uint32Array(tested.length + 1);
  const each = (visit: (slot: number, c: number, right: number) => void) => {
    for (let c = 0; c < scores.cases; c++) {
      if (sides[c] === NEITHER) continue;
      for (let i = scores.starts[c]!; i < scores.starts[c + 1]!; i++) {
        visit(slots[scores.item[i]!]!, c, scores.right[i]!);
      }
    }
  };
  each((slot) => starts[slot + 1]!++);
  for (let slot = 0; slot < tested.length; slot++) starts[slot + 1]! += starts[slot]!;
  const entries = new Uint32Array(starts[tested.length]!);
  const next = starts.slice();
  each((slot, c, right) => {
    entries[next[slot]!++] = 2 * c + right;
  });
  return { starts, entries };
}

/** How many questions the case in the middle was asked. */
function middleLength(scores: Scores, sides: Uint8Array): number {
  const lengths = new Uint32Array(scores.cases);
  let n = 0;
  for (let c = 0; c < scores.cases; c++) {
    if (sides[c] !== NEITHER) lengths[n++] = scores.starts[c + 1]! - scores.starts[c]!;
  }
  return n === 0 ? 1 : lengths.subarray(0, n).sort()[n >> 1]!;
}

/**
 * Shares right that do not depend on who was asked: the least-squares fit of a case's part and a question's
 * part to the scores, one in turn with the other. With every case asked everything it is the plain share.
 */
async function easinessOf(
  { scores, sides, slots, tested }: Pick<Sample, 'scores' | 'sides' | 'slots' | 'tested'>,
  progress: () => Promise<void>,
): Promise<Float64Array> {
  const asked = new Uint32Array(tested.length);
  let easiness = new Float64Array(tested.length);
  for (let round = 0, change = 1; round < MOST_ROUNDS && change > SETTLED; round++) {
    const sums = new Float64Array(tested.length);
    asked.fill(0);
    for (let c = 0; c < scores.cases; c++) {
      if (sides[c] === NEITHER) continue;
      const start = scores.starts[c]!;
      const end = scores.starts[c + 1]!;
      let surplus = 0;
      if (round > 0) {
        for (let i = start; i < end; i++) surplus += scores.right[i]! - easiness[slots[scores.item[i]!]!]!;
      }
      const ability = surplus / (end - start);
      for (let i = start; i < end; i++) {
        const slot = slots[scores.item[i]!]!;
        sums[slot]! += scores.right[i]! - ability;
        asked[slot]!++;
      }
    }
    change = 0;
    const previous = easiness;
    easiness = sums.map((sum, slot) => sum / asked[slot]!);
    for (let slot = 0; slot < easiness.length; slot++) {
      change = Math.max(change, Math.abs(easiness[slot]! - previous[slot]!));
    }
    await progress();
  }
  return easiness;
}
