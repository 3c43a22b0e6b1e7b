/**
 * Figures of item statistics: a scatter plot of all questions, and the trace lines of one question.
 */
import type { Curves, HeatMap, Scatter, Tone } from '../../charts/figure.ts';
import type { Outcome } from '../define.ts';
import { formatCount, joinAnd, quote } from '../shared/format.ts';
import { type Option, type Row, SCORE_GROUPS, type Summary, VERDICTS } from './schemas.ts';
import { VERDICT_NAMES } from './verdict.ts';

const TONES: Record<(typeof VERDICTS)[number], Tone> = {
  check_key: 'serious',
  revise: 'moderate',
  watch: 'uncertain',
  too_little_data: 'unknown',
  keep: 'good',
};

/** More points overlap. Rows that need attention come first. */
const MAX_POINTS = 2000;

/** Facility against discrimination. */
export function plotItems({ summary, items }: Outcome<Summary, Row>): Scatter {
  const points = new Map<string, { x: number; y: number; label: string; question_id: string }[]>(
    VERDICTS.map((verdict) => [verdict, []]),
  );
  let shown = 0;
  for (const { facility, corrected_point_biserial: r, question_text, question_id, verdict } of items) {
    if (facility === null || r === null) continue;
    points.get(verdict)!.push({ x: facility, y: r, label: question_text, question_id });
    if (++shown === MAX_POINTS) break;
  }
  const { min_facility, max_facility, min_discrimination } = summary.limits;
  const hidden = summary.questions_with_responses - shown;
  const lowest = [...points.values()].flat().reduce((low, { y }) => Math.min(low, y), 0);
  const notes =
    hidden > 0
      ? [
          `Not shown: ${formatCount(hidden, 'question')} without a discrimination or beyond ${MAX_POINTS} points.`,
        ]
      : [];
  return {
    chart: 'scatter',
    title: 'Facility and discrimination',
    description: [
      'Each point is a question, by its facility and its corrected point-biserial correlation.',
      describeVerdicts(summary),
      ...notes,
    ].join(' '),
    notes,
    x: { title: 'Facility (proportion correct)', from: 0, to: 1 },
    y: { title: 'Discrimination (corrected point-biserial)', from: Math.floor(lowest * 5) / 5, to: 1 },
    series: VERDICTS.map((verdict) => ({
      label: VERDICT_NAMES[verdict],
      tone: TONES[verdict],
      points: points.get(verdict)!,
    })).filter((series) => series.points.length > 0),
    guides: [
      { on: 'x', at: min_facility, label: 'Too hard' },
      { on: 'x', at: max_facility, label: 'Too easy' },
      { on: 'y', at: min_discrimination, label: 'Minimum discrimination' },
    ],
  };
}

const describeVerdicts = ({ verdicts }: Summary) =>
  `Verdicts: ${VERDICTS.map((verdict) => `${verdicts[verdict]} ${verdict.replaceAll('_', ' ')}`).join(', ')}.`;

/** More lines cannot be distinguished. */
const MAX_TRACE_LINES = 8;

/**
 * The trace lines of the options, as a table if they are many; undefined if there are too few cases
 * for score groups.
 */
export function plotTraceLines(row: Row): Curves | HeatMap | undefined {
  const { question_id, question_text, option_n, options, score_groups } = row;
  if (!options || !score_groups) return undefined;
  const keys = options.filter((option) => option.key).map(({ text }) => quote(text));
  const figure = {
    question_id,
    title: question_text,
    description:
      `Share of each option in ${SCORE_GROUPS} equal groups of the ${option_n} cases that chose one, by rest score, lowest first. ` +
      describeKeys(keys),
  };
  if (options.length > MAX_TRACE_LINES) return { ...figure, ...toTable(options) };
  return {
    ...figure,
    chart: 'curves',
    x: { title: 'Fifth of the cases by rest score, lowest to highest', from: 1, to: SCORE_GROUPS },
    y: { title: 'Share', from: 0, to: 1 },
    lines: options.map((option) => ({
      label: labelOption(option),
      points: (option.score_groups ?? []).flatMap((share, i) =>
        share === null ? [] : [[i + 1, share] as const],
      ),
      strong: option.key,
    })),
    observed: [],
    observed_label: '',
  };
}

function describeKeys(keys: string[]): string {
  if (keys.length === 0) return '';
  const subject = keys.length === 1 ? 'The key' : 'The keys';
  return `${subject}, ${joinAnd(keys)}, should rise; distractors should fall.`;
}

/** The word comes first, so that it is shown even if the text is truncated. */
const labelOption = ({ text, key }: Option) => (key ? `Key: ${text}` : text);

/** The key first, then the distractors by descending share. */
function toTable(options: readonly Option[]): Omit<HeatMap, 'title' | 'description'> {
  const sorted = options.toSorted((a, b) => Number(b.key) - Number(a.key) || b.share - a.share);
  return {
    chart: 'heat-map',
    row_title: 'Option',
    rows: sorted.map(labelOption),
    column_title: 'Fifth of the cases by rest score, lowest to highest',
    columns: Array.from({ length: SCORE_GROUPS }, (_, i) => String(i + 1)),
    cells: sorted.map(({ score_groups }) =>
      (score_groups ?? []).map((share) => (share === null ? null : Math.round(100 * share))),
    ),
    unit: '% of the group that chose it',
  };
}
