/** Wright maps: abilities (left) and item difficulties (right) on one scale. */
import { max, range, sum } from 'd3-array';
import { type ScaleLinear, scaleLinear } from 'd3-scale';
import { buildBottomAxis, buildSideAxis, isInDomain, toClampedPosition, toDomain } from './axis.ts';
import type { WrightMap } from './figure.ts';
import {
  buildOmittedNote,
  MARGIN,
  px,
  renderDocument,
  renderEmpty,
  renderLabel,
  renderLine,
  renderText,
  renderTooltip,
} from './svg.ts';
import { formatCount, formatNumber } from './text.ts';
import { type Bar, QUESTIONS_WIDTH, renderQuestions } from './wright-map-questions.ts';

const PLOT_HEIGHT = 520;
const PEOPLE_WIDTH = 270;
const HEADING_HEIGHT = 70;
/** With more bins, several are merged into one bar. */
const MAX_BARS = 130;

export function renderWrightMap(figure: WrightMap): string {
  const domain = toDomain(figure.scale);
  const { people, questions } = figure;
  const count = sum(people.counts, toCount);
  if (!domain || (questions.places.length === 0 && count === 0)) return renderEmpty(figure);
  const y = scaleLinear(domain, [PLOT_HEIGHT, 0]);
  const visible = questions.places.filter(({ at }) => isInDomain(y, at));
  const bars = buildBars(people, y);
  const counts = scaleLinear([max(bars, (bar) => bar.count) || 1, 0], [0, PEOPLE_WIDTH]).nice(4);
  const countAxis = buildBottomAxis(
    counts,
    'count',
    bars.every((bar) => Number.isInteger(bar.count)),
  );
  const scaleAxis = buildSideAxis(y, 'left');
  const right = PEOPLE_WIDTH + scaleAxis.width + 10;
  const peopleOutside = count - sum(bars, (bar) => bar.count);
  const questionsOutside = questions.places.length - visible.length;
  const outside = [
    peopleOutside > 0 && formatCount(peopleOutside, 'person', 'people'),
    questionsOutside > 0 && formatCount(questionsOutside, 'question', 'questions'),
  ].filter(Boolean);
  const note = buildOmittedNote([outside.length > 0 && `${outside.join(' and ')} outside the scale`]);
  const content = [
    renderLabel((PEOPLE_WIDTH + right) / 2, -HEADING_HEIGHT + 16, figure.scale.title, 2 * PEOPLE_WIDTH, {
      class: 'heading',
      anchor: 'middle',
    }),
    renderHeading(PEOPLE_WIDTH, people.label, count, PEOPLE_WIDTH, 'end'),
    renderHeading(right, questions.label, questions.places.length, QUESTIONS_WIDTH, 'start'),
    countAxis.render(0, PLOT_HEIGHT),
    ...scaleAxis.ticks.map((tick) => renderLine(0, y(tick), PEOPLE_WIDTH + 4, y(tick), 'class="rule"')),
    ...bars.map((bar) => renderBar(bar, counts(bar.count))),
    renderLine(PEOPLE_WIDTH, 0, PEOPLE_WIDTH, PLOT_HEIGHT, 'class="edge"'),
    scaleAxis.render(right, right + QUESTIONS_WIDTH),
    `<g transform="translate(${px(right)} 0)">`,
    renderQuestions(visible, y),
    '</g>',
  ];
  return renderDocument(figure, {
    width: countAxis.overhang + right + QUESTIONS_WIDTH,
    height: HEADING_HEIGHT + PLOT_HEIGHT + countAxis.height + note.height,
    render: (top) =>
      [
        `<g transform="translate(${px(MARGIN + countAxis.overhang)} ${px(top + HEADING_HEIGHT)})">`,
        ...content,
        '</g>',
        note.render(top + HEADING_HEIGHT + PLOT_HEIGHT + countAxis.height),
      ].join('\n'),
  });
}

function renderHeading(x: number, name: string, n: number, width: number, anchor: 'start' | 'end'): string {
  return (
    renderLabel(x, -28, name, width, { class: 'heading', anchor }) +
    renderText(x, -11, `n = ${formatNumber(n)}`, { class: 'muted', anchor })
  );
}

const toCount = (count: number) => (count > 0 && count <= Number.MAX_SAFE_INTEGER ? count : 0);

/** Merges bins into at most MAX_BARS bars and clips them to the scale. */
function buildBars({ from, step, counts }: WrightMap['people'], y: ScaleLinear<number, number>): Bar[] {
  if (!(step > 0)) return [];
  const bins = Math.ceil(counts.length / MAX_BARS) || 1;
  return range(0, counts.length, bins).flatMap((i) => {
    const count = sum(counts.slice(i, i + bins), toCount);
    const ends = [from + i * step, from + Math.min(i + bins, counts.length) * step];
    const positions = ends.map((end) => toClampedPosition(y, end) ?? 0);
    const [top, bottom] = [Math.min(...positions), Math.max(...positions)];
    if (count === 0 || bottom === top) return [];
    return [
      { top, bottom, count, tooltip: `${ends.map(formatNumber).join(' to ')}: ${formatNumber(count)}` },
    ];
  });
}

/** Bars grow from the scale in the middle to the left. */
function renderBar({ top, bottom, tooltip }: Bar, left: number): string {
  const gap = bottom - top > 4 ? 1 : 0;
  const [x, y, width, height] = [left, top + gap / 2, PEOPLE_WIDTH - left, bottom - top - gap].map(px);
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" class="hue-0">${renderTooltip(tooltip)}</rect>`;
}
