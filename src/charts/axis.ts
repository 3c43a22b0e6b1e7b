/** An axis of numbers below a plot, with lines up through it. */
import type { ScaleLinear } from 'd3-scale';
import { SIZE } from './style.ts';
import { label, line, text } from './svg.ts';
import { formatNumber, textWidth } from './text.ts';

const TICKS = 8;
const BETWEEN = 12;

/** `whole` is for what comes in whole numbers only: there are no half questions. */
export function axisBelow(x: ScaleLinear<number, number>, title: string, whole = false) {
  const [from = 0, to = 0] = x.range();
  const ticks = ticksFor(x).filter((tick) => !whole || Number.isInteger(tick));
  const draw = (top: number, bottom: number) =>
    [
      ...ticks.map((tick) => line(x(tick), top, x(tick), bottom + 4, 'class="rule"')),
      line(from, bottom, to, bottom, 'class="edge"'),
      ...ticks.map((tick) =>
        text(x(tick), bottom + 18, formatNumber(tick), { class: 'quiet', anchor: 'middle' }),
      ),
      label((from + to) / 2, bottom + 38, title, to - from, { class: 'heading', anchor: 'middle' }),
    ].join('\n');
  return { height: 44, draw };
}

/** As many round numbers as there is room for beside each other. */
function ticksFor(x: ScaleLinear<number, number>): number[] {
  const [from = 0, to = 0] = x.range();
  for (let count = TICKS; count > 1; count--) {
    const ticks = x.ticks(count);
    const widest = Math.max(...ticks.map((tick) => textWidth(formatNumber(tick), SIZE.small)));
    if (ticks.length * (widest + BETWEEN) <= to - from) return ticks;
  }
  return x.domain();
}
