/** Finds places for labels, so that none lies on another. */
import { FONT } from './style.ts';
import { at, label } from './svg.ts';
import { textWidth } from './text.ts';

/** From one label's line to the next. */
const LABEL_LINE = 16;
const LEADER = 14;
const BESIDE = 5;

/**
 * Where labels come to lie along a line when each is at least `gap` from the next and as near as that allows to where it
 * belongs (least squares: labels that push each other share the way). In the order given; undefined if there is no room.
 */
export function spread(
  wanted: readonly number[],
  gap: number,
  from: number,
  to: number,
): number[] | undefined {
  if ((wanted.length - 1) * gap > to - from) return undefined;
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a]! - wanted[b]! || a - b);
  const pools: { sum: number; count: number }[] = [];
  for (const [rank, i] of order.entries()) {
    let pool = { sum: wanted[i]! - rank * gap, count: 1 };
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
  const places: number[] = [];
  for (const [rank, i] of order.entries()) {
    const least = from + rank * gap;
    const most = to - (order.length - 1 - rank) * gap;
    places[i] = Math.min(most, Math.max(least, shifted[rank]! + rank * gap));
  }
  return places;
}

/** Labels about their places in as few rows as keep them apart; undefined for those that find no place. */
export function inRows(
  labels: readonly { at: number; width: number }[],
  from: number,
  to: number,
  rows: number,
): ({ middle: number; row: number } | undefined)[] {
  const ends: [number, number][][] = Array.from({ length: rows }, () => []);
  return labels.map(({ at, width }) => {
    const middle = Math.max(from + width / 2, Math.min(to - width / 2, at));
    const [start, end] = [middle - width / 2 - BESIDE, middle + width / 2 + BESIDE];
    const row = ends.findIndex((taken) => taken.every(([first, last]) => end <= first || start >= last));
    if (row === -1) return undefined;
    ends[row]!.push([start, end]);
    return { middle, row };
  });
}

export interface EndLabel {
  /** What is labelled ends here. */
  x: number;
  y: number;
  name: string;
  class: string;
}

/**
 * Labels to the right of a plot, each with a line to what it names. Undefined where there is no room for all, or where a
 * label would have to move further than `farthest` from its place.
 */
export function endLabels(
  labels: readonly EndLabel[],
  plot: { width: number; height: number },
  most: number,
  farthest: number,
) {
  const places = spread(
    labels.map(({ y }) => y),
    LABEL_LINE,
    0,
    plot.height,
  );
  if (!places || labels.some(({ y }, i) => Math.abs(places[i]! - y) > farthest)) return undefined;
  const widths = labels.map(({ name }) => textWidth(name, FONT.small));
  const column = Math.min(most, Math.max(0, ...widths) + 1);
  const left = plot.width + LEADER;
  const draw = () =>
    labels
      .map(({ x, y, name, class: colour }, i) => {
        const leader = `<path d="M${at(x + 2)} ${at(y)}L${at(left - 3)} ${at(places[i]!)}" class="leader"/>`;
        return leader + label(left, places[i]! + 4, name, column, { class: `quiet ${colour}`.trim() });
      })
      .join('\n');
  return { width: labels.length === 0 ? 0 : LEADER + column, draw };
}
