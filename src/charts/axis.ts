/** Axes with ticks and grid lines, on linear scales. */
import type { ScaleLinear } from 'd3-scale';
import type { Scale } from './figure.ts';
import { FONT } from './style.ts';
import { computeColumnWidth, MARGIN, renderLabel, renderLine, renderText } from './svg.ts';
import { formatNumber, measureText } from './text.ts';

const MAX_TICKS = 8;
const TICK_LABEL_GAP = 12;
const TICK_SPACING = 56;
const MAX_TICK_LABEL_WIDTH = 90;
const AXIS_HEIGHT = 44;

/** An x axis with vertical grid lines. `integersOnly` suits counts. */
export function buildBottomAxis(x: ScaleLinear<number, number>, title: string, integersOnly = false) {
  const [from = 0, to = 0] = x.range();
  const ticks = pickTicks(x).filter((tick) => !integersOnly || Number.isInteger(tick));
  /** Separate, because a tall plot repeats the tick labels at its top. */
  const renderTickLabels = (baseline: number) =>
    ticks
      .map((tick) => renderText(x(tick), baseline, formatNumber(tick), { class: 'muted', anchor: 'middle' }))
      .join('\n');
  const render = (top: number, bottom: number) =>
    [
      ...ticks.map((tick) => renderLine(x(tick), top, x(tick), bottom + 4, 'class="rule"')),
      renderLine(from, bottom, to, bottom, 'class="edge"'),
      renderTickLabels(bottom + 18),
      renderLabel((from + to) / 2, bottom + 38, title, to - from, { class: 'heading', anchor: 'middle' }),
    ].join('\n');
  /** How far the outermost tick labels may extend beyond the margin. */
  const overhang = Math.max(0, maxTickLabelWidth(ticks) / 2 - MARGIN);
  return { height: AXIS_HEIGHT, overhang, renderTickLabels, render };
}

/** A y axis. The left one has horizontal grid lines. */
export function buildSideAxis(y: ScaleLinear<number, number>, side: 'left' | 'right', labelClass = 'muted') {
  const [bottom = 0, top = 0] = y.range();
  const ticks = y.ticks(Math.max(2, Math.round((bottom - top) / TICK_SPACING)));
  const width = computeColumnWidth(ticks.map(formatNumber), FONT.small, 0, MAX_TICK_LABEL_WIDTH) + 8;
  const render = (from: number, to: number) => {
    const edge = side === 'left' ? from : to;
    return [
      ...(side === 'left'
        ? ticks.map((tick) => renderLine(from - 4, y(tick), to, y(tick), 'class="rule"'))
        : []),
      renderLine(edge, top, edge, bottom, 'class="edge"'),
      ...ticks.map((tick) =>
        renderText(side === 'left' ? edge - 8 : edge + 8, y(tick) + 4, formatNumber(tick), {
          class: labelClass,
          anchor: side === 'left' ? 'end' : 'start',
        }),
      ),
    ].join('\n');
  };
  return { width, ticks, render };
}

/** The domain of a scale. One of zero extent is widened; undefined if the scale is not finite. */
export function toDomain({ from, to }: Scale): [number, number] | undefined {
  if (!Number.isFinite(to - from)) return undefined;
  if (to !== from) return [from, to];
  const padding = Math.max(0.5, Math.abs(from) / 100);
  return [from - padding, to + padding];
}

const domainMin = (scale: ScaleLinear<number, number>) => Math.min(...scale.domain());
const domainMax = (scale: ScaleLinear<number, number>) => Math.max(...scale.domain());

/** Also for scales that run from high to low. */
export const isInDomain = (scale: ScaleLinear<number, number>, value: number) =>
  value >= domainMin(scale) && value <= domainMax(scale);

/** The position of a value, clamped to the domain; undefined for NaN. */
export const toClampedPosition = (scale: ScaleLinear<number, number>, value: number): number | undefined =>
  Number.isNaN(value) ? undefined : scale(Math.max(domainMin(scale), Math.min(domainMax(scale), value)));

const maxTickLabelWidth = (ticks: readonly number[]) =>
  Math.max(0, ...ticks.map((tick) => measureText(formatNumber(tick), FONT.small)));

/** As many round numbers as have room for their labels, or the ends of the domain. */
function pickTicks(x: ScaleLinear<number, number>): number[] {
  const [from = 0, to = 0] = x.range();
  for (let count = MAX_TICKS; count > 1; count--) {
    const ticks = x.ticks(count);
    if (ticks.length * (maxTickLabelWidth(ticks) + TICK_LABEL_GAP) <= to - from) return ticks;
  }
  return x.domain();
}
