/** Histograms on one axis, one above the other, each with its median. */
import { max, sum } from 'd3-array';
import { scaleLinear } from 'd3-scale';
import { axisBelow, axisBeside } from './axis.ts';
import type { Distributions } from './figure.ts';
import { legend, SWATCH } from './legend.ts';
import { FONT } from './style.ts';
import { at, columnFor, document, label, line, MARGIN, nothing, text } from './svg.ts';
import { formatNumber } from './text.ts';

/** More than this cannot be read. What is left out is said. */
const MOST = 40;
/** How much of the height each has; one that stands alone has room for a scale of how many. */
const SMALL = { row: 58, bars: 46, scale: 0 };
const LARGE = { row: 240, bars: 216, scale: 52 };
/** The scale of how many has whole numbers only. */
const LEAST_HIGHEST = 5;
const PLOT = 520;
const LABEL = { least: 60, most: 240 };
/** Bars wider than this are kept apart by a line of ground. */
const WIDE_BAR = 5;

type Group = Distributions['groups'][number];
type Size = typeof SMALL;

export function drawDistributions(figure: Distributions): string {
  const groups = figure.groups.slice(0, MOST);
  const bins = max(groups, ({ counts }) => counts.length) ?? 0;
  const to = figure.from + bins * figure.step;
  if (!(to > figure.from && Number.isFinite(to))) return nothing(figure);
  const size = groups.length === 1 ? LARGE : SMALL;
  const left =
    columnFor(
      groups.map((group) => group.label),
      FONT.text,
      LABEL.least,
      LABEL.most,
    ) +
    14 +
    size.scale;
  const right =
    columnFor(
      groups.map(({ mark }) => formatNumber(mark ?? 0)),
      FONT.heading,
      30,
      170,
    ) + 10;
  const x = scaleLinear([figure.from, to], [MARGIN + left, MARGIN + left + PLOT]);
  const width = left + PLOT + right;
  const axis = axisBelow(x, figure.axis);
  const key = markLegend(width, groups.length);
  const omitted = figure.groups.length - groups.length;
  return document(figure, {
    width,
    height: groups.length * size.row + axis.height + key.height + (omitted > 0 ? 18 : 0),
    draw: (top) => {
      const end = top + groups.length * size.row;
      return [
        axis.draw(top, end),
        ...groups.map((group, i) => drawGroup(group, figure, x, top + (i + 1) * size.row, left, size)),
        key.draw(end + axis.height - 6),
        omitted > 0
          ? text(MARGIN, end + axis.height + key.height + 12, `Not shown: ${formatNumber(omitted)} more.`, {
              class: 'quiet',
            })
          : '',
      ].join('\n');
    },
  });
}

function drawGroup(
  group: Group,
  { from, step }: Distributions,
  x: (value: number) => number,
  bottom: number,
  left: number,
  size: Size,
): string {
  const counts = group.counts.map((count) => (count > 0 && count < Infinity ? count : 0));
  const end = x(from) + PLOT;
  const edge = left - 14 - size.scale;
  const highest = size.scale > 0 ? Math.max(LEAST_HIGHEST, max(counts) ?? 0) : max(counts) || 1;
  const y = scaleLinear([0, highest], [bottom, bottom - size.bars]);
  return [
    size.scale > 0 ? axisBeside(y, 'left').draw(x(from), end) : '',
    label(MARGIN + edge, bottom - 24, group.label, edge, { anchor: 'end' }),
    text(MARGIN + edge, bottom - 8, `n = ${formatNumber(sum(counts))}`, {
      class: 'quiet',
      anchor: 'end',
    }),
    `<path d="${histogram(counts, (i) => x(from + i * step), y)}" class="hue-0"/>`,
    line(x(from), bottom, end, bottom, 'class="edge"'),
    group.mark === null || !Number.isFinite(group.mark) ? '' : drawMark(group.mark, x, bottom, end, size),
  ].join('');
}

/** The bars as one outline. */
function histogram(
  counts: readonly number[],
  x: (bin: number) => number,
  y: (count: number) => number,
): string {
  const bottom = y(0);
  const gap = x(1) - x(0) > WIDE_BAR ? 1 : 0;
  return counts
    .map((count, i) =>
      count === 0
        ? ''
        : `M${at(x(i) + gap / 2)} ${at(bottom)}V${at(y(count))}H${at(x(i + 1) - gap / 2)}V${at(bottom)}Z`,
    )
    .join('');
}

/** A line in the histogram, with a head above it; its value stands on the right. One off the axis is only told. */
function drawMark(
  mark: number,
  x: (value: number) => number,
  bottom: number,
  end: number,
  { bars }: Size,
): string {
  const place = x(mark);
  const seen = place >= end - PLOT && place <= end;
  return (
    (seen ? markAt(place, bottom - bars - 4, bottom) : '') +
    text(end + 10, bottom - 8, formatNumber(mark), { class: 'heading' })
  );
}

const markAt = (x: number, top: number, bottom: number) =>
  `<path d="M${at(x)} ${at(bottom)}V${at(top + 4)}" style="stroke:var(--ground);stroke-width:4"/>` +
  `<path d="M${at(x)} ${at(bottom)}V${at(top)}" style="stroke:var(--alert);stroke-width:2"/>` +
  `<path d="M${at(x - 4)} ${at(top)}h8l-4 6z" style="fill:var(--alert)"/>`;

const markLegend = (width: number, groups: number) =>
  legend(
    '',
    [
      { name: 'median, with its value on the right', mark: (x, y) => markAt(x + SWATCH / 2, y, y + SWATCH) },
      {
        name: groups === 1 ? 'how many' : 'how many, each group to a scale of its own',
        mark: (x, y) => `<path d="M${at(x)} ${at(y + SWATCH)}v-6h5v-7h5v4h4v9z" class="hue-0"/>`,
      },
    ],
    width,
  );
