/** The questions of a map of people and questions: by name where there is room, as dots in columns, or as bars. */
import { max, sum } from 'd3-array';
import { type ScaleLinear, scaleLinear } from 'd3-scale';
import { axisBelow } from './axis.ts';
import type { WrightMap } from './figure.ts';
import { markAt } from './marks.ts';
import { FONT } from './style.ts';
import { at, columnFor, hintOf, label } from './svg.ts';
import { counted, formatNumber } from './text.ts';

export interface Bar {
  top: number;
  bottom: number;
  count: number;
  hint: string;
}
type Place = WrightMap['questions']['places'][number];

export const QUESTIONS = 410;
/** Ticks at the exact places come first: names stand in lines. */
const RUG = 9;
const ROOM = QUESTIONS - RUG - 6;
/** A name is as long as there is room for. A line on which names would be cut below the least has dots only. */
const NAME = { line: 17, least: 84, most: 380, mark: 11, between: 8 };
/** The lines of dots and the room for each bound the size of the picture, together with the letters of a hint. */
const DOT = { line: 8, step: 8, radius: 3 };
const HINT_LETTERS = 60;
const HUE = 1;

/** Places are told from the upper end of the scale in the middle. */
export function drawQuestions(places: readonly Place[], y: ScaleLinear<number, number>): string {
  const lines = inLines(places, y, NAME.line);
  if (mostIn(lines) * DOT.step <= ROOM) {
    const labels = places.map((place) => place.label);
    const needed = NAME.mark + columnFor(labels, FONT.small, 0, NAME.most) + NAME.between;
    const legible = lines.filter((line) => ROOM / line.places.length >= Math.min(needed, NAME.least));
    // Where most would be dots, dots all over show better how many there are.
    if (2 * sum(legible, (line) => line.places.length) >= places.length) {
      const drawn = lines.map((line) =>
        legible.includes(line) ? drawNames(line, needed) : drawDots(line, RUG + 4),
      );
      return [rug(places, y), ...drawn].join('\n');
    }
  }
  const dots = inLines(places, y, DOT.line);
  return mostIn(dots) * DOT.step <= ROOM ? dots.map((line) => drawDots(line, 4)).join('\n') : drawBars(dots);
}

interface Line {
  top: number;
  bottom: number;
  places: Place[];
}

/** The scale cut into lines, from the top, with what lies in each. */
function inLines(places: readonly Place[], y: ScaleLinear<number, number>, height: number): Line[] {
  const [bottom = 0] = y.range();
  const count = Math.ceil(bottom / height);
  const lines = Array.from({ length: count }, (_, i): Line => {
    return { top: (i * bottom) / count, bottom: ((i + 1) * bottom) / count, places: [] };
  });
  for (const place of places) {
    lines[Math.min(count - 1, Math.floor((y(place.at) / bottom) * count))]!.places.push(place);
  }
  return lines;
}

const mostIn = (lines: readonly Line[]) => max(lines, ({ places }) => places.length) || 1;

/** The same place is marked once, however many questions lie there. */
function rug(places: readonly Place[], y: ScaleLinear<number, number>): string {
  const marks = new Set(places.map((place) => `M1 ${at(Math.round(2 * y(place.at)) / 2)}h${RUG - 3}`));
  return marks.size === 0 ? '' : `<path d="${[...marks].join('')}" class="line stroke-${HUE}"/>`;
}

/** Those that stand alone on their line have all of it. */
function drawNames({ top, bottom, places }: Line, needed: number): string {
  const room = Math.min(needed, ROOM / places.length);
  const middle = (top + bottom) / 2;
  return places
    .map((place, i) => {
      const left = RUG + 4 + i * room;
      const name = label(left + NAME.mark, middle + 4, place.label, room - NAME.mark - NAME.between, {
        class: 'quiet value',
      });
      return drawDot(place, left + DOT.step / 2, middle) + name;
    })
    .join('\n');
}

const drawDots = ({ top, bottom, places }: Line, left: number) =>
  places.map((place, i) => drawDot(place, left + (i + 0.5) * DOT.step, (top + bottom) / 2)).join('\n');

function drawDot(place: Place, x: number, y: number): string {
  const hint = hintOf(`${place.label.slice(0, HINT_LETTERS)} (${formatNumber(place.at)})`);
  return `<path d="${markAt(HUE, x, y, DOT.radius)}" class="hue-${HUE}">${hint}</path>`;
}

/** Where there is no room for a dot each. */
function drawBars(lines: readonly Line[]): string {
  const x = scaleLinear([0, mostIn(lines)], [0, ROOM]).nice(4);
  const bars = lines.flatMap(({ top, bottom, places }) => {
    if (places.length === 0) return [];
    const [width, from, height] = [x(places.length), top + 0.5, bottom - top - 1].map(at);
    const hint = hintOf(counted(places.length, 'question', 'questions'));
    return `<rect x="0" y="${from}" width="${width}" height="${height}" class="hue-${HUE}">${hint}</rect>`;
  });
  return [axisBelow(x, 'how many', true).draw(0, lines.at(-1)?.bottom ?? 0), ...bars].join('\n');
}
