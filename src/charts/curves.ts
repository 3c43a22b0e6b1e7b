/** Lines over one scale, and what was observed beside them. */
import { max } from 'd3-array';
import { isWithin, placeOn } from './axis.ts';
import type { Curves } from './figure.ts';
import { type Entry, legend, SWATCH } from './legend.ts';
import { markAt } from './marks.ts';
import { type EndLabel, endLabels } from './placing.ts';
import { type Plane, planeFor } from './plane.ts';
import { FONT, HUE_COUNT } from './style.ts';
import { at, document, hintOf, nothing, notShown } from './svg.ts';
import { clean, counted, formatNumber, textWidth } from './text.ts';

const PLOT = { width: 580, height: 360 };
/** More lines than this cannot be told apart, nor more points of them be seen. What is left out is said. */
const MOST_LINES = 24;
const MOST_POINTS = 600;
const MOST_OBSERVED = 300;
const MOST_MARKED = 12;
/** Lines are told apart by these as well. */
const DASHES = ['', '7 3', '2 2', '9 3 2 3', '4 2', '12 3 2 2 2 3'];
const SAMPLE = 30;
const AT_ENDS = { lines: 8, width: 230, farthest: 30, short: 30 };
/** A line that leaves the plot is drawn as far as this, and cut off at the edge. */
const FAR = 10_000;

type Line = Curves['lines'][number];
type Observed = Curves['observed'][number];

interface Stroke extends Line {
  hue: number;
  dash: string;
  /** Points in the plot, in runs: there is no line through what is no number. */
  runs: [number, number][][];
}

export function drawCurves(figure: Curves): string {
  const lines = figure.lines.slice(0, MOST_LINES);
  const seconds = figure.second ? lines.filter(({ second }) => second) : [];
  const secondClass = seconds.length === 1 ? `hue-${lines.indexOf(seconds[0]!) % HUE_COUNT}` : '';
  const plane = planeFor(figure, { ...PLOT, secondClass, whole: isWhole(lines) });
  if (!plane) return nothing(figure);
  const strokes = lines.map((line, i) => strokeOf(line, i, plane));
  const { observed, omitted, beyond } = observedOf(figure, plane);
  if (observed.length === 0 && strokes.every(({ runs }) => runs.length === 0)) return nothing(figure);
  const ends = figure.second ? undefined : labelsAtEnds(strokes);
  const beside = ends?.width ?? 0;
  const key = legendOf(figure, ends ? [] : strokes, observed.length > 0, plane.width + beside);
  const left = figure.lines.length - lines.length;
  const note = notShown([
    left > 0 && counted(left, 'more line', 'more lines'),
    omitted > 0 && counted(omitted, 'more observed value', 'more observed values'),
    beyond > 0 && `${counted(beyond, 'observed value', 'observed values')} beyond the scales`,
  ]);
  // A picture within the picture: what leaves it is cut off.
  const content = [
    `<svg width="${PLOT.width}" height="${PLOT.height}" overflow="hidden">`,
    ...strokes.filter(({ strong }) => !strong).map(drawStroke),
    ...strokes.filter(({ strong }) => strong).map(drawStroke),
    '</svg>',
    ...strokes.map(drawPoints),
    ...drawObserved(observed, plane),
    ends?.draw() ?? '',
  ];
  return document(figure, {
    width: plane.width + beside,
    height: plane.height + key.height + note.height,
    draw: (top) =>
      [
        plane.draw(top, content.join('\n'), 0, beside),
        key.draw(top + plane.height - 6),
        note.draw(top + plane.height + key.height),
      ].join('\n'),
  });
}

/** Groups that are numbered, say: nothing lies between them. */
const isWhole = (lines: readonly Line[]) =>
  lines.length > 0 && lines.every(({ points }) => points.every(([x]) => Number.isInteger(x)));

function strokeOf(line: Line, index: number, { x, y, second }: Plane): Stroke {
  const up = line.second ? second : y;
  const runs: [number, number][][] = [[]];
  for (const [pointX, pointY] of thinned(line.points)) {
    const place: [number, number] = [x(pointX), up(pointY)];
    if (place.every(Number.isFinite)) runs.at(-1)!.push(place.map(near) as [number, number]);
    else if (runs.at(-1)!.length > 0) runs.push([]);
  }
  return {
    ...line,
    hue: index % HUE_COUNT,
    dash: line.strong ? '' : DASHES[(index + Math.floor(index / HUE_COUNT)) % DASHES.length]!,
    runs: runs.filter((run) => run.length > 0),
  };
}

const near = (place: number) => Math.max(-FAR, Math.min(FAR, place));

/** Every so many points, and the last: no more than can be seen. */
function thinned<T>(points: readonly T[]): readonly T[] {
  const step = Math.ceil(points.length / MOST_POINTS);
  return step <= 1 ? points : points.filter((_, i) => i % step === 0 || i === points.length - 1);
}

const pathOf = (run: readonly [number, number][]) => {
  const [[x, y] = [0, 0], ...others] = run;
  // A single point has no length to be seen.
  const rest = others.length === 0 ? 'h0.1' : `L${others.map((place) => place.map(at).join(' ')).join(' ')}`;
  return `M${at(x)} ${at(y)}${rest}`;
};

function drawStroke(stroke: Stroke): string {
  if (stroke.runs.length === 0) return '';
  return `<path d="${stroke.runs.map(pathOf).join('')}" ${lookOf(stroke)}>${hintOf(stroke.label)}</path>`;
}

/** Where there are few points, each is marked: between them nothing is known. */
function drawPoints({ points, runs, hue, strong }: Stroke): string {
  if (points.length > MOST_MARKED) return '';
  const seen = runs.flat().filter(([x, y]) => x >= 0 && x <= PLOT.width && y >= 0 && y <= PLOT.height);
  const marks = seen.map(([x, y]) => markAt(hue, x, y, strong ? 4.8 : 3.6));
  return marks.length === 0 ? '' : `<path d="${marks.join('')}" class="hue-${hue} mark"/>`;
}

const lookOf = ({ hue, dash, strong }: Stroke) =>
  `class="line stroke-${hue}${strong ? ' strong' : ''}"${dash ? ` stroke-dasharray="${dash}"` : ''}`;

/** The names of the lines at their ends, if all of them fit there. */
function labelsAtEnds(strokes: readonly Stroke[]) {
  const labels = strokes.flatMap(({ runs, label, hue }): EndLabel[] => {
    const end = runs.flat().findLast(([x]) => x <= PLOT.width);
    if (!end) return [];
    const y = Math.max(0, Math.min(PLOT.height, end[1]));
    return [{ x: end[0], y, name: clean(label), class: `hue-${hue}` }];
  });
  const fits = labels.every(
    ({ x, name }) =>
      x >= PLOT.width - AT_ENDS.short && name !== '' && textWidth(name, FONT.small) <= AT_ENDS.width,
  );
  if (!fits || labels.length > AT_ENDS.lines) return undefined;
  return endLabels(labels, PLOT, AT_ENDS.width, AT_ENDS.farthest);
}

function observedOf({ observed }: Curves, { x, y }: Plane) {
  const within = observed.filter((each) => isWithin(x, each.x) && isWithin(y, each.y));
  const shown = within.slice(0, MOST_OBSERVED);
  return {
    observed: shown,
    omitted: within.length - shown.length,
    beyond: observed.length - within.length,
  };
}

/** The area of a mark grows with the cases it stands for, from a least one on. */
function drawObserved(observed: readonly Observed[], { x, y }: Plane): string[] {
  const most = max(observed, casesOf) || 1;
  return observed.map((each) => {
    const [place, middle] = [x(each.x), y(each.y)];
    const ends = [each.low, each.high].map((end) => placeOn(y, end ?? each.y) ?? middle);
    const radius = Math.sqrt(10 + 26 * (casesOf(each) / most));
    const interval =
      each.low === null || each.high === null
        ? ''
        : ` (${formatNumber(each.low)} to ${formatNumber(each.high)})`;
    const hint = `${formatNumber(each.x)}: ${formatNumber(each.y)}${interval}, n = ${formatNumber(each.n)}`;
    return drawOne(place, middle, ends as [number, number], radius, hintOf(hint));
  });
}

const casesOf = ({ n }: Observed) => (n > 0 && n < Infinity ? n : 0);

function drawOne(x: number, y: number, [low, high]: [number, number], radius: number, hint: string): string {
  const cap = (end: number) => (end === y ? '' : `M${at(x - 3)} ${at(end)}h6`);
  const whisker =
    low === high ? '' : `<path d="M${at(x)} ${at(low)}V${at(high)}${cap(low)}${cap(high)}" class="whisker"/>`;
  return `<g class="observed">${hint}${whisker}<circle cx="${at(x)}" cy="${at(y)}" r="${at(radius)}"/></g>`;
}

const drawSample = (stroke: Stroke, x: number, y: number) =>
  `<path d="M${at(x)} ${at(y)}h${SAMPLE}" ${lookOf(stroke)}/>` +
  (stroke.points.length > MOST_MARKED
    ? ''
    : `<path d="${markAt(stroke.hue, x + SAMPLE / 2, y, 3.6)}" class="hue-${stroke.hue} mark"/>`);

function legendOf(figure: Curves, strokes: readonly Stroke[], hasObserved: boolean, width: number) {
  const entries: Entry[] = strokes.map((stroke) => ({
    name: stroke.second && figure.second ? `${stroke.label} (scale on the right)` : stroke.label,
    width: SAMPLE,
    mark: (x, y) => drawSample(stroke, x, y + SWATCH / 2),
  }));
  if (hasObserved && figure.observed_label !== '') {
    entries.push({
      name: figure.observed_label,
      mark: (x, y) => drawOne(x + SWATCH / 2, y + SWATCH / 2, [y + SWATCH + 1, y - 1], 4, ''),
    });
  }
  return entries.length === 0 ? { width, height: 0, draw: () => '' } : legend('', entries, width);
}
