/** Horizontal bars, each made of parts: what they stand for on the left, their sums on the right. */
import { max, sum } from 'd3-array';
import { scaleLinear } from 'd3-scale';
import { axisBelow } from './axis.ts';
import type { StackedBars } from './figure.ts';
import { legend, SWATCH } from './legend.ts';
import { FONT, HUE_COUNT } from './style.ts';
import { columnFor, document, label, MARGIN, nothing, rect, text } from './svg.ts';
import { formatNumber, textWidth } from './text.ts';

/** More than this cannot be read. What is left out is said. */
const MOST = 60;
const ROW = 28;
const BAR = 18;
const PLOT = 460;
const LABEL = { least: 60, most: 280 };

export function drawStackedBars(figure: StackedBars): string {
  const series =
    figure.series.length > HUE_COUNT ? [...figure.series.slice(0, HUE_COUNT - 1), 'others'] : figure.series;
  const bars = figure.bars.slice(0, MOST).map(({ label, values }) => ({ label, values: parts(values) }));
  if (bars.length === 0) return nothing(figure);
  const sums = bars.map(({ values }) => sum(values));
  const left =
    columnFor(
      bars.map((bar) => bar.label),
      FONT.text,
      LABEL.least,
      LABEL.most,
    ) + 12;
  const right = columnFor(sums.map(formatNumber), FONT.text, 30, 150) + 8;
  const x = scaleLinear([0, max(sums) || 1], [MARGIN + left, MARGIN + left + PLOT]).nice(5);
  const width = left + PLOT + right;
  const key = series.length > 1 ? seriesLegend(series, width) : undefined;
  const head = key?.height ?? 0;
  const axis = axisBelow(x, figure.axis, sums.every(Number.isInteger));
  const omitted = figure.bars.length - bars.length;
  const height = head + bars.length * ROW + axis.height + (omitted > 0 ? 18 : 0);
  return document(figure, {
    width,
    height,
    draw: (top) => {
      const y = (i: number) => top + head + i * ROW;
      const end = y(bars.length);
      return [
        // Above the bars, so it begins where the title leaves off.
        key?.draw(top - 14) ?? '',
        axis.draw(y(0), end),
        ...bars.map((bar, i) => drawBar(bar, sums[i]!, y(i), x, left)),
        omitted > 0
          ? text(MARGIN, end + axis.height + 12, `Not shown: ${formatNumber(omitted)} more.`, {
              class: 'quiet',
            })
          : '',
      ].join('\n');
    },
  });
}

/** One for each colour: where there are more, the last stands for all others. */
function parts(values: readonly number[]): number[] {
  const lengths = values.map(length);
  if (lengths.length <= HUE_COUNT) return lengths;
  return [...lengths.slice(0, HUE_COUNT - 1), sum(lengths.slice(HUE_COUNT - 1))];
}

/** A bar has no length below zero. */
const length = (value: number) => (value > 0 && value < Infinity ? value : 0);

function drawBar(
  { label: name, values }: { label: string; values: readonly number[] },
  total: number,
  top: number,
  x: (value: number) => number,
  left: number,
): string {
  const middle = top + ROW / 2 + 4.5;
  let before = 0;
  const drawn = values.map((value, i) => {
    const start = x(before);
    before += value;
    return value > 0 ? drawPart(value, start, x(before) - start, top + (ROW - BAR) / 2, i) : '';
  });
  return [
    label(MARGIN + left - 12, middle, name, left - 12, { anchor: 'end' }),
    ...drawn,
    text(x(total) + 8, middle, formatNumber(total), { class: 'value' }),
  ].join('');
}

/** One part, with its number in it where there is room. A hair's breadth keeps it apart from the next. */
function drawPart(value: number, start: number, width: number, top: number, series: number): string {
  const shown = formatNumber(value);
  const bar = rect(start, top, Math.max(width - 1, 1), BAR, `class="hue-${series}"`);
  if (textWidth(shown, FONT.small) + 8 > width) return bar;
  return bar + text(start + width / 2, top + BAR / 2 + 4.5, shown, { class: 'on-hue', anchor: 'middle' });
}

const seriesLegend = (series: readonly string[], width: number) =>
  legend(
    '',
    series.map((name, i) => ({
      name,
      mark: (x, y) => rect(x, y, SWATCH, SWATCH, `rx="2" class="hue-${i}"`),
    })),
    width,
  );
