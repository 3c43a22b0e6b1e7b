/**
 * What makes cases comparable: their total score or, where they were not all asked the same, the share they
 * would have had right of all questions.
 */
import { FOCAL, NEITHER } from './groups.ts';
import type { Sample } from './sample.ts';

/** The part of a matching score that does not depend on the question studied, by case. */
export interface Base {
  /** By slot: whether the question belongs to the score of all. The question studied always does. */
  anchors: Uint8Array;
  /**
   * How many of the anchors the case has right; where not all were asked the same, beyond what their easiness
   * lets expect.
   */
  right: Float64Array;
  /** How many of them it was asked. */
  asked: Uint32Array;
  /** How many of the anchors an average case would have right. */
  level: number;
}

export function baseOf({ scores, sides, slots, complete, easiness }: Sample, anchors: Uint8Array): Base {
  const right = new Float64Array(scores.cases);
  const asked = new Uint32Array(scores.cases);
  for (let c = 0; c < scores.cases; c++) {
    if (sides[c] === NEITHER) continue;
    for (let i = scores.starts[c]!; i < scores.starts[c + 1]!; i++) {
      const slot = slots[scores.item[i]!]!;
      if (!anchors[slot]) continue;
      right[c]! += complete ? scores.right[i]! : scores.right[i]! - easiness[slot]!;
      asked[c]!++;
    }
  }
  let sum = 0;
  let count = 0;
  for (let slot = 0; slot < easiness.length; slot++) {
    if (!anchors[slot]) continue;
    sum += easiness[slot]!;
    count++;
  }
  return { anchors, right, asked, level: count === 0 ? 0 : sum / count };
}

/** The counts of one question: by stratum, then group, then wrong and right. */
export type Table = Uint32Array;
export const CELLS = 4;

/**
 * Responses between two looks at whether the run is still wanted, and how many of them a table takes on top
 * of its own.
 */
const AT_ONCE = 2_000_000;
const PER_TABLE = 5_000;

/**
 * Goes through the tables of all tested questions, in their order. It is one table, filled anew each time:
 * not to be kept.
 */
export async function eachTable(
  sample: Sample,
  base: Base,
  visit: (table: Table, slot: number) => void,
  progress: () => Promise<void>,
): Promise<void> {
  const { starts, entries } = sample.bySlot;
  const strata = sample.complete ? byTotal(base) : byShare(sample, base);
  const common = cellsByAnchors(sample, strata);
  const table = new Uint32Array((sample.highest + 1) * CELLS);
  let work = 0;
  for (let slot = 0; slot < sample.tested.length; slot++) {
    table.fill(0);
    for (let i = starts[slot]!; i < starts[slot + 1]!; i++) {
      const entry = entries[i]!;
      const c = entry >>> 1;
      const right = entry & 1;
      const cell = base.anchors[slot]
        ? common[c]!
        : strata.withAnother(c, slot, right) * CELLS + columnOf(sample.sides[c]!);
      table[cell + right]!++;
    }
    visit(table, slot);
    work += starts[slot + 1]! - starts[slot]! + PER_TABLE;
    if (work < AT_ONCE) continue;
    work = 0;
    await progress();
  }
}

const columnOf = (side: number) => (side === FOCAL ? 2 : 0);

/** Where a case is counted in the tables of anchors. */
function cellsByAnchors({ sides }: Sample, strata: Strata): Uint32Array {
  const cells = new Uint32Array(sides.length);
  for (let c = 0; c < cells.length; c++) {
    if (sides[c] !== NEITHER) cells[c] = strata.ofAnchors(c) * CELLS + columnOf(sides[c]!);
  }
  return cells;
}

/**
 * The stratum of a case by the anchors alone, for a question that is one of them, and for one that comes on
 * top of them.
 */
interface Strata {
  ofAnchors(c: number): number;
  withAnother(c: number, slot: number, right: number): number;
}

/** The number right. */
const byTotal = ({ right: total }: Base): Strata => ({
  ofAnchors: (c) => total[c]!,
  withAnother: (c, _, right) => total[c]! + right,
});

/**
 * The share right of those that were asked, corrected for how easy they were, in as many steps as there are
 * strata.
 */
function byShare({ easiness, highest }: Sample, { right: surplus, asked, level }: Base): Strata {
  const stratum = (own: number, n: number) =>
    Math.round(highest * Math.max(0, Math.min(1, level + (n === 0 ? 0 : own / n))));
  return {
    ofAnchors: (c) => stratum(surplus[c]!, asked[c]!),
    withAnother: (c, slot, right) => stratum(surplus[c]! + right - easiness[slot]!, asked[c]! + 1),
  };
}
