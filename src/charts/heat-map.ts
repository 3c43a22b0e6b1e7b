/** Heat maps: a matrix of cells, each shaded by its value and showing it. */
import { max, range } from 'd3-array';
import { scaleThreshold } from 'd3-scale';
import type { HeatMap } from './figure.ts';
import { buildLegend, type LegendEntry, SWATCH_SIZE } from './legend.ts';
import { FONT, SHADE_COUNT } from './style.ts';
import {
  computeColumnWidth,
  MARGIN,
  renderDocument,
  renderEmpty,
  renderLabel,
  renderRect,
  renderText,
} from './svg.ts';
import { formatNumber, measureText } from './text.ts';

/** Further rows or columns are left out, and a note says so. */
const MAX_ROWS_OR_COLUMNS = 60;
const ROW_HEIGHT = 28;
const CELL_WIDTH = { min: 40, max: 120 };
const LABEL_WIDTH = { min: 60, max: 300 };
const MAX_ROTATED_LABEL_WIDTH = 150;
const LABEL_ROTATION_DEG = -45;
const COS_LABEL_ROTATION = Math.SQRT1_2;
/** In a narrower legend, each entry would take a line of its own. */
const MIN_LEGEND_WIDTH = 340;

export function renderHeatMap(figure: HeatMap): string {
  const rows = figure.rows.slice(0, MAX_ROWS_OR_COLUMNS);
  const columns = figure.columns.slice(0, MAX_ROWS_OR_COLUMNS);
  if (rows.length === 0 || columns.length === 0) return renderEmpty(figure);
  const cells = rows.map((_, i) => columns.map((_, j) => toFinite(figure.cells[i]?.[j])));
  const shades = buildShadeScale(cells.flat());
  const grid = buildGrid(figure, rows, columns, cells);
  const legend = buildHeatMapLegend(figure, shades, grid.width);
  const notes = listOmitted(figure);
  return renderDocument(figure, {
    width: Math.max(grid.width, legend.width, ...notes.map((note) => measureText(note, FONT.small))),
    height: grid.height + legend.height + notes.length * 18,
    render: (top) =>
      [
        grid.render(top, shades.getShadeClass),
        legend.render(top + grid.height),
        ...notes.map((note, i) =>
          renderText(MARGIN, top + grid.height + legend.height + 14 + i * 18, note, { class: 'muted' }),
        ),
      ].join('\n'),
  });
}

const toFinite = (value: number | null | undefined) => (Number.isFinite(value) ? value! : null);

type Cells = readonly (readonly (number | null)[])[];

/**
 * A threshold scale from values to shades. Thresholds grow quadratically: with equal steps, a few
 * large cells would leave all others in the lowest shade.
 */
function buildShadeScale(values: readonly (number | null)[]) {
  const maxValue = max(values, (value) => value ?? 0) ?? 0;
  const integersOnly = values.every((value) => value === null || Number.isInteger(value));
  const steps = integersOnly ? Math.min(SHADE_COUNT, Math.max(1, maxValue)) : SHADE_COUNT;
  const thresholds = range(1, steps).map((i) => {
    const threshold = maxValue * (i / steps) ** 2;
    return integersOnly ? Math.max(i + 1, Math.ceil(threshold)) : threshold;
  });
  /** Fewer steps than shades are spread over the whole palette. */
  const getShadeIndex = (step: number) =>
    steps === 1 ? SHADE_COUNT - 2 : Math.round((step * (SHADE_COUNT - 1)) / (steps - 1));
  const getStep = scaleThreshold<number, number>(thresholds, range(steps));
  const getBounds = (step: number): [number, number] => [
    step === 0 ? (integersOnly ? 1 : 0) : thresholds[step - 1]!,
    step === steps - 1 ? maxValue : integersOnly ? thresholds[step]! - 1 : thresholds[step]!,
  ];
  return {
    getShadeClass: (value: number) => (value > 0 ? `shade-${getShadeIndex(getStep(value))}` : undefined),
    steps:
      maxValue > 0
        ? range(steps).map((step) => ({ shade: `shade-${getShadeIndex(step)}`, bounds: getBounds(step) }))
        : [],
  };
}

function buildGrid(figure: HeatMap, rows: readonly string[], columns: readonly string[], cells: Cells) {
  const numbers = cells.flat().map((value) => formatNumber(value ?? 0));
  const numberWidth = computeColumnWidth(numbers, FONT.small, CELL_WIDTH.min - 12, CELL_WIDTH.max - 12) + 12;
  const labelWidth = computeColumnWidth(columns, FONT.text, 0, CELL_WIDTH.max - 12) + 12;
  const horizontal =
    columns.length * Math.max(labelWidth, numberWidth) <= 720 && fitUnrotated(columns, CELL_WIDTH.max - 12);
  const cell = horizontal ? Math.max(numberWidth, labelWidth, columns.length <= 6 ? 88 : 0) : numberWidth;
  const titleWidth = computeColumnWidth([figure.row_title], FONT.heading, 0, LABEL_WIDTH.max);
  const left =
    computeColumnWidth(rows, FONT.text, Math.max(LABEL_WIDTH.min, titleWidth), LABEL_WIDTH.max) + 12;
  const rotatedWidth = horizontal ? 0 : computeColumnWidth(columns, FONT.text, 30, MAX_ROTATED_LABEL_WIDTH);
  const head = 24 + (horizontal ? 24 : rotatedWidth * COS_LABEL_ROTATION + 16);
  const rightEdges = columns.map((name, j) => {
    const overhang = horizontal
      ? 0
      : computeColumnWidth([name], FONT.text, 0, rotatedWidth) * COS_LABEL_ROTATION + 12;
    return left + Math.max((j + 1) * cell, (j + 0.5) * cell + overhang);
  });
  const width = Math.max(...rightEdges);
  const x = (j: number) => MARGIN + left + j * cell;

  const render = (top: number, getShadeClass: (value: number) => string | undefined) => {
    const y = (i: number) => top + head + i * ROW_HEIGHT;
    const columnLabels = columns.map((name, j) =>
      horizontal
        ? renderLabel(x(j) + cell / 2, top + head - 9, name, cell - 6, { anchor: 'middle' })
        : renderLabel(x(j) + cell / 2 + 4, top + head - 7, name, rotatedWidth, {
            rotate: LABEL_ROTATION_DEG,
          }),
    );
    return [
      renderLabel(MARGIN + left - 12, top + head - 9, figure.row_title, left - 12, {
        class: 'heading',
        anchor: 'end',
      }),
      renderLabel(x(0), top + 14, figure.column_title, columns.length * cell, { class: 'heading' }),
      ...columnLabels,
      ...rows.map((name, i) =>
        renderLabel(MARGIN + left - 12, y(i) + ROW_HEIGHT / 2 + 4.5, name, left - 12, { anchor: 'end' }),
      ),
      ...cells.flatMap((row, i) =>
        row.map((value, j) =>
          renderCell(value, x(j), y(i), cell, getShadeClass, figure.confusion === true && i === j),
        ),
      ),
    ].join('\n');
  };
  return { width, height: head + rows.length * ROW_HEIGHT, render };
}

const fitUnrotated = (labels: readonly string[], width: number) =>
  computeColumnWidth(labels, FONT.text, 0, width + 1) <= width;

function renderCell(
  value: number | null,
  x: number,
  y: number,
  width: number,
  getShadeClass: (value: number) => string | undefined,
  framed: boolean,
): string {
  const shade = value === null ? undefined : getShadeClass(value);
  const shown = value === null ? '–' : formatNumber(value);
  const frame = framed ? renderRect(x + 2, y + 2, width - 4, ROW_HEIGHT - 4, 'class="frame"') : '';
  return (
    renderRect(x + 0.5, y + 0.5, width - 1, ROW_HEIGHT - 1, `rx="2" class="${shade ?? 'panel'}"`) +
    frame +
    renderText(x + width / 2, y + ROW_HEIGHT / 2 + 4, shown, {
      class: shade ? `on-${shade}` : 'muted',
      anchor: 'middle',
    })
  );
}

function buildHeatMapLegend(figure: HeatMap, shades: ReturnType<typeof buildShadeScale>, width: number) {
  const entries: LegendEntry[] = shades.steps.map(({ shade, bounds }) => ({
    renderMark: (x, y) => renderRect(x, y, SWATCH_SIZE, SWATCH_SIZE, `rx="2" class="${shade}"`),
    name: [...new Set(bounds.map(formatNumber))].join(' – '),
  }));
  if (figure.confusion) {
    entries.push({
      renderMark: (x, y) => renderRect(x + 1, y + 1, SWATCH_SIZE - 2, SWATCH_SIZE - 2, 'class="frame"'),
      name: 'same class',
    });
  }
  return buildLegend(figure.unit, entries, Math.max(width, MIN_LEGEND_WIDTH));
}

function listOmitted({ rows, columns }: HeatMap): string[] {
  const parts = [
    rows.length > MAX_ROWS_OR_COLUMNS && `${formatNumber(rows.length - MAX_ROWS_OR_COLUMNS)} more rows`,
    columns.length > MAX_ROWS_OR_COLUMNS &&
      `${formatNumber(columns.length - MAX_ROWS_OR_COLUMNS)} more columns`,
  ].filter(Boolean);
  return parts.length > 0 ? [`Not shown: ${parts.join(' and ')}.`] : [];
}
