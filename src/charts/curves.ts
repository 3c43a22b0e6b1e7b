/** Line charts, with observed values and their confidence intervals on top. */
import { max } from 'd3-array';
import { isInDomain, toClampedPosition } from './axis.ts';
import type { Curves } from './figure.ts';
import { buildEndLabels, type EndLabel } from './label-layout.ts';
import { buildLegend, type LegendEntry, SWATCH_SIZE } from './legend.ts';
import { markPath } from './marks.ts';
import { buildPlotArea, type PlotArea } from './plot-area.ts';
import { FONT, getSeriesHue } from './style.ts';
import { buildOmittedNote, px, renderDocument, renderEmpty, renderTooltip } from './svg.ts';
import { cleanText, formatCount, formatNumber, truncateText } from './text.ts';

const PLOT_SIZE = { width: 580, height: 360 };
/** Limits of legibility. What exceeds them is left out, and a note says so. */
const MAX_LINES = 24;
const MAX_POINTS_PER_LINE = 600;
const MAX_OBSERVED = 300;
/** Lines with few points have a mark at each: nothing is known between them. */
const MAX_MARKED_POINTS = 12;
/** Lines differ in dash pattern as well as in colour. */
const DASHES = ['', '7 3', '2 2', '9 3 2 3', '4 2', '12 3 2 2 2 3'];
const SAMPLE_WIDTH = 30;
/**
 * Lines are labelled at their right ends if they end near the edge of the plot and the labels differ
 * when truncated.
 */
const END_LABELS = { maxLines: 10, maxWidth: 230, maxShift: 60, maxGap: 30 };
/** Coordinates outside the plot are clamped to this distance; the plot clips them. */
const MAX_OVERSHOOT = 10_000;

type Line = Curves['lines'][number];
type Observed = Curves['observed'][number];

interface Stroke extends Line {
  hue: number;
  /** The shape of its marks. */
  shape: number;
  dash: string;
  /** Points in plot coordinates, split where a value is not finite. */
  segments: [number, number][][];
}

export function renderCurves(figure: Curves): string {
  const lines = figure.lines.slice(0, MAX_LINES);
  const onSecondAxis = figure.second ? lines.filter(({ second }) => second) : [];
  const secondClass =
    onSecondAxis.length === 1 ? `hue-${pickLook(lines, lines.indexOf(onSecondAxis[0]!)).hue}` : '';
  const plot = buildPlotArea(figure, { ...PLOT_SIZE, secondClass, integersOnly: hasIntegerXValues(lines) });
  if (!plot) return renderEmpty(figure);
  const strokes = lines.map((line, i) => toStroke(line, pickLook(lines, i), plot));
  const { observed, omitted, outside } = selectObserved(figure, plot);
  if (observed.length === 0 && strokes.every(({ segments }) => segments.length === 0))
    return renderEmpty(figure);
  const endLabels = figure.second ? undefined : layOutEndLabels(strokes);
  const paddingRight = endLabels?.width ?? 0;
  const legend = buildCurvesLegend(
    figure,
    endLabels ? [] : strokes,
    observed.length > 0,
    plot.width + paddingRight,
  );
  const omittedLines = figure.lines.length - lines.length;
  const omissions = [
    omittedLines > 0 && formatCount(omittedLines, 'more line', 'more lines'),
    omitted > 0 && formatCount(omitted, 'more observed value', 'more observed values'),
    outside > 0 && `${formatCount(outside, 'observed value', 'observed values')} outside the axes`,
    describeExits(strokes.filter(leavesPlot)),
  ];
  const note = buildOmittedNote(omissions, plot.width + paddingRight);
  // A nested svg element clips lines at the edge of the plot.
  const content = [
    `<svg width="${PLOT_SIZE.width}" height="${PLOT_SIZE.height}" overflow="hidden">`,
    ...strokes.filter(({ strong }) => !strong).map(renderStroke),
    ...strokes.filter(({ strong }) => strong).map(renderStroke),
    '</svg>',
    ...strokes.map(renderPointMarks),
    ...strokes.map(renderExits),
    ...renderObserved(observed, plot),
    endLabels?.render() ?? '',
  ];
  return renderDocument(figure, {
    width: plot.width + paddingRight,
    height: plot.height + legend.height + note.height,
    render: (top) =>
      [
        plot.render(top, content.join('\n'), 0, paddingRight),
        legend.render(top + plot.height - 6),
        note.render(top + plot.height + legend.height),
      ].join('\n'),
  });
}

/** Such as numbered groups: the axis then has no ticks between them. */
const hasIntegerXValues = (lines: readonly Line[]) =>
  lines.length > 0 && lines.every(({ points }) => points.every(([x]) => Number.isInteger(x)));

/**
 * A strong line, the subject of the chart, always looks the same. The others differ in hue, dashes
 * and shape of marks, and no two of 30 share hue and shape.
 */
function pickLook(lines: readonly Line[], index: number): Pick<Stroke, 'hue' | 'shape' | 'dash'> {
  if (lines[index]!.strong) return { hue: 0, shape: 0, dash: '' };
  const rank = lines.slice(0, index).filter(({ strong }) => !strong).length;
  return { hue: getSeriesHue(rank), shape: 1 + (rank % 6), dash: DASHES[rank % DASHES.length]! };
}

function toStroke(line: Line, look: Pick<Stroke, 'hue' | 'shape' | 'dash'>, plot: PlotArea): Stroke {
  const { x, y, second } = plot;
  const yScale = line.second ? second : y;
  const segments: [number, number][][] = [[]];
  for (const [pointX, pointY] of thinPoints(line.points)) {
    const position: [number, number] = [x(pointX), yScale(pointY)];
    if (position.every(Number.isFinite)) {
      segments.at(-1)!.push(position.map(clampOvershoot) as [number, number]);
    } else if (segments.at(-1)!.length > 0) segments.push([]);
  }
  return { ...line, ...look, segments: segments.filter((segment) => segment.length > 0) };
}

/** Rounding of a value on the bound of an axis does not count. */
const EDGE_PX = 0.5;
const isAbove = (y: number) => y < -EDGE_PX;
const isBelow = (y: number) => y > PLOT_SIZE.height + EDGE_PX;
const isWithin = (x: number) => x >= -EDGE_PX && x <= PLOT_SIZE.width + EDGE_PX;
const leavesPlot = ({ segments }: Stroke) =>
  segments.flat().some(([x, y]) => isAbove(y) || isBelow(y) || x < -EDGE_PX || x > PLOT_SIZE.width + EDGE_PX);

function describeExits(leaving: readonly Stroke[]): string | false {
  const [first] = leaving;
  if (!first) return false;
  if (leaving.length > 1) return `the parts of ${leaving.length} lines beyond the axes`;
  return `the part of “${truncateText(first.label, END_LABELS.maxWidth, FONT.small)}” beyond the axes`;
}

/** Arrowheads where a line leaves the plot at the top or at the bottom. */
function renderExits({ segments, hue }: Stroke): string {
  const heads = segments.flatMap((segment) =>
    segment.slice(1).flatMap((end, i): string[] => {
      const start = segment[i]!;
      const isOut = [start, end].map(([, y]) => isAbove(y) || isBelow(y));
      if (isOut[0] === isOut[1]) return [];
      const edge = isAbove(Math.min(start[1], end[1])) ? 0 : PLOT_SIZE.height;
      const x = start[0] + ((edge - start[1]) / (end[1] - start[1])) * (end[0] - start[0]);
      if (!isWithin(x)) return [];
      const inwards = edge === 0 ? 8 : -8;
      return [`M${px(x - 5)} ${px(edge + inwards)}L${px(x)} ${px(edge)} ${px(x + 5)} ${px(edge + inwards)}`];
    }),
  );
  return heads.length === 0 ? '' : `<path d="${heads.join('')}" class="line stroke-${hue}"/>`;
}

const clampOvershoot = (position: number) => Math.max(-MAX_OVERSHOOT, Math.min(MAX_OVERSHOOT, position));

/** Every n-th point and the last one. */
function thinPoints<T>(points: readonly T[]): readonly T[] {
  const step = Math.ceil(points.length / MAX_POINTS_PER_LINE);
  return step <= 1 ? points : points.filter((_, i) => i % step === 0 || i === points.length - 1);
}

const toPathData = (segment: readonly [number, number][]) => {
  const [[x, y] = [0, 0], ...others] = segment;
  // A path of zero length would not be painted.
  const tail =
    others.length === 0 ? 'h0.1' : `L${others.map((position) => position.map(px).join(' ')).join(' ')}`;
  return `M${px(x)} ${px(y)}${tail}`;
};

function renderStroke(stroke: Stroke): string {
  if (stroke.segments.length === 0) return '';
  return `<path d="${stroke.segments.map(toPathData).join('')}" ${strokeAttributes(stroke)}>${renderTooltip(stroke.label)}</path>`;
}

function renderPointMarks({ points, segments, hue, shape, strong }: Stroke): string {
  if (points.length > MAX_MARKED_POINTS) return '';
  const visible = segments
    .flat()
    .filter(([x, y]) => x >= 0 && x <= PLOT_SIZE.width && y >= 0 && y <= PLOT_SIZE.height);
  const marks = visible.map(([x, y]) => markPath(shape, x, y, strong ? 4.8 : 3.6));
  return marks.length === 0 ? '' : `<path d="${marks.join('')}" class="hue-${hue} mark"/>`;
}

const strokeAttributes = ({ hue, dash, strong }: Stroke) =>
  `class="line stroke-${hue}${strong ? ' strong' : ''}"${dash ? ` stroke-dasharray="${dash}"` : ''}`;

/** Undefined if the labels do not all fit: the lines are then named in the legend. */
function layOutEndLabels(strokes: readonly Stroke[]) {
  const labels = strokes.flatMap(({ segments, label, hue }): EndLabel[] => {
    const end = segments.flat().findLast(([x]) => x <= PLOT_SIZE.width);
    if (!end) return [];
    const y = Math.max(0, Math.min(PLOT_SIZE.height, end[1]));
    return [{ x: end[0], y, name: cleanText(label), class: `hue-${hue}` }];
  });
  const names = new Set(labels.map(({ name }) => truncateText(name, END_LABELS.maxWidth, FONT.small)));
  const fits = labels.every(({ x, name }) => x >= PLOT_SIZE.width - END_LABELS.maxGap && name !== '');
  if (!fits || names.size < labels.length || labels.length > END_LABELS.maxLines) return undefined;
  return buildEndLabels(labels, PLOT_SIZE, END_LABELS.maxWidth, END_LABELS.maxShift);
}

function selectObserved({ observed }: Curves, { x, y }: PlotArea) {
  const visible = observed.filter((value) => isInDomain(x, value.x) && isInDomain(y, value.y));
  const shown = visible.slice(0, MAX_OBSERVED);
  return {
    observed: shown,
    omitted: visible.length - shown.length,
    outside: observed.length - visible.length,
  };
}

/** The area of a mark is linear in the number of cases, with a minimum. */
function renderObserved(observed: readonly Observed[], { x, y }: PlotArea): string[] {
  const maxCases = max(observed, toCaseCount) || 1;
  return observed.map((value) => {
    const [centreX, centreY] = [x(value.x), y(value.y)];
    const ends = [value.low, value.high].map((end) => toClampedPosition(y, end ?? value.y) ?? centreY);
    const radius = Math.sqrt(10 + 26 * (toCaseCount(value) / maxCases));
    const interval =
      value.low === null || value.high === null
        ? ''
        : ` (${formatNumber(value.low)} to ${formatNumber(value.high)})`;
    const tooltip = `${formatNumber(value.x)}: ${formatNumber(value.y)}${interval}, n = ${formatNumber(value.n)}`;
    const mark = renderObservedMark(
      centreX,
      centreY,
      ends as [number, number],
      radius,
      renderTooltip(tooltip),
    );
    return mark + renderExpected(centreX, toClampedPosition(y, value.expected ?? Number.NaN));
  });
}

const renderExpected = (x: number, y: number | undefined) =>
  y === undefined ? '' : `<path d="M${px(x - 7)} ${px(y)}h14" class="dash"/>`;

const toCaseCount = ({ n }: Observed) => (n > 0 && n < Infinity ? n : 0);

function renderObservedMark(
  x: number,
  y: number,
  [low, high]: [number, number],
  radius: number,
  tooltip: string,
): string {
  const cap = (end: number) => (end === y ? '' : `M${px(x - 3)} ${px(end)}h6`);
  const whisker =
    low === high ? '' : `<path d="M${px(x)} ${px(low)}V${px(high)}${cap(low)}${cap(high)}" class="whisker"/>`;
  return `<g class="observed">${tooltip}${whisker}<circle cx="${px(x)}" cy="${px(y)}" r="${px(radius)}"/></g>`;
}

const renderLineSample = (stroke: Stroke, x: number, y: number) =>
  `<path d="M${px(x)} ${px(y)}h${SAMPLE_WIDTH}" ${strokeAttributes(stroke)}/>` +
  (stroke.points.length > MAX_MARKED_POINTS
    ? ''
    : `<path d="${markPath(stroke.shape, x + SAMPLE_WIDTH / 2, y, 3.6)}" class="hue-${stroke.hue} mark"/>`);

function buildCurvesLegend(figure: Curves, strokes: readonly Stroke[], hasObserved: boolean, width: number) {
  const entries: LegendEntry[] = strokes.map((stroke) => ({
    name: stroke.second && figure.second ? `${stroke.label} (right axis)` : stroke.label,
    width: SAMPLE_WIDTH,
    renderMark: (x, y) => renderLineSample(stroke, x, y + SWATCH_SIZE / 2),
  }));
  if (hasObserved && figure.observed_label !== '') {
    entries.push({
      name: figure.observed_label,
      renderMark: (x, y) =>
        renderObservedMark(x + SWATCH_SIZE / 2, y + SWATCH_SIZE / 2, [y + SWATCH_SIZE + 1, y - 1], 4, ''),
    });
  }
  if (hasObserved && figure.expected_label) {
    entries.push({
      name: figure.expected_label,
      renderMark: (x, y) => renderExpected(x + SWATCH_SIZE / 2, y + SWATCH_SIZE / 2),
    });
  }
  return entries.length === 0 ? { width, height: 0, render: () => '' } : buildLegend('', entries, width);
}
