/** Axes of numbers below and beside a plot, with lines through it. */
import type { ScaleLinear } from 'd3-scale';
import type { Scale } from './figure.ts';
import { FONT } from './style.ts';
import { columnFor, label, line, MARGIN, text } from './svg.ts';
import { formatNumber, textWidth } from './text.ts';

const TICKS = 8;
const BETWEEN = 12;
const TICK_DISTANCE = 56;
/** No number is wider than this. */
const BESIDE = 90;

/** `whole` is for what comes in whole numbers only: there are no half questions. */
export function axisBelow(x: ScaleLinear<number, number>, title: string, whole = false) {
  const [from = 0, to = 0] = x.range();
  const ticks = ticksFor(x).filter((tick) => !whole || Number.isInteger(tick));
  /** A long plot may have its numbers at the top as well. */
  const numbers = (baseline: number) =>
    ticks
      .map((tick) => text(x(tick), baseline, formatNumber(tick), { class: 'quiet', anchor: 'middle' }))
      .join('\n');
  const draw = (top: number, bottom: number) =>
    [
      ...ticks.map((tick) => line(x(tick), top, x(tick), bottom + 4, 'class="rule"')),
      line(from, bottom, to, bottom, 'class="edge"'),
      numbers(bottom + 18),
      label((from + to) / 2, bottom + 38, title, to - from, { class: 'heading', anchor: 'middle' }),
    ].join('\n');
  /** By how much its first and last numbers need more room than the margin leaves them. */
  const overhang = Math.max(0, widestOf(ticks) / 2 - MARGIN);
  return { height: 44, overhang, numbers, draw };
}

/** From the bottom to the top. The one on the left has lines across the plot; the one on the right has a colour of its own. */
export function axisBeside(y: ScaleLinear<number, number>, side: 'left' | 'right', name = 'quiet') {
  const [bottom = 0, top = 0] = y.range();
  const ticks = y.ticks(Math.max(2, Math.round((bottom - top) / TICK_DISTANCE)));
  const width = columnFor(ticks.map(formatNumber), FONT.small, 0, BESIDE) + 8;
  const draw = (from: number, to: number) => {
    const edge = side === 'left' ? from : to;
    return [
      ...(side === 'left' ? ticks.map((tick) => line(from - 4, y(tick), to, y(tick), 'class="rule"')) : []),
      line(edge, top, edge, bottom, 'class="edge"'),
      ...ticks.map((tick) =>
        text(side === 'left' ? edge - 8 : edge + 8, y(tick) + 4, formatNumber(tick), {
          class: name,
          anchor: side === 'left' ? 'end' : 'start',
        }),
      ),
    ].join('\n');
  };
  return { width, ticks, draw };
}

/** The ends of a scale that can be drawn, a scale without extent being given one; undefined for one that cannot. */
export function endsOf({ from, to }: Scale): [number, number] | undefined {
  if (!Number.isFinite(to - from)) return undefined;
  if (to !== from) return [from, to];
  const around = Math.max(0.5, Math.abs(from) / 100);
  return [from - around, to + around];
}

const lowest = (scale: ScaleLinear<number, number>) => Math.min(...scale.domain());
const highest = (scale: ScaleLinear<number, number>) => Math.max(...scale.domain());

/** Whether a value can be shown on a scale, whichever of its ends is the lower. */
export const isWithin = (scale: ScaleLinear<number, number>, value: number) =>
  value >= lowest(scale) && value <= highest(scale);

/** The place of a value, or the end of the scale that it lies beyond; undefined for what is no number. */
export const placeOn = (scale: ScaleLinear<number, number>, value: number): number | undefined =>
  Number.isNaN(value) ? undefined : scale(Math.max(lowest(scale), Math.min(highest(scale), value)));

const widestOf = (ticks: readonly number[]) =>
  Math.max(0, ...ticks.map((tick) => textWidth(formatNumber(tick), FONT.small)));

/** As many round numbers as there is room for beside each other. */
function ticksFor(x: ScaleLinear<number, number>): number[] {
  const [from = 0, to = 0] = x.range();
  for (let count = TICKS; count > 1; count--) {
    const ticks = x.ticks(count);
    if (ticks.length * (widestOf(ticks) + BETWEEN) <= to - from) return ticks;
  }
  return x.domain();
}
