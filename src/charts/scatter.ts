/** Single things on two scales, with what is to be looked at first on top and by name. */
import { mean, sum } from 'd3-array';
import { isWithin } from './axis.ts';
import type { Scatter } from './figure.ts';
import { legend } from './legend.ts';
import { markAt, markEntries } from './marks.ts';
import { endLabels, inRows } from './placing.ts';
import { type Plane, planeFor } from './plane.ts';
import { FONT, namesFor } from './style.ts';
import { document, hintOf, label, line, nothing, notShown, text } from './svg.ts';
import { clean, fit, formatNumber, textWidth } from './text.ts';

const PLOT = { width: 580, height: 420 };
/**
 * These bound the size of the picture: a mark takes about 100 characters, a hint up to 80 letters more. What is left out
 * is said.
 */
const MOST = 4_000;
const MOST_HINTS = 2_000;
const HINT_LETTERS = 80;
/** From here on marks are smaller and can be seen through. */
const CROWD = 1_000;
/** The first ones are to be seen before all others, unless they are a crowd themselves. */
const MOST_OPAQUE = 400;
const RADIUS = { first: 5, few: 4.3, firstOfCrowd: 3.6, crowd: 2.8 };
/** Half of the room that no name may come into. */
const MARK = 5.5;
const NAMED = { most: 8, widths: [180, 120], height: 16 };
const MOST_GUIDES = 8;
const GUIDE = { width: 170, row: 17, rows: 3 };

interface Point {
  x: number;
  y: number;
  label: string;
  series: number;
  hint: string;
}
interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export function drawScatter(figure: Scatter): string {
  const plane = planeFor(figure, PLOT);
  const count = sum(figure.series, ({ points }) => points.length);
  if (!plane || count === 0) return nothing(figure);
  const names = namesFor(figure.series.map((series) => series.label));
  const { points, beyond, omitted } = placed(figure, plane, names.length);
  const guides = guidesOf(figure, plane);
  const key = legend('', markEntries(names), plane.width + guides.beside);
  const note = notShown([
    omitted > 0 && `${formatNumber(omitted)} more`,
    beyond > 0 && `${formatNumber(beyond)} beyond the scales`,
  ]);
  const content = [guides.drawn, drawPoints(points, names.length), ...namesBeside(points, guides.boxes)];
  return document(figure, {
    width: plane.width + guides.beside,
    height: plane.height + guides.above + key.height + note.height,
    draw: (top) => {
      const end = top + plane.height + guides.above;
      return [
        plane.draw(top, content.join('\n'), guides.above, guides.beside),
        key.draw(end - 6),
        note.draw(end + key.height),
      ].join('\n');
    },
  });
}

/** The points that are drawn, as places in the plot, in their order. */
function placed({ series }: Scatter, { x, y }: Plane, names: number) {
  const points: Point[] = [];
  let beyond = 0;
  let omitted = 0;
  for (const [i, { points: given }] of series.entries()) {
    for (const point of given) {
      if (!isWithin(x, point.x) || !isWithin(y, point.y)) beyond++;
      else if (points.length >= MOST) omitted++;
      else {
        const name = clean(point.label.slice(0, HINT_LETTERS));
        const hint = `${name} (${formatNumber(point.x)}, ${formatNumber(point.y)})`;
        points.push({
          x: x(point.x),
          y: y(point.y),
          label: name,
          series: Math.min(i, names - 1),
          hint: points.length < MOST_HINTS ? hintOf(hint) : '',
        });
      }
    }
  }
  return { points, beyond, omitted };
}

/** The last first, so that the first ones lie on top. */
function drawPoints(points: readonly Point[], names: number): string {
  const crowd = points.length > CROWD;
  const bySeries = Array.from({ length: names }, (): string[] => []);
  for (const { series, x, y, hint } of points) {
    const outline = markAt(series, x, y, radiusOf(series, crowd));
    bySeries[series]!.push(`<path d="${outline}"${hint ? `>${hint}</path>` : '/>'}`);
  }
  return bySeries
    .map((marks, i) => {
      const look = crowd && (i > 0 || marks.length > MOST_OPAQUE) ? 'crowd' : 'mark';
      return `<g class="hue-${i} ${look}">\n${marks.reverse().join('\n')}\n</g>`;
    })
    .reverse()
    .join('\n');
}

function radiusOf(series: number, crowd: boolean): number {
  if (crowd) return series === 0 ? RADIUS.firstOfCrowd : RADIUS.crowd;
  return series === 0 ? RADIUS.first : RADIUS.few;
}

/** Lines through the plot; their labels stand outside, where no point is. */
function guidesOf(figure: Scatter, { x, y }: Plane) {
  const within = figure.guides.filter(({ on, at }) => isWithin(on === 'x' ? x : y, at)).slice(0, MOST_GUIDES);
  const lines = within.map(({ on, at, label: name }) => {
    const place = on === 'x' ? x(at) : y(at);
    const drawn =
      on === 'x'
        ? line(place, 0, place, PLOT.height, 'class="guide"')
        : line(0, place, PLOT.width, place, 'class="guide"');
    return `<g>${hintOf(name)}${drawn}</g>`;
  });
  const named = within.filter((guide) => clean(guide.label) !== '');
  const above = labelsAbove(
    named.filter(({ on }) => on === 'x').map(({ at, label }) => ({ at: x(at), name: label })),
  );
  const beside = endLabels(
    named
      .filter(({ on }) => on === 'y')
      .map(({ at, label }) => ({ x: PLOT.width, y: y(at), name: clean(label), class: '' })),
    PLOT,
    GUIDE.width,
    Infinity,
  );
  return {
    drawn: [...lines, ...above.drawn, beside?.draw() ?? ''].join('\n'),
    above: above.height,
    beside: beside?.width ?? 0,
    boxes: within.map(({ on, at }) =>
      on === 'x' ? boxAt(x(at) - 1, 0, 2, PLOT.height) : boxAt(0, y(at) - 1, PLOT.width, 2),
    ),
  };
}

function labelsAbove(guides: readonly { at: number; name: string }[]) {
  const widths = guides.map(({ name }) => Math.min(GUIDE.width, textWidth(clean(name), FONT.small) + 1));
  const places = inRows(
    guides.map(({ at }, i) => ({ at, width: widths[i]! })),
    0,
    PLOT.width,
    GUIDE.rows,
  );
  const rows = Math.max(0, ...places.map((place) => (place ? place.row + 1 : 0)));
  const drawn = guides.map(({ name }, i) => {
    const place = places[i];
    if (!place) return '';
    const bottom = -6 - place.row * GUIDE.row;
    return label(place.middle, bottom, name, widths[i]!, { class: 'quiet', anchor: 'middle' });
  });
  return { drawn, height: rows * GUIDE.row };
}

/** The names of those points of the first series there are that lie farthest out, where there is room beside them. */
function namesBeside(points: readonly Point[], guides: readonly Box[]): string[] {
  const middle = { x: mean(points, ({ x }) => x) ?? 0, y: mean(points, ({ y }) => y) ?? 0 };
  const taken = [...guides, ...points.map(({ x, y }) => boxAt(x - MARK, y - MARK, 2 * MARK, 2 * MARK))];
  const first = points[0]?.series;
  const outermost = points
    .filter((point) => point.series === first && point.label !== '')
    .map((point) => ({ point, far: Math.hypot(point.x - middle.x, point.y - middle.y) }))
    .sort((a, b) => b.far - a.far);
  const drawn: string[] = [];
  for (const { point } of outermost) {
    if (drawn.length === NAMED.most) break;
    const found = NAMED.widths
      .map((width) => fit(point.label, width, FONT.small))
      .flatMap((name) => placesBeside(point, name))
      .find(({ box }) => isInside(box) && !taken.some((other) => overlap(box, other)));
    if (!found) continue;
    const { name, box, x, anchor } = found;
    taken.push(box);
    drawn.push(text(x, box.bottom - 4, name, { class: 'quiet value', anchor }));
  }
  return drawn;
}

/** To the right, to the left, above and below. */
function placesBeside({ x, y }: Point, name: string) {
  const width = textWidth(name, FONT.small);
  const { height } = NAMED;
  const away = MARK + 3;
  return [
    { name, box: boxAt(x + away, y - height / 2, width, height), x: x + away, anchor: 'start' },
    { name, box: boxAt(x - away - width, y - height / 2, width, height), x: x - away, anchor: 'end' },
    { name, box: boxAt(x - width / 2, y - away - height, width, height), x, anchor: 'middle' },
    { name, box: boxAt(x - width / 2, y + away, width, height), x, anchor: 'middle' },
  ] as const;
}

const boxAt = (left: number, top: number, width: number, height: number): Box => ({
  left,
  top,
  right: left + width,
  bottom: top + height,
});
const isInside = ({ left, top, right, bottom }: Box) =>
  left >= 2 && top >= 2 && right <= PLOT.width && bottom <= PLOT.height - 2;
const overlap = (one: Box, other: Box) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
