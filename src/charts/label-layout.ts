/** Label layout: positions labels so that none collides with another. */
import { FONT } from './style.ts';
import { px, renderLabel } from './svg.ts';
import { measureText } from './text.ts';

const LABEL_LINE_HEIGHT = 16;
const LEADER_WIDTH = 14;
const LABEL_GAP = 5;

/**
 * Moves labels along an axis so that neighbours are at least `gap` apart and the sum of squared
 * shifts from the desired positions is minimal. After subtracting rank × gap this is an isotonic
 * regression, solved by the pool-adjacent-violators algorithm. Results are in the order of
 * `desired`; undefined if `from` to `to` is too short for all labels.
 */
export function spreadLabels(
  desired: readonly number[],
  gap: number,
  from: number,
  to: number,
): number[] | undefined {
  if ((desired.length - 1) * gap > to - from) return undefined;
  const order = desired.map((_, i) => i).sort((a, b) => desired[a]! - desired[b]! || a - b);
  const pools: { sum: number; count: number }[] = [];
  for (const [rank, i] of order.entries()) {
    let pool = { sum: desired[i]! - rank * gap, count: 1 };
    for (
      let last = pools.at(-1);
      last && last.sum / last.count > pool.sum / pool.count;
      last = pools.at(-1)
    ) {
      pool = { sum: pool.sum + last.sum, count: pool.count + last.count };
      pools.pop();
    }
    pools.push(pool);
  }
  const shifted = pools.flatMap(({ sum, count }) => Array.from({ length: count }, () => sum / count));
  const positions: number[] = [];
  for (const [rank, i] of order.entries()) {
    const min = from + rank * gap;
    const max = to - (order.length - 1 - rank) * gap;
    positions[i] = Math.min(max, Math.max(min, shifted[rank]! + rank * gap));
  }
  return positions;
}

/** Packs labels centred at `at` into rows (first fit); undefined for one that fits in no row. */
export function packIntoRows(
  labels: readonly { at: number; width: number }[],
  from: number,
  to: number,
  rows: number,
): ({ middle: number; row: number } | undefined)[] {
  const occupied: [number, number][][] = Array.from({ length: rows }, () => []);
  return labels.map(({ at, width }) => {
    const middle = Math.max(from + width / 2, Math.min(to - width / 2, at));
    const [start, end] = [middle - width / 2 - LABEL_GAP, middle + width / 2 + LABEL_GAP];
    const row = occupied.findIndex((spans) => spans.every(([first, last]) => end <= first || start >= last));
    if (row === -1) return undefined;
    occupied[row]!.push([start, end]);
    return { middle, row };
  });
}

export interface EndLabel {
  /** End of the labelled line. */
  x: number;
  y: number;
  name: string;
  /** CSS class of the text. */
  class: string;
}

/**
 * Labels to the right of a plot, each with a leader line to its target. Undefined if they do not
 * all fit, or if one would be more than `maxShift` from its target.
 */
export function buildEndLabels(
  labels: readonly EndLabel[],
  plot: { width: number; height: number },
  maxWidth: number,
  maxShift: number,
) {
  const positions = spreadLabels(
    labels.map(({ y }) => y),
    LABEL_LINE_HEIGHT,
    0,
    plot.height,
  );
  if (!positions || labels.some(({ y }, i) => Math.abs(positions[i]! - y) > maxShift)) return undefined;
  const widths = labels.map(({ name }) => measureText(name, FONT.small));
  const columnWidth = Math.min(maxWidth, Math.max(0, ...widths) + 1);
  const left = plot.width + LEADER_WIDTH;
  const render = () =>
    labels
      .map(({ x, y, name, class: colour }, i) => {
        const labelY = positions[i]!;
        const leader = `<path d="M${px(x + 2)} ${px(y)}L${px(left - 3)} ${px(labelY)}" class="leader"/>`;
        return leader + renderLabel(left, labelY + 4, name, columnWidth, { class: `muted ${colour}`.trim() });
      })
      .join('\n');
  return { width: labels.length === 0 ? 0 : LEADER_WIDTH + columnWidth, render };
}
