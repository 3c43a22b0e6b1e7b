/** A table of numbers as shades, each with its number in it. */
import { max, range } from 'd3-array';
import { scaleThreshold } from 'd3-scale';
import type { HeatMap } from './figure.ts';
import { type Entry, legend, SWATCH } from './legend.ts';
import { FONT, SHADE_COUNT } from './style.ts';
import { columnFor, document, label, MARGIN, nothing, rect, text } from './svg.ts';
import { formatNumber, textWidth } from './text.ts';

/** More than this cannot be read. What is left out is said. */
const MOST = 60;
const ROW = 28;
const CELL = { least: 40, most: 120 };
const LABEL = { least: 60, most: 300 };
const TURNED_LABEL = 150;
const ANGLE = -45;
const SLANT = Math.SQRT1_2;
/** A narrower legend would be one line for each of its entries. */
const LEGEND = 340;

export function drawHeatMap(figure: HeatMap): string {
  const rows = figure.rows.slice(0, MOST);
  const columns = figure.columns.slice(0, MOST);
  if (rows.length === 0 || columns.length === 0) return nothing(figure);
  const cells = rows.map((_, i) => columns.map((_, j) => finite(figure.cells[i]?.[j])));
  const shades = shadesFor(cells.flat());
  const grid = gridFor(figure, rows, columns, cells);
  const key = legendOf(figure, shades, grid.width);
  const notes = leftOut(figure);
  return document(figure, {
    width: Math.max(grid.width, key.width, ...notes.map((note) => textWidth(note, FONT.small))),
    height: grid.height + key.height + notes.length * 18,
    draw: (top) =>
      [
        grid.draw(top, shades.classOf),
        key.draw(top + grid.height),
        ...notes.map((note, i) =>
          text(MARGIN, top + grid.height + key.height + 14 + i * 18, note, { class: 'quiet' }),
        ),
      ].join('\n'),
  });
}

const finite = (value: number | null | undefined) => (Number.isFinite(value) ? value! : null);

type Cells = readonly (readonly (number | null)[])[];

/**
 * Which shade for which number. The steps widen with the amount, as its square: a few large cells would leave all
 * others the same otherwise.
 */
function shadesFor(values: readonly (number | null)[]) {
  const most = max(values, (value) => value ?? 0) ?? 0;
  const whole = values.every((value) => value === null || Number.isInteger(value));
  const steps = whole ? Math.min(SHADE_COUNT, Math.max(1, most)) : SHADE_COUNT;
  const bounds = range(1, steps).map((i) => {
    const bound = most * (i / steps) ** 2;
    return whole ? Math.max(i + 1, Math.ceil(bound)) : bound;
  });
  /** With few steps, those are taken that lie farthest apart. */
  const strength = (step: number) =>
    steps === 1 ? SHADE_COUNT - 2 : Math.round((step * (SHADE_COUNT - 1)) / (steps - 1));
  const stepOf = scaleThreshold<number, number>(bounds, range(steps));
  const ends = (step: number): [number, number] => [
    step === 0 ? (whole ? 1 : 0) : bounds[step - 1]!,
    step === steps - 1 ? most : whole ? bounds[step]! - 1 : bounds[step]!,
  ];
  return {
    classOf: (value: number) => (value > 0 ? `shade-${strength(stepOf(value))}` : undefined),
    steps:
      most > 0 ? range(steps).map((step) => ({ shade: `shade-${strength(step)}`, ends: ends(step) })) : [],
  };
}

function gridFor(figure: HeatMap, rows: readonly string[], columns: readonly string[], cells: Cells) {
  const numbers = cells.flat().map((value) => formatNumber(value ?? 0));
  const numberWidth = columnFor(numbers, FONT.small, CELL.least - 12, CELL.most - 12) + 12;
  const named = columnFor(columns, FONT.text, 0, CELL.most - 12) + 12;
  const upright = columns.length * Math.max(named, numberWidth) <= 720 && fits(columns, CELL.most - 12);
  const cell = upright ? Math.max(numberWidth, named, columns.length <= 6 ? 88 : 0) : numberWidth;
  const titles = columnFor([figure.row_title], FONT.heading, 0, LABEL.most);
  const left = columnFor(rows, FONT.text, Math.max(LABEL.least, titles), LABEL.most) + 12;
  const slanted = upright ? 0 : columnFor(columns, FONT.text, 30, TURNED_LABEL);
  const head = 24 + (upright ? 24 : slanted * SLANT + 16);
  const reach = columns.map((name, j) => {
    const across = upright ? 0 : columnFor([name], FONT.text, 0, slanted) * SLANT + 12;
    return left + Math.max((j + 1) * cell, (j + 0.5) * cell + across);
  });
  const width = Math.max(...reach);
  const x = (j: number) => MARGIN + left + j * cell;

  const draw = (top: number, classOf: (value: number) => string | undefined) => {
    const y = (i: number) => top + head + i * ROW;
    const heads = columns.map((name, j) =>
      upright
        ? label(x(j) + cell / 2, top + head - 9, name, cell - 6, { anchor: 'middle' })
        : label(x(j) + cell / 2 + 4, top + head - 7, name, slanted, { turned: ANGLE }),
    );
    return [
      label(MARGIN + left - 12, top + head - 9, figure.row_title, left - 12, {
        class: 'heading',
        anchor: 'end',
      }),
      label(x(0), top + 14, figure.column_title, columns.length * cell, { class: 'heading' }),
      ...heads,
      ...rows.map((name, i) =>
        label(MARGIN + left - 12, y(i) + ROW / 2 + 4.5, name, left - 12, { anchor: 'end' }),
      ),
      ...cells.flatMap((row, i) =>
        row.map((value, j) =>
          drawCell(value, x(j), y(i), cell, classOf, figure.confusion === true && i === j),
        ),
      ),
    ].join('\n');
  };
  return { width, height: head + rows.length * ROW, draw };
}

const fits = (labels: readonly string[], width: number) =>
  columnFor(labels, FONT.text, 0, width + 1) <= width;

function drawCell(
  value: number | null,
  x: number,
  y: number,
  width: number,
  classOf: (value: number) => string | undefined,
  framed: boolean,
): string {
  const shade = value === null ? undefined : classOf(value);
  const shown = value === null ? '–' : formatNumber(value);
  const frame = framed ? rect(x + 2, y + 2, width - 4, ROW - 4, 'class="frame"') : '';
  return (
    rect(x + 0.5, y + 0.5, width - 1, ROW - 1, `rx="2" class="${shade ?? 'panel'}"`) +
    frame +
    text(x + width / 2, y + ROW / 2 + 4, shown, { class: shade ? `on-${shade}` : 'quiet', anchor: 'middle' })
  );
}

/** The shades and what they stand for. */
function legendOf(figure: HeatMap, shades: ReturnType<typeof shadesFor>, width: number) {
  const entries: Entry[] = shades.steps.map(({ shade, ends }) => ({
    mark: (x, y) => rect(x, y, SWATCH, SWATCH, `rx="2" class="${shade}"`),
    name: [...new Set(ends.map(formatNumber))].join(' – '),
  }));
  if (figure.confusion) {
    entries.push({
      mark: (x, y) => rect(x + 1, y + 1, SWATCH - 2, SWATCH - 2, 'class="frame"'),
      name: 'both the same',
    });
  }
  return legend(figure.unit, entries, Math.max(width, LEGEND));
}

function leftOut({ rows, columns }: HeatMap): string[] {
  const parts = [
    rows.length > MOST && `${formatNumber(rows.length - MOST)} more rows`,
    columns.length > MOST && `${formatNumber(columns.length - MOST)} more columns`,
  ].filter(Boolean);
  return parts.length > 0 ? [`Not shown: ${parts.join(' and ')}.`] : [];
}
