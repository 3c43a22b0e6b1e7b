/** Pictures of item statistics: all questions on two scales, and how the options of one did. */
import type { Outcome } from '../define.ts';
import { capitalised } from '../shared/format.ts';
import { type Row, SCORE_GROUPS, type Summary, VERDICTS } from './schemas.ts';

/** More points cannot be told apart; those that need attention come first. */
const MOST_POINTS = 2000;

type Picture = ReturnType<typeof scatter> | ReturnType<typeof traceLines>;

export const plot = (outcome: Outcome<Summary, Row>): Picture => scatter(outcome);

/** Nothing where no option was chosen, or by too few for five groups. */
export const plotQuestion = (row: Row): Picture | undefined =>
  row.options && row.score_groups ? traceLines(row, row.options) : undefined;

function scatter({ summary, items }: Outcome<Summary, Row>) {
  const points = new Map<string, { x: number; y: number; label: string }[]>(
    VERDICTS.map((verdict) => [verdict, []]),
  );
  let shown = 0;
  for (const { facility, corrected_point_biserial: r, question_text, verdict } of items) {
    if (facility === null || r === null) continue;
    points.get(verdict)!.push({ x: facility, y: r, label: question_text });
    if (++shown === MOST_POINTS) break;
  }
  const { min_facility, max_facility, min_discrimination } = summary.limits;
  const hidden = summary.questions_with_responses - shown;
  const lowest = [...points.values()].flat().reduce((low, { y }) => Math.min(low, y), 0);
  return {
    chart: 'scatter',
    title: 'Facility and discrimination',
    description:
      `Each point is a question: the share that had it right, and its corrected point-biserial correlation. ${verdictsInWords(summary)}` +
      (hidden > 0 ? ` Not shown: ${hidden}, for want of a discrimination or of room.` : ''),
    x: { title: 'Facility (share right)', from: 0, to: 1 },
    y: { title: 'Discrimination (corrected point-biserial)', from: Math.floor(lowest * 5) / 5, to: 1 },
    series: VERDICTS.map((verdict) => ({
      label: capitalised(verdict.replaceAll('_', ' ')),
      points: points.get(verdict)!,
    })).filter((series) => series.points.length > 0),
    guides: [
      { on: 'x', at: min_facility, label: 'Too hard' },
      { on: 'x', at: max_facility, label: 'Too easy' },
      { on: 'y', at: min_discrimination, label: 'Enough discrimination' },
    ],
  } as const;
}

const verdictsInWords = ({ verdicts }: Summary) =>
  `Verdicts: ${VERDICTS.map((verdict) => `${verdicts[verdict]} ${verdict.replaceAll('_', ' ')}`).join(', ')}.`;

/** How often each option was chosen, by how well people did on the other questions. */
function traceLines({ question_text, option_n }: Row, options: NonNullable<Row['options']>) {
  const key = options.find((option) => option.key);
  return {
    chart: 'curves',
    title: question_text,
    description:
      `Share of each option in ${SCORE_GROUPS} equal groups of the ${option_n} cases that chose one, by their score on the other questions, lowest first. ` +
      (key ? `The right answer, “${key.text}”, should rise, the others fall.` : ''),
    x: { title: 'Fifth of the cases by score, from the lowest to the highest', from: 1, to: SCORE_GROUPS },
    y: { title: 'Share', from: 0, to: 1 },
    lines: options.map((option) => ({
      label: option.text,
      points: (option.score_groups ?? []).flatMap((share, i) =>
        share === null ? [] : [[i + 1, share] as const],
      ),
      strong: option.key,
    })),
    observed: [],
    observed_label: '',
  } as const;
}
