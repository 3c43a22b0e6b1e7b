/** Scatter plots. The first series is drawn on top, and its outermost points are labelled. */
import { mean, sum } from 'd3-array';
import { isInDomain } from './axis.ts';
import type { Scatter } from './figure.ts';
import { buildEndLabels, packIntoRows } from './label-layout.ts';
import { buildLegend } from './legend.ts';
import { buildMarkEntries, markPath } from './marks.ts';
import { buildPlotArea, type PlotArea } from './plot-area.ts';
import { FONT, getHue, toSeriesNames } from './style.ts';
import {
  buildOmittedNote,
  renderDocument,
  renderEmpty,
  renderLabel,
  renderLine,
  renderText,
  renderTooltip,
} from './svg.ts';
import { cleanText, formatNumber, measureText, truncateText } from './text.ts';

const PLOT_SIZE = { width: 580, height: 420 };
/** Bound the document size: a mark takes about 100 bytes, its tooltip up to 80 more. */
const MAX_POINTS = 4_000;
const MAX_TOOLTIPS = 2_000;
const MAX_TOOLTIP_LABEL_CHARS = 80;
/** With more points, marks are smaller and translucent. */
const MAX_LARGE_MARKS = 1_000;
/** The first series stays opaque unless it has more points than this. */
const MAX_OPAQUE_MARKS = 400;
const RADIUS = { first: 5, other: 4.3, firstCrowded: 3.6, otherCrowded: 2.8 };
/** Half the side of the square around a mark that labels keep clear of. */
const MARK_CLEARANCE = 5.5;
const POINT_LABEL = { maxCount: 8, widths: [180, 120], height: 16 };
const MAX_GUIDES = 8;
const GUIDE_LABEL = { maxWidth: 170, lineHeight: 17, maxRows: 3 };

/** In plot coordinates. */
interface Point {
  x: number;
  y: number;
  label: string;
  series: number;
  tooltip: string;
}
interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export function renderScatter(figure: Scatter): string {
  const plot = buildPlotArea(figure, PLOT_SIZE);
  const count = sum(figure.series, ({ points }) => points.length);
  if (!plot || count === 0) return renderEmpty(figure);
  const names = toSeriesNames(figure.series.map((series) => series.label));
  const hues = names.map((_, i) => getHue(figure.series[i]!.tone, i));
  const { points, outside, omitted } = positionPoints(figure, plot, names.length);
  const guides = buildGuides(figure, plot);
  const legend = buildLegend('', buildMarkEntries(names, hues), plot.width + guides.paddingRight);
  const note = buildOmittedNote([
    omitted > 0 && `${formatNumber(omitted)} more`,
    outside > 0 && `${formatNumber(outside)} outside the axes`,
  ]);
  const content = [guides.rendered, renderPoints(points, hues), ...renderPointLabels(points, guides.boxes)];
  return renderDocument(figure, {
    width: plot.width + guides.paddingRight,
    height: plot.height + guides.paddingTop + legend.height + note.height,
    render: (top) => {
      const end = top + plot.height + guides.paddingTop;
      return [
        plot.render(top, content.join('\n'), guides.paddingTop, guides.paddingRight),
        legend.render(end - 6),
        note.render(end + legend.height),
      ].join('\n');
    },
  });
}

/** Converts points to plot coordinates and counts those that are left out. */
function positionPoints({ series }: Scatter, { x, y }: PlotArea, names: number) {
  const points: Point[] = [];
  let outside = 0;
  let omitted = 0;
  for (const [i, { points: given }] of series.entries()) {
    for (const point of given) {
      if (!isInDomain(x, point.x) || !isInDomain(y, point.y)) outside++;
      else if (points.length >= MAX_POINTS) omitted++;
      else {
        const name = cleanText(point.label.slice(0, MAX_TOOLTIP_LABEL_CHARS));
        const tooltip = `${name} (${formatNumber(point.x)}, ${formatNumber(point.y)})`;
        points.push({
          x: x(point.x),
          y: y(point.y),
          label: name,
          series: Math.min(i, names - 1),
          tooltip: points.length < MAX_TOOLTIPS ? renderTooltip(tooltip) : '',
        });
      }
    }
  }
  return { points, outside, omitted };
}

/** Painted in reverse order, so that the first series lies on top. */
function renderPoints(points: readonly Point[], hues: readonly number[]): string {
  const crowd = points.length > MAX_LARGE_MARKS;
  const bySeries = hues.map((): string[] => []);
  for (const { series, x, y, tooltip } of points) {
    const outline = markPath(hues[series]!, x, y, getMarkRadius(series, crowd));
    bySeries[series]!.push(`<path d="${outline}"${tooltip ? `>${tooltip}</path>` : '/>'}`);
  }
  return bySeries
    .map((marks, i) => {
      const look = crowd && (i > 0 || marks.length > MAX_OPAQUE_MARKS) ? 'crowd' : 'mark';
      return `<g class="hue-${hues[i]} ${look}">\n${marks.reverse().join('\n')}\n</g>`;
    })
    .reverse()
    .join('\n');
}

function getMarkRadius(series: number, crowd: boolean): number {
  if (crowd) return series === 0 ? RADIUS.firstCrowded : RADIUS.otherCrowded;
  return series === 0 ? RADIUS.first : RADIUS.other;
}

/** Reference lines. Their labels are outside the plot, where they cannot cover a point. */
function buildGuides(figure: Scatter, { x, y }: PlotArea) {
  const visible = figure.guides
    .filter(({ on, at }) => isInDomain(on === 'x' ? x : y, at))
    .slice(0, MAX_GUIDES);
  const lines = visible.map(({ on, at, label: name }) => {
    const position = on === 'x' ? x(at) : y(at);
    const rendered =
      on === 'x'
        ? renderLine(position, 0, position, PLOT_SIZE.height, 'class="guide"')
        : renderLine(0, position, PLOT_SIZE.width, position, 'class="guide"');
    return `<g>${renderTooltip(name)}${rendered}</g>`;
  });
  const labelled = visible.filter((guide) => cleanText(guide.label) !== '');
  const topLabels = buildTopLabels(
    labelled.filter(({ on }) => on === 'x').map(({ at, label }) => ({ at: x(at), name: label })),
  );
  const endLabels = buildEndLabels(
    labelled
      .filter(({ on }) => on === 'y')
      .map(({ at, label }) => ({ x: PLOT_SIZE.width, y: y(at), name: cleanText(label), class: '' })),
    PLOT_SIZE,
    GUIDE_LABEL.maxWidth,
    Infinity,
  );
  return {
    rendered: [...lines, ...topLabels.rendered, endLabels?.render() ?? ''].join('\n'),
    paddingTop: topLabels.height,
    paddingRight: endLabels?.width ?? 0,
    boxes: visible.map(({ on, at }) =>
      on === 'x' ? toBox(x(at) - 1, 0, 2, PLOT_SIZE.height) : toBox(0, y(at) - 1, PLOT_SIZE.width, 2),
    ),
  };
}

function buildTopLabels(guides: readonly { at: number; name: string }[]) {
  const widths = guides.map(({ name }) =>
    Math.min(GUIDE_LABEL.maxWidth, measureText(cleanText(name), FONT.small) + 1),
  );
  const positions = packIntoRows(
    guides.map(({ at }, i) => ({ at, width: widths[i]! })),
    0,
    PLOT_SIZE.width,
    GUIDE_LABEL.maxRows,
  );
  const rows = Math.max(0, ...positions.map((position) => (position ? position.row + 1 : 0)));
  const rendered = guides.map(({ name }, i) => {
    const position = positions[i];
    if (!position) return '';
    const bottom = -6 - position.row * GUIDE_LABEL.lineHeight;
    return renderLabel(position.middle, bottom, name, widths[i]!, { class: 'muted', anchor: 'middle' });
  });
  return { rendered, height: rows * GUIDE_LABEL.lineHeight };
}

/**
 * Labels for the points of the first non-empty series that are farthest from the centroid,
 * greedily, where a candidate position collides with no mark, guide or earlier label.
 */
function renderPointLabels(points: readonly Point[], guides: readonly Box[]): string[] {
  const centroid = { x: mean(points, ({ x }) => x) ?? 0, y: mean(points, ({ y }) => y) ?? 0 };
  const occupied = [
    ...guides,
    ...points.map(({ x, y }) =>
      toBox(x - MARK_CLEARANCE, y - MARK_CLEARANCE, 2 * MARK_CLEARANCE, 2 * MARK_CLEARANCE),
    ),
  ];
  const first = points[0]?.series;
  const outermost = points
    .filter((point) => point.series === first && point.label !== '')
    .map((point) => ({ point, distance: Math.hypot(point.x - centroid.x, point.y - centroid.y) }))
    .sort((a, b) => b.distance - a.distance);
  const rendered: string[] = [];
  for (const { point } of outermost) {
    if (rendered.length === POINT_LABEL.maxCount) break;
    const found = POINT_LABEL.widths
      .map((width) => truncateText(point.label, width, FONT.small))
      .flatMap((name) => listLabelCandidates(point, name))
      .find(({ box }) => isInsidePlot(box) && !occupied.some((other) => boxesOverlap(box, other)));
    if (!found) continue;
    const { name, box, x, anchor } = found;
    occupied.push(box);
    rendered.push(renderText(x, box.bottom - 4, name, { class: 'muted value', anchor }));
  }
  return rendered;
}

/** Right, left, above and below the mark, in order of preference. */
function listLabelCandidates({ x, y }: Point, name: string) {
  const width = measureText(name, FONT.small);
  const { height } = POINT_LABEL;
  const offset = MARK_CLEARANCE + 3;
  return [
    { name, box: toBox(x + offset, y - height / 2, width, height), x: x + offset, anchor: 'start' },
    { name, box: toBox(x - offset - width, y - height / 2, width, height), x: x - offset, anchor: 'end' },
    { name, box: toBox(x - width / 2, y - offset - height, width, height), x, anchor: 'middle' },
    { name, box: toBox(x - width / 2, y + offset, width, height), x, anchor: 'middle' },
  ] as const;
}

const toBox = (left: number, top: number, width: number, height: number): Box => ({
  left,
  top,
  right: left + width,
  bottom: top + height,
});
const isInsidePlot = ({ left, top, right, bottom }: Box) =>
  left >= 2 && top >= 2 && right <= PLOT_SIZE.width && bottom <= PLOT_SIZE.height - 2;
const boxesOverlap = (one: Box, other: Box) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
