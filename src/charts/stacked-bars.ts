/** Horizontal stacked bars, with labels on the left and totals on the right. */
import { max, sum } from 'd3-array';
import { scaleLinear } from 'd3-scale';
import { buildBottomAxis } from './axis.ts';
import type { StackedBars } from './figure.ts';
import { buildLegend, SWATCH_SIZE } from './legend.ts';
import { FONT, getHue, MAX_SERIES, toSeriesNames } from './style.ts';
import {
  buildOmittedNote,
  computeColumnWidth,
  MARGIN,
  renderDocument,
  renderEmpty,
  renderLabel,
  renderRect,
  renderText,
} from './svg.ts';
import { formatNumber, measureText } from './text.ts';

/** Further bars are left out, and a note says so. */
const MAX_BARS = 60;
const ROW_HEIGHT = 28;
const BAR_HEIGHT = 18;
const PLOT_WIDTH = 460;
const LABEL_WIDTH = { min: 60, max: 280 };

export function renderStackedBars(figure: StackedBars): string {
  const series = toSeriesNames(figure.series);
  const bars = figure.bars
    .slice(0, MAX_BARS)
    .map(({ label, values }) => ({ label, values: toSegments(values) }));
  if (bars.length === 0) return renderEmpty(figure);
  const sums = bars.map(({ values }) => sum(values));
  const left =
    computeColumnWidth(
      bars.map((bar) => bar.label),
      FONT.text,
      LABEL_WIDTH.min,
      LABEL_WIDTH.max,
    ) + 12;
  const right = computeColumnWidth(sums.map(formatNumber), FONT.text, 30, 150) + 8;
  const x = scaleLinear([0, max(sums) || 1], [MARGIN + left, MARGIN + left + PLOT_WIDTH]).nice(5);
  const width = left + PLOT_WIDTH + right;
  const hues = series.map((_, i) => getHue(figure.tones?.[i], i));
  const legend = series.length > 1 ? buildSeriesLegend(series, hues, width) : undefined;
  const head = legend?.height ?? 0;
  const axis = buildBottomAxis(x, figure.axis, sums.every(Number.isInteger));
  const omitted = figure.bars.length - bars.length;
  const note = buildOmittedNote([omitted > 0 && `${formatNumber(omitted)} more`]);
  const height = head + bars.length * ROW_HEIGHT + axis.height + note.height;
  return renderDocument(figure, {
    width,
    height,
    render: (top) => {
      const y = (i: number) => top + head + i * ROW_HEIGHT;
      const end = y(bars.length);
      return [
        // The title's own padding replaces most of the legend's.
        legend?.render(top - 14) ?? '',
        axis.render(y(0), end),
        ...bars.map((bar, i) => renderBar(bar, sums[i]!, y(i), x, left, hues)),
        note.render(end + axis.height - 2),
      ].join('\n');
    },
  });
}

/** At most MAX_SERIES segments: the last one is the sum of the remaining series. */
function toSegments(values: readonly number[]): number[] {
  const lengths = values.map(toBarLength);
  if (lengths.length <= MAX_SERIES) return lengths;
  return [...lengths.slice(0, MAX_SERIES - 1), sum(lengths.slice(MAX_SERIES - 1))];
}

/** Negative and non-finite values have no length. */
const toBarLength = (value: number) => (value > 0 && value < Infinity ? value : 0);

function renderBar(
  { label: name, values }: { label: string; values: readonly number[] },
  total: number,
  top: number,
  x: (value: number) => number,
  left: number,
  hues: readonly number[],
): string {
  const middle = top + ROW_HEIGHT / 2 + 4.5;
  let offset = 0;
  const rendered = values.map((value, i) => {
    const start = x(offset);
    offset += value;
    return value > 0
      ? renderSegment(value, start, x(offset) - start, top + (ROW_HEIGHT - BAR_HEIGHT) / 2, hues[i] ?? 0)
      : '';
  });
  return [
    renderLabel(MARGIN + left - 12, middle, name, left - 12, { anchor: 'end' }),
    ...rendered,
    renderText(x(total) + 8, middle, formatNumber(total), { class: 'value' }),
  ].join('');
}

/** A segment, with its value inside if it fits, and a gap of 1 px to the next. */
function renderSegment(value: number, start: number, width: number, top: number, hue: number): string {
  const shown = formatNumber(value);
  const bar = renderRect(start, top, Math.max(width - 1, 1), BAR_HEIGHT, `class="hue-${hue}"`);
  if (measureText(shown, FONT.small) + 8 > width) return bar;
  return (
    bar +
    renderText(start + width / 2, top + BAR_HEIGHT / 2 + 4.5, shown, { class: 'on-hue', anchor: 'middle' })
  );
}

const buildSeriesLegend = (series: readonly string[], hues: readonly number[], width: number) =>
  buildLegend(
    '',
    series.map((name, i) => ({
      name,
      renderMark: (x, y) => renderRect(x, y, SWATCH_SIZE, SWATCH_SIZE, `rx="2" class="hue-${hues[i]}"`),
    })),
    width,
  );
