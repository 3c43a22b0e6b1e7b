/** Values with their intervals in rows, under headings, with bands that say what they mean. */
import { sum } from 'd3-array';
import { type ScaleLinear, scaleLinear } from 'd3-scale';
import { axisBelow, endsOf, isWithin, placeOn } from './axis.ts';
import type { Intervals } from './figure.ts';
import { type Entry, legend, SWATCH } from './legend.ts';
import { markAt, markEntries } from './marks.ts';
import { inRows } from './placing.ts';
import { FONT, namesFor } from './style.ts';
import {
  at,
  columnFor,
  document,
  hintOf,
  label,
  line,
  MARGIN,
  nothing,
  notShown,
  rect,
  text,
} from './svg.ts';
import { clean, counted, formatNumber, textWidth } from './text.ts';

/** More than this is not read in a picture. What is left out is said. */
const MOST_GROUPS = 40;
const MOST_ROWS = 240;
const MOST_BANDS = 12;
const PLOT = 480;
const LABEL = { least: 80, most: 320 };
const HEADING = 26;
const ROW = 21;
const MORE = 20;
const BETWEEN = 10;
const BAND = { row: 17, rows: 3, width: 150 };
/** From here on the numbers of the axis stand at the top as well. */
const LONG = 24;
const NUMBERS = 20;
const RADIUS = 4.2;
const HINT_LETTERS = 120;

type X = ScaleLinear<number, number>;
type Range = { from: number | null; to: number | null };
type Group = Intervals['groups'][number];
type Row = Group['rows'][number];

export function drawIntervals(figure: Intervals): string {
  const ends = endsOf(figure.axis);
  const filled = figure.groups.filter(({ rows, omitted }) => rows.length > 0 || omitted > 0);
  const groups = within(filled);
  if (!ends || groups.length === 0) return nothing(figure);
  const names = namesFor(figure.series);
  const left = labelColumn(groups) + 14;
  const x = scaleLinear(ends, [left, left + PLOT]);
  const axis = axisBelow(x, figure.axis.title);
  // For the names of bands at the end of the axis, too.
  const right = MARGIN + axis.overhang;
  const count = sum(groups, ({ rows }) => rows.length);
  const bands = bandsOf(figure, x, left);
  const head = bands.height + (count > LONG ? NUMBERS : 0);
  const body = sum(groups, heightOf) - BETWEEN;
  const key = legend('', entriesOf(groups, names), left + PLOT + right);
  const leftOut = filled.length - groups.length;
  const note = notShown([leftOut > 0 && counted(leftOut, 'more group', 'more groups')]);
  const content = [
    ...bands.draw(body),
    axis.draw(0, body),
    ...bands.drawBounds(body),
    count > LONG ? axis.numbers(-bands.height - 7) : '',
    ...drawGroups(groups, x, left, names.length),
  ];
  return document(figure, {
    width: left + PLOT + right,
    height: head + body + axis.height + key.height + note.height,
    draw: (top) => {
      const end = top + head + body + axis.height;
      return [
        `<g transform="translate(${MARGIN} ${at(top + head)})">`,
        ...content,
        '</g>',
        key.draw(end - 6),
        note.draw(end + key.height),
      ].join('\n');
    },
  });
}

/** As many groups and rows as can be shown; rows that cannot are counted with those that were left out before. */
function within(groups: readonly Group[]): Group[] {
  let room = MOST_ROWS;
  return groups.slice(0, MOST_GROUPS).map((group) => {
    const rows = group.rows.slice(0, room);
    room -= rows.length;
    const before = group.omitted > 0 && group.omitted < Infinity ? group.omitted : 0;
    return { ...group, rows, omitted: before + group.rows.length - rows.length };
  });
}

const heightOf = ({ label, rows, omitted }: Group) =>
  (clean(label) === '' ? 0 : HEADING) + rows.length * ROW + (omitted > 0 ? MORE : 0) + BETWEEN;

const labelColumn = (groups: readonly Group[]) =>
  Math.max(
    columnFor(
      groups.map((group) => group.label),
      FONT.heading,
      LABEL.least,
      LABEL.most,
    ),
    columnFor(
      groups.flatMap(({ rows }) => rows.map((row) => row.label)),
      FONT.text,
      LABEL.least,
      LABEL.most,
    ),
  );

/** Where a range lies on the axis; undefined if it lies beyond. */
function placeOf({ from, to }: Range, x: X): [number, number] | undefined {
  const places = [placeOn(x, from ?? -Infinity), placeOn(x, to ?? Infinity)];
  const [start, end] = places;
  if (start === undefined || end === undefined || start === end) return undefined;
  return start < end ? [start, end] : [end, start];
}

/** Ranges behind everything, with their names above. Every other one has a shade, so that they can be told apart. */
function bandsOf(figure: Intervals, x: X, left: number) {
  const bands = figure.bands.slice(0, MOST_BANDS).flatMap((band, i) => {
    const place = placeOf(band, x);
    return place ? [{ name: band.label, place, shaded: i % 2 === 0 }] : [];
  });
  const widths = bands.map(({ name }) => Math.min(BAND.width, textWidth(clean(name), FONT.small) + 1));
  const places = inRows(
    bands.map(({ place: [low, high] }, i) => ({ at: (low + high) / 2, width: widths[i]! })),
    left - MARGIN,
    left + PLOT + MARGIN,
    BAND.rows,
  );
  const rows = Math.max(0, ...places.map((place) => (place ? place.row + 1 : 0)));
  const bounds = new Set(bands.flatMap(({ place }) => place).filter((place) => !x.range().includes(place)));
  const draw = (body: number) => [
    ...bands.map(({ name, place: [low, high], shaded }) => {
      const shape = `x="${at(low)}" y="0" width="${at(high - low)}" height="${at(body)}"`;
      return `<rect ${shape} class="${shaded ? 'band' : 'clear'}">${hintOf(name)}</rect>`;
    }),
    ...bands.map(({ name }, i) => {
      const place = places[i];
      if (!place) return '';
      const bottom = -6 - place.row * BAND.row;
      return label(place.middle, bottom, name, widths[i]!, { class: 'quiet', anchor: 'middle' });
    }),
  ];
  const drawBounds = (body: number) =>
    [...bounds].map((place) => line(place, -4, place, body, 'class="edge"'));
  return { height: rows * BAND.row, draw, drawBounds };
}

function drawGroups(groups: readonly Group[], x: X, left: number, names: number): string[] {
  let y = 0;
  return groups.map((group) => {
    const top = y + (clean(group.label) === '' ? 0 : HEADING);
    const end = top + group.rows.length * ROW;
    const expected = group.expected && placeOf(group.expected, x);
    const drawn = [
      label(0, top - 8, group.label, left - 14, { class: 'heading' }),
      expected ? rect(expected[0], top, expected[1] - expected[0], end - top, 'class="expected"') : '',
      ...group.rows.map((row, i) => drawRow(row, top + (i + 0.5) * ROW, x, left, names)),
      group.omitted > 0
        ? text(left - 14, end + 14, `and ${formatNumber(group.omitted)} more`, {
            class: 'quiet',
            anchor: 'end',
          })
        : '',
    ];
    y += heightOf(group);
    return drawn.join('\n');
  });
}

function drawRow(row: Row, y: number, x: X, left: number, names: number): string {
  const series = Math.max(0, Math.min(names - 1, Math.floor(row.series) || 0));
  const interval = `${formatNumber(row.value)} (${formatNumber(row.low)} to ${formatNumber(row.high)})`;
  return [
    line(left, y, left + PLOT, y, 'class="rule"'),
    label(left - 14, y + 4.5, row.label, left - 14, { anchor: 'end' }),
    `<g>${hintOf(`${clean(row.label).slice(0, HINT_LETTERS)}: ${interval}`)}`,
    whisker(row, y, x, series),
    isWithin(x, row.value)
      ? `<path d="${markAt(series, x(row.value), y, RADIUS)}" class="hue-${series}"/>`
      : '',
    '</g>',
  ].join('');
}

/** A line from one end of the interval to the other; an arrow where it goes on beyond the axis. */
function whisker({ low, high }: Row, y: number, x: X, series: number): string {
  const [from, to] = [placeOn(x, low), placeOn(x, high)];
  if (from === undefined || to === undefined) return '';
  const arrows = [low, high]
    .filter((end) => !isWithin(x, end))
    .map((end) => {
      const place = placeOn(x, end)!;
      const inwards = place === x.range()[0] ? 6 : -6;
      return `M${at(place + inwards)} ${at(y - 4)}L${at(place)} ${at(y)} ${at(place + inwards)} ${at(y + 4)}`;
    });
  return `<path d="M${at(from)} ${at(y)}H${at(to)}${arrows.join('')}" class="line stroke-${series}"/>`;
}

function entriesOf(groups: readonly Group[], names: readonly string[]): Entry[] {
  const entries = markEntries(names);
  if (groups.some(({ expected }) => expected)) {
    entries.push({
      name: 'where the values of the group should lie',
      mark: (x, y) => rect(x, y, SWATCH, SWATCH, 'rx="2" class="expected"'),
    });
  }
  return entries;
}
