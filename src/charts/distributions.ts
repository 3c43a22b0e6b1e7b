/** Histograms with a common x axis, one above the other, each with its median. */
import { max, sum } from 'd3-array';
import { scaleLinear } from 'd3-scale';
import { buildBottomAxis, buildSideAxis } from './axis.ts';
import type { Distributions } from './figure.ts';
import { buildLegend, SWATCH_SIZE } from './legend.ts';
import { FONT } from './style.ts';
import {
  buildOmittedNote,
  computeColumnWidth,
  MARGIN,
  px,
  renderDocument,
  renderEmpty,
  renderLabel,
  renderLine,
  renderText,
} from './svg.ts';
import { formatNumber } from './text.ts';

/** Further groups are left out, and a note says so. */
const MAX_GROUPS = 40;
/** Heights of a group and its bars. A single group is larger and has a y axis. */
const SMALL = { rowHeight: 58, barHeight: 46, axisWidth: 0 };
const LARGE = { rowHeight: 240, barHeight: 216, axisWidth: 52 };
/** A shorter y axis would have ticks at fractions of a count. */
const MIN_AXIS_COUNT = 5;
const PLOT_WIDTH = 520;
const LABEL_WIDTH = { min: 60, max: 240 };
/** Wider bars have a gap of 1 px between them. */
const MIN_BAR_WIDTH_FOR_GAP = 5;

type Group = Distributions['groups'][number];
type Size = typeof SMALL;

export function renderDistributions(figure: Distributions): string {
  const groups = figure.groups.slice(0, MAX_GROUPS);
  const bins = max(groups, ({ counts }) => counts.length) ?? 0;
  const to = figure.from + bins * figure.step;
  if (!(to > figure.from && Number.isFinite(to))) return renderEmpty(figure);
  const size = groups.length === 1 ? LARGE : SMALL;
  const left =
    computeColumnWidth(
      groups.map((group) => group.label),
      FONT.text,
      LABEL_WIDTH.min,
      LABEL_WIDTH.max,
    ) +
    14 +
    size.axisWidth;
  const right =
    computeColumnWidth(
      groups.map(({ mark }) => formatNumber(mark ?? 0)),
      FONT.heading,
      30,
      170,
    ) + 10;
  const x = scaleLinear([figure.from, to], [MARGIN + left, MARGIN + left + PLOT_WIDTH]);
  const width = left + PLOT_WIDTH + right;
  const axis = buildBottomAxis(x, figure.axis);
  const legend = buildDistributionsLegend(width, groups.length);
  const omitted = figure.groups.length - groups.length;
  const note = buildOmittedNote([omitted > 0 && `${formatNumber(omitted)} more`]);
  return renderDocument(figure, {
    width,
    height: groups.length * size.rowHeight + axis.height + legend.height + note.height,
    render: (top) => {
      const end = top + groups.length * size.rowHeight;
      return [
        axis.render(top, end),
        ...groups.map((group, i) =>
          renderGroup(group, figure, x, top + (i + 1) * size.rowHeight, left, size),
        ),
        legend.render(end + axis.height - 6),
        note.render(end + axis.height + legend.height - 2),
      ].join('\n');
    },
  });
}

function renderGroup(
  group: Group,
  { from, step }: Distributions,
  x: (value: number) => number,
  bottom: number,
  left: number,
  size: Size,
): string {
  const counts = group.counts.map((count) => (count > 0 && count < Infinity ? count : 0));
  const end = x(from) + PLOT_WIDTH;
  const labelRight = left - 14 - size.axisWidth;
  const maxCount = size.axisWidth > 0 ? Math.max(MIN_AXIS_COUNT, max(counts) ?? 0) : max(counts) || 1;
  const y = scaleLinear([0, maxCount], [bottom, bottom - size.barHeight]);
  return [
    size.axisWidth > 0 ? buildSideAxis(y, 'left').render(x(from), end) : '',
    renderLabel(MARGIN + labelRight, bottom - 24, group.label, labelRight, { anchor: 'end' }),
    renderText(MARGIN + labelRight, bottom - 8, `n = ${formatNumber(sum(counts))}`, {
      class: 'muted',
      anchor: 'end',
    }),
    `<path d="${histogramPath(counts, (i) => x(from + i * step), y)}" class="hue-0"/>`,
    renderLine(x(from), bottom, end, bottom, 'class="edge"'),
    group.mark === null || !Number.isFinite(group.mark) ? '' : renderMedian(group.mark, x, bottom, end, size),
  ].join('');
}

/** The path data of all bars. */
function histogramPath(
  counts: readonly number[],
  x: (bin: number) => number,
  y: (count: number) => number,
): string {
  const bottom = y(0);
  const gap = x(1) - x(0) > MIN_BAR_WIDTH_FOR_GAP ? 1 : 0;
  return counts
    .map((count, i) =>
      count === 0
        ? ''
        : `M${px(x(i) + gap / 2)} ${px(bottom)}V${px(y(count))}H${px(x(i + 1) - gap / 2)}V${px(bottom)}Z`,
    )
    .join('');
}

/** A line at the median, if it is on the axis, and its value to the right of the plot. */
function renderMedian(
  median: number,
  x: (value: number) => number,
  bottom: number,
  end: number,
  { barHeight }: Size,
): string {
  const position = x(median);
  const visible = position >= end - PLOT_WIDTH && position <= end;
  return (
    (visible ? renderMedianLine(position, bottom - barHeight - 4, bottom) : '') +
    renderText(end + 10, bottom - 8, formatNumber(median), { class: 'heading' })
  );
}

const renderMedianLine = (x: number, top: number, bottom: number) =>
  `<path d="M${px(x)} ${px(bottom)}V${px(top + 4)}" style="stroke:var(--background);stroke-width:4"/>` +
  `<path d="M${px(x)} ${px(bottom)}V${px(top)}" style="stroke:var(--foreground);stroke-width:2"/>` +
  `<path d="M${px(x - 4)} ${px(top)}h8l-4 6z" style="fill:var(--foreground)"/>`;

const buildDistributionsLegend = (width: number, groups: number) =>
  buildLegend(
    '',
    [
      {
        name: 'median, with its value on the right',
        renderMark: (x, y) => renderMedianLine(x + SWATCH_SIZE / 2, y, y + SWATCH_SIZE),
      },
      {
        name: groups === 1 ? 'count' : 'count; each group has its own scale',
        renderMark: (x, y) => `<path d="M${px(x)} ${px(y + SWATCH_SIZE)}v-6h5v-7h5v4h4v9z" class="hue-0"/>`,
      },
    ],
    width,
  );
