/** Forest plots: estimates with confidence intervals in rows, in groups, over named bands. */
import { sum } from 'd3-array';
import { type ScaleLinear, scaleLinear } from 'd3-scale';
import { buildBottomAxis, isInDomain, toClampedPosition, toDomain } from './axis.ts';
import type { Intervals } from './figure.ts';
import { packIntoRows } from './label-layout.ts';
import { buildLegend, type LegendEntry, SWATCH_SIZE } from './legend.ts';
import { buildMarkEntries, markPath } from './marks.ts';
import { FONT, getHue, toSeriesNames } from './style.ts';
import {
  buildOmittedNote,
  computeColumnWidth,
  MARGIN,
  px,
  renderDocument,
  renderEmpty,
  renderLabel,
  renderLine,
  renderRect,
  renderText,
  renderTooltip,
} from './svg.ts';
import { cleanText, formatCount, formatNumber, measureText } from './text.ts';

/** Further groups, rows and bands are left out; notes say so for groups and rows. */
const MAX_GROUPS = 40;
const MAX_ROWS = 240;
const MAX_BANDS = 12;
const PLOT_WIDTH = 480;
const LABEL_WIDTH = { min: 80, max: 320 };
const HEADING_HEIGHT = 26;
const ROW_HEIGHT = 21;
const OMITTED_NOTE_HEIGHT = 20;
const GROUP_GAP = 10;
const BAND_LABEL = { lineHeight: 17, maxRows: 3, maxWidth: 150 };
/** Charts with more rows repeat the tick labels at the top. */
const MIN_ROWS_FOR_TOP_TICKS = 24;
const TOP_TICKS_HEIGHT = 20;
const MARK_RADIUS = 4.2;
const MAX_TOOLTIP_LABEL_CHARS = 120;

type X = ScaleLinear<number, number>;
type Range = { from: number | null; to: number | null };
type Group = Intervals['groups'][number];
type Row = Group['rows'][number];

export function renderIntervals(figure: Intervals): string {
  const ends = toDomain(figure.axis);
  const nonEmpty = figure.groups.filter(({ rows, omitted }) => rows.length > 0 || omitted > 0);
  const groups = limitGroups(nonEmpty);
  if (!ends || groups.length === 0) return renderEmpty(figure);
  const names = toSeriesNames(figure.series);
  const hues = names.map((_, i) => getHue(figure.tones?.[i], i));
  const left = computeLabelColumnWidth(groups) + 14;
  const x = scaleLinear(ends, [left, left + PLOT_WIDTH]);
  const axis = buildBottomAxis(x, figure.axis.title);
  // Labels of bands at the end of the axis need the margin, too.
  const right = MARGIN + axis.overhang;
  const count = sum(groups, ({ rows }) => rows.length);
  const bands = buildBands(figure, x, left);
  const head = bands.height + (count > MIN_ROWS_FOR_TOP_TICKS ? TOP_TICKS_HEIGHT : 0);
  const body = sum(groups, computeGroupHeight) - GROUP_GAP;
  const legend = buildLegend('', buildLegendEntries(groups, names, hues), left + PLOT_WIDTH + right);
  const omittedGroups = nonEmpty.length - groups.length;
  const note = buildOmittedNote([
    omittedGroups > 0 && formatCount(omittedGroups, 'more group', 'more groups'),
  ]);
  const content = [
    ...bands.render(body),
    axis.render(0, body),
    ...bands.renderBounds(body),
    count > MIN_ROWS_FOR_TOP_TICKS ? axis.renderTickLabels(-bands.height - 7) : '',
    ...renderGroups(groups, x, left, hues),
  ];
  return renderDocument(figure, {
    width: left + PLOT_WIDTH + right,
    height: head + body + axis.height + legend.height + note.height,
    render: (top) => {
      const end = top + head + body + axis.height;
      return [
        `<g transform="translate(${MARGIN} ${px(top + head)})">`,
        ...content,
        '</g>',
        legend.render(end - 6),
        note.render(end + legend.height),
      ].join('\n');
    },
  });
}

/** Applies MAX_GROUPS and MAX_ROWS; rows that are cut are added to `omitted`. */
function limitGroups(groups: readonly Group[]): Group[] {
  let remaining = MAX_ROWS;
  return groups.slice(0, MAX_GROUPS).map((group) => {
    const rows = group.rows.slice(0, remaining);
    remaining -= rows.length;
    const before = group.omitted > 0 && group.omitted < Infinity ? group.omitted : 0;
    return { ...group, rows, omitted: before + group.rows.length - rows.length };
  });
}

const computeGroupHeight = ({ label, rows, omitted }: Group) =>
  (cleanText(label) === '' ? 0 : HEADING_HEIGHT) +
  rows.length * ROW_HEIGHT +
  (omitted > 0 ? OMITTED_NOTE_HEIGHT : 0) +
  GROUP_GAP;

const computeLabelColumnWidth = (groups: readonly Group[]) =>
  Math.max(
    computeColumnWidth(
      groups.map((group) => group.label),
      FONT.heading,
      LABEL_WIDTH.min,
      LABEL_WIDTH.max,
    ),
    computeColumnWidth(
      groups.flatMap(({ rows }) => rows.map((row) => row.label)),
      FONT.text,
      LABEL_WIDTH.min,
      LABEL_WIDTH.max,
    ),
  );

/** The range in px, clamped to the axis; undefined if it lies outside. */
function toPixelRange({ from, to }: Range, x: X): [number, number] | undefined {
  const start = toClampedPosition(x, from ?? -Infinity);
  const end = toClampedPosition(x, to ?? Infinity);
  if (start === undefined || end === undefined || start === end) return undefined;
  return start < end ? [start, end] : [end, start];
}

/** Named ranges behind the rows, every other one shaded, with labels above the plot. */
function buildBands(figure: Intervals, x: X, left: number) {
  const bands = figure.bands.slice(0, MAX_BANDS).flatMap((band, i) => {
    const range = toPixelRange(band, x);
    return range ? [{ name: band.label, range, shaded: i % 2 === 0 }] : [];
  });
  const widths = bands.map(({ name }) =>
    Math.min(BAND_LABEL.maxWidth, measureText(cleanText(name), FONT.small) + 1),
  );
  const positions = packIntoRows(
    bands.map(({ range: [low, high] }, i) => ({ at: (low + high) / 2, width: widths[i]! })),
    left - MARGIN,
    left + PLOT_WIDTH + MARGIN,
    BAND_LABEL.maxRows,
  );
  const rows = Math.max(0, ...positions.map((position) => (position ? position.row + 1 : 0)));
  const bounds = new Set(bands.flatMap(({ range }) => range).filter((bound) => !x.range().includes(bound)));
  const render = (body: number) => [
    ...bands.map(({ name, range: [low, high], shaded }) => {
      const shape = `x="${px(low)}" y="0" width="${px(high - low)}" height="${px(body)}"`;
      return `<rect ${shape} class="${shaded ? 'band' : 'clear'}">${renderTooltip(name)}</rect>`;
    }),
    ...bands.map(({ name }, i) => {
      const position = positions[i];
      if (!position) return '';
      const bottom = -6 - position.row * BAND_LABEL.lineHeight;
      return renderLabel(position.middle, bottom, name, widths[i]!, { class: 'muted', anchor: 'middle' });
    }),
  ];
  const renderBounds = (body: number) =>
    [...bounds].map((bound) => renderLine(bound, -4, bound, body, 'class="edge"'));
  return { height: rows * BAND_LABEL.lineHeight, render, renderBounds };
}

function renderGroups(groups: readonly Group[], x: X, left: number, hues: readonly number[]): string[] {
  let y = 0;
  return groups.map((group) => {
    const top = y + (cleanText(group.label) === '' ? 0 : HEADING_HEIGHT);
    const end = top + group.rows.length * ROW_HEIGHT;
    const expected = group.expected && toPixelRange(group.expected, x);
    const rendered = [
      renderLabel(0, top - 8, group.label, left - 14, { class: 'heading' }),
      expected ? renderRect(expected[0], top, expected[1] - expected[0], end - top, 'class="expected"') : '',
      ...group.rows.map((row, i) => renderRow(row, top + (i + 0.5) * ROW_HEIGHT, x, left, hues)),
      group.omitted > 0
        ? renderText(left - 14, end + 14, `and ${formatNumber(group.omitted)} more`, {
            class: 'muted',
            anchor: 'end',
          })
        : '',
    ];
    y += computeGroupHeight(group);
    return rendered.join('\n');
  });
}

function renderRow(row: Row, y: number, x: X, left: number, hues: readonly number[]): string {
  const hue = hues[Math.max(0, Math.min(hues.length - 1, Math.floor(row.series) || 0))] ?? 0;
  const interval = `${formatNumber(row.value)} (${formatNumber(row.low)} to ${formatNumber(row.high)})`;
  return [
    renderLine(left, y, left + PLOT_WIDTH, y, 'class="rule"'),
    renderLabel(left - 14, y + 4.5, row.label, left - 14, { anchor: 'end' }),
    `<g>${renderTooltip(`${cleanText(row.label).slice(0, MAX_TOOLTIP_LABEL_CHARS)}: ${interval}`)}`,
    renderWhisker(row, y, x, hue),
    isInDomain(x, row.value)
      ? `<path d="${markPath(hue, x(row.value), y, MARK_RADIUS)}" class="hue-${hue}"/>`
      : '',
    '</g>',
  ].join('');
}

/** The confidence interval, with an arrowhead where it extends beyond the axis. */
function renderWhisker({ low, high }: Row, y: number, x: X, hue: number): string {
  const [from, to] = [toClampedPosition(x, low), toClampedPosition(x, high)];
  if (from === undefined || to === undefined) return '';
  const arrows = [low, high]
    .filter((end) => !isInDomain(x, end))
    .map((end) => {
      const tip = toClampedPosition(x, end)!;
      const inwards = tip === x.range()[0] ? 6 : -6;
      return `M${px(tip + inwards)} ${px(y - 4)}L${px(tip)} ${px(y)} ${px(tip + inwards)} ${px(y + 4)}`;
    });
  return `<path d="M${px(from)} ${px(y)}H${px(to)}${arrows.join('')}" class="line stroke-${hue}"/>`;
}

function buildLegendEntries(
  groups: readonly Group[],
  names: readonly string[],
  hues: readonly number[],
): LegendEntry[] {
  const entries = buildMarkEntries(names, hues);
  if (groups.some(({ expected }) => expected)) {
    entries.push({
      name: 'expected range of the group',
      renderMark: (x, y) => renderRect(x, y, SWATCH_SIZE, SWATCH_SIZE, 'rx="2" class="expected"'),
    });
  }
  return entries;
}
