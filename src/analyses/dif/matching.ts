/**
 * The matching criterion, and the 2 × 2 tables of each item by stratum.
 *
 * Cases are matched by their number correct or, for incomplete data, by their proportion correct
 * adjusted for the easiness of the items asked. The criterion comprises the anchor items and always
 * the studied item itself (Holland & Thayer 1988).
 */
import type { Ticker } from '../../concurrency/ticker.ts';
import { FOCAL, NEITHER } from './groups.ts';
import type { Sample } from './sample.ts';

/** The score of each case on the anchor items. */
export interface AnchorScores {
  /** By item: 1 if it is an anchor. */
  anchors: Uint8Array;
  /**
   * By case: the number of correct anchors; for incomplete data minus the sum of their easiness.
   */
  right: Float64Array;
  /** By case: the number of anchors asked. */
  asked: Uint32Array;
  /** The mean easiness of the anchors. */
  meanEasiness: number;
}

export function scoreAnchors(
  { scores, sides, itemByQuestion, complete, easiness }: Sample,
  anchors: Uint8Array,
): AnchorScores {
  const right = new Float64Array(scores.cases);
  const asked = new Uint32Array(scores.cases);
  for (let c = 0; c < scores.cases; c++) {
    if (sides[c] === NEITHER) continue;
    for (let i = scores.starts[c]!; i < scores.starts[c + 1]!; i++) {
      const item = itemByQuestion[scores.item[i]!]!;
      if (!anchors[item]) continue;
      right[c]! += complete ? scores.right[i]! : scores.right[i]! - easiness[item]!;
      asked[c]!++;
    }
  }
  let sum = 0;
  let count = 0;
  for (let item = 0; item < easiness.length; item++) {
    if (!anchors[item]) continue;
    sum += easiness[item]!;
    count++;
  }
  return { anchors, right, asked, meanEasiness: count === 0 ? 0 : sum / count };
}

/** The counts of one item: by stratum, then side, then wrong and right. */
export type Table = Uint32Array;
/** Counts per stratum. */
export const CELLS = 4;

/**
 * Calls `visit` with the table of each item, in order. The table is reused: it must not be kept.
 */
export async function visitTables(
  sample: Sample,
  anchorScores: AnchorScores,
  visit: (table: Table, item: number) => void,
  ticker: Ticker,
): Promise<void> {
  const { starts, entries } = sample.byItem;
  const strata = sample.complete
    ? stratifyByNumber(anchorScores)
    : stratifyByProportion(sample, anchorScores);
  const anchorCells = findAnchorCells(sample, strata);
  const table = new Uint32Array((sample.maxStratum + 1) * CELLS);
  for (let item = 0; item < sample.items.length; item++) {
    if (ticker.due()) await ticker.yield(item / sample.items.length);
    table.fill(0);
    for (let i = starts[item]!; i < starts[item + 1]!; i++) {
      const entry = entries[i]!;
      const c = entry >>> 1;
      const right = entry & 1;
      const cell = anchorScores.anchors[item]
        ? anchorCells[c]!
        : strata.withItem(c, item, right) * CELLS + getColumn(sample.sides[c]!);
      table[cell + right]!++;
    }
    visit(table, item);
  }
}

const getColumn = (side: number) => (side === FOCAL ? 2 : 0);

/** By case: the first cell of its stratum and side in the table of an anchor. */
function findAnchorCells({ sides }: Sample, strata: Strata): Uint32Array {
  const cells = new Uint32Array(sides.length);
  for (let c = 0; c < cells.length; c++) {
    if (sides[c] !== NEITHER) cells[c] = strata.ofAnchors(c) * CELLS + getColumn(sides[c]!);
  }
  return cells;
}

interface Strata {
  /** The stratum of a case by the anchors, of which the studied item is one. */
  ofAnchors(c: number): number;
  /** The stratum by the anchors and a studied item that is not an anchor. */
  withItem(c: number, item: number, right: number): number;
}

/** One stratum per number correct ("thin" matching). */
const stratifyByNumber = ({ right: total }: AnchorScores): Strata => ({
  ofAnchors: (c) => total[c]!,
  withItem: (c, _, right) => total[c]! + right,
});

/** Equal-width strata of the adjusted proportion correct. */
function stratifyByProportion(
  { easiness, maxStratum }: Sample,
  { right: surplus, asked, meanEasiness }: AnchorScores,
): Strata {
  const findStratum = (sum: number, n: number) =>
    Math.round(maxStratum * Math.max(0, Math.min(1, meanEasiness + (n === 0 ? 0 : sum / n))));
  return {
    ofAnchors: (c) => findStratum(surplus[c]!, asked[c]!),
    withItem: (c, item, right) => findStratum(surplus[c]! + right - easiness[item]!, asked[c]! + 1),
  };
}
