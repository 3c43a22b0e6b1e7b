/** People and questions on one scale, back to back: the people as bars to the left of it, the questions to the right. */
import { max, range, sum } from 'd3-array';
import { type ScaleLinear, scaleLinear } from 'd3-scale';
import { axisBelow, axisBeside, endsOf, isWithin, placeOn } from './axis.ts';
import type { WrightMap } from './figure.ts';
import { at, document, hintOf, label, line, MARGIN, nothing, notShown, text } from './svg.ts';
import { counted, formatNumber } from './text.ts';
import { type Bar, drawQuestions, QUESTIONS } from './wright-questions.ts';

const HEIGHT = 520;
const PEOPLE = 270;
const HEAD = 70;
/** Where there would be more bars than can be seen, each is made of several bins. */
const MOST_BARS = 130;

export function drawWrightMap(figure: WrightMap): string {
  const ends = endsOf(figure.scale);
  const { people, questions } = figure;
  const count = sum(people.counts, countOf);
  if (!ends || (questions.places.length === 0 && count === 0)) return nothing(figure);
  const y = scaleLinear(ends, [HEIGHT, 0]);
  const places = questions.places.filter((place) => isWithin(y, place.at));
  const bars = barsOf(people, y);
  const counts = scaleLinear([max(bars, (bar) => bar.count) || 1, 0], [0, PEOPLE]).nice(4);
  const below = axisBelow(
    counts,
    'how many',
    bars.every((bar) => Number.isInteger(bar.count)),
  );
  const scale = axisBeside(y, 'left');
  const right = PEOPLE + scale.width + 10;
  const unseen = count - sum(bars, (bar) => bar.count);
  const beyond = questions.places.length - places.length;
  const left = [
    unseen > 0 && counted(unseen, 'person', 'people'),
    beyond > 0 && counted(beyond, 'question', 'questions'),
  ].filter(Boolean);
  const note = notShown([left.length > 0 && `${left.join(' and ')} beyond the scale`]);
  const content = [
    label((PEOPLE + right) / 2, -HEAD + 16, figure.scale.title, 2 * PEOPLE, {
      class: 'heading',
      anchor: 'middle',
    }),
    heading(PEOPLE, people.label, count, PEOPLE, 'end'),
    heading(right, questions.label, questions.places.length, QUESTIONS, 'start'),
    below.draw(0, HEIGHT),
    ...scale.ticks.map((tick) => line(0, y(tick), PEOPLE + 4, y(tick), 'class="rule"')),
    ...bars.map((bar) => drawBar(bar, counts(bar.count))),
    line(PEOPLE, 0, PEOPLE, HEIGHT, 'class="edge"'),
    scale.draw(right, right + QUESTIONS),
    `<g transform="translate(${at(right)} 0)">`,
    drawQuestions(places, y),
    '</g>',
  ];
  return document(figure, {
    width: below.overhang + right + QUESTIONS,
    height: HEAD + HEIGHT + below.height + note.height,
    draw: (top) =>
      [
        `<g transform="translate(${at(MARGIN + below.overhang)} ${at(top + HEAD)})">`,
        ...content,
        '</g>',
        note.draw(top + HEAD + HEIGHT + below.height),
      ].join('\n'),
  });
}

function heading(x: number, name: string, n: number, width: number, anchor: 'start' | 'end'): string {
  return (
    label(x, -28, name, width, { class: 'heading', anchor }) +
    text(x, -11, `n = ${formatNumber(n)}`, { class: 'quiet', anchor })
  );
}

const countOf = (count: number) => (count > 0 && count <= Number.MAX_SAFE_INTEGER ? count : 0);

/** The people's bins, as far as they lie on the scale. */
function barsOf({ from, step, counts }: WrightMap['people'], y: ScaleLinear<number, number>): Bar[] {
  if (!(step > 0)) return [];
  const bins = Math.ceil(counts.length / MOST_BARS) || 1;
  return range(0, counts.length, bins).flatMap((i) => {
    const count = sum(counts.slice(i, i + bins), countOf);
    const ends = [from + i * step, from + Math.min(i + bins, counts.length) * step];
    const places = ends.map((end) => placeOn(y, end) ?? 0);
    const [top, bottom] = [Math.min(...places), Math.max(...places)];
    if (count === 0 || bottom === top) return [];
    return [{ top, bottom, count, hint: `${ends.map(formatNumber).join(' to ')}: ${formatNumber(count)}` }];
  });
}

/** A bar from the scale in the middle to the left. */
function drawBar({ top, bottom, hint }: Bar, left: number): string {
  const gap = bottom - top > 4 ? 1 : 0;
  const [x, y, width, height] = [left, top + gap / 2, PEOPLE - left, bottom - top - gap].map(at);
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" class="hue-0">${hintOf(hint)}</rect>`;
}
