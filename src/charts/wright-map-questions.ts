/** The right side of a Wright map: questions as labels, as dots, or as a histogram. */
import { max, sum } from 'd3-array';
import { type ScaleLinear, scaleLinear } from 'd3-scale';
import { buildBottomAxis } from './axis.ts';
import type { WrightMap } from './figure.ts';
import { markPath } from './marks.ts';
import { FONT, getSeriesHue } from './style.ts';
import { computeColumnWidth, px, renderLabel, renderTooltip } from './svg.ts';
import { formatCount, formatNumber } from './text.ts';

export interface Bar {
  top: number;
  bottom: number;
  count: number;
  tooltip: string;
}
type QuestionMark = WrightMap['questions']['places'][number];

export const QUESTIONS_WIDTH = 410;
/** Labels and dots snap to rows; a rug plot beside the scale shows exact difficulties. */
const RUG_WIDTH = 9;
const CONTENT_WIDTH = QUESTIONS_WIDTH - RUG_WIDTH - 6;
/** A row where labels would be truncated below `minWidth` has dots only. */
const LABEL = { rowHeight: 17, minWidth: 84, maxWidth: 380, markWidth: 11, gap: 8 };
/** The number of dots is bounded by rows × CONTENT_WIDTH / step. */
const DOT = { rowHeight: 8, step: 8, radius: 3 };
const MAX_TOOLTIP_LABEL_CHARS = 60;
const HUE = getSeriesHue(0);

/** Coordinates are relative to the upper end of the scale. */
export function renderQuestions(questions: readonly QuestionMark[], y: ScaleLinear<number, number>): string {
  const rows = binIntoRows(questions, y, LABEL.rowHeight);
  if (maxRowCount(rows) * DOT.step <= CONTENT_WIDTH) {
    const labels = questions.map((question) => question.label);
    const entryWidth =
      LABEL.markWidth + computeColumnWidth(labels, FONT.small, 0, LABEL.maxWidth) + LABEL.gap;
    const legible = rows.filter(
      (row) => CONTENT_WIDTH / row.questions.length >= Math.min(entryWidth, LABEL.minWidth),
    );
    // If most questions would be dots anyway, dots throughout show the density better.
    if (2 * sum(legible, (row) => row.questions.length) >= questions.length) {
      const rendered = rows.map((row) =>
        legible.includes(row) ? renderLabelledRow(row, entryWidth) : renderDots(row, RUG_WIDTH + 4),
      );
      return [renderRug(questions, y), ...rendered].join('\n');
    }
  }
  const dots = binIntoRows(questions, y, DOT.rowHeight);
  return maxRowCount(dots) * DOT.step <= CONTENT_WIDTH
    ? dots.map((row) => renderDots(row, 4)).join('\n')
    : renderBars(dots);
}

interface Row {
  top: number;
  bottom: number;
  questions: QuestionMark[];
}

/** Divides the scale into rows of equal height, from the top. */
function binIntoRows(
  questions: readonly QuestionMark[],
  y: ScaleLinear<number, number>,
  height: number,
): Row[] {
  const [bottom = 0] = y.range();
  const count = Math.ceil(bottom / height);
  const rows = Array.from({ length: count }, (_, i): Row => {
    return { top: (i * bottom) / count, bottom: ((i + 1) * bottom) / count, questions: [] };
  });
  for (const question of questions) {
    rows[Math.min(count - 1, Math.floor((y(question.at) / bottom) * count))]!.questions.push(question);
  }
  return rows;
}

const maxRowCount = (rows: readonly Row[]) => max(rows, ({ questions }) => questions.length) || 1;

/** One tick for each distinct difficulty, to half a pixel. */
function renderRug(questions: readonly QuestionMark[], y: ScaleLinear<number, number>): string {
  const marks = new Set(
    questions.map((question) => `M1 ${px(Math.round(2 * y(question.at)) / 2)}h${RUG_WIDTH - 3}`),
  );
  return marks.size === 0 ? '' : `<path d="${[...marks].join('')}" class="line stroke-${HUE}"/>`;
}

function renderLabelledRow({ top, bottom, questions }: Row, entryWidth: number): string {
  const width = Math.min(entryWidth, CONTENT_WIDTH / questions.length);
  const middle = (top + bottom) / 2;
  return questions
    .map((question, i) => {
      const left = RUG_WIDTH + 4 + i * width;
      const name = renderLabel(
        left + LABEL.markWidth,
        middle + 4,
        question.label,
        width - LABEL.markWidth - LABEL.gap,
        {
          class: 'muted value',
        },
      );
      return renderDot(question, left + DOT.step / 2, middle) + name;
    })
    .join('\n');
}

const renderDots = ({ top, bottom, questions }: Row, left: number) =>
  questions
    .map((question, i) => renderDot(question, left + (i + 0.5) * DOT.step, (top + bottom) / 2))
    .join('\n');

function renderDot(question: QuestionMark, x: number, y: number): string {
  const tooltip = renderTooltip(
    `${question.label.slice(0, MAX_TOOLTIP_LABEL_CHARS)} (${formatNumber(question.at)})`,
  );
  return `<path d="${markPath(HUE, x, y, DOT.radius)}" class="hue-${HUE}">${tooltip}</path>`;
}

/** A histogram of difficulties. */
function renderBars(rows: readonly Row[]): string {
  const x = scaleLinear([0, maxRowCount(rows)], [0, CONTENT_WIDTH]).nice(4);
  const bars = rows.flatMap(({ top, bottom, questions }) => {
    if (questions.length === 0) return [];
    const [width, from, height] = [x(questions.length), top + 0.5, bottom - top - 1].map(px);
    const tooltip = renderTooltip(formatCount(questions.length, 'question', 'questions'));
    return `<rect x="0" y="${from}" width="${width}" height="${height}" class="hue-${HUE}">${tooltip}</rect>`;
  });
  return [buildBottomAxis(x, 'count', true).render(0, rows.at(-1)?.bottom ?? 0), ...bars].join('\n');
}
