/**
 * The picture of an audit: facilities with their intervals under the label of the questions, on the band it
 * stands for.
 */
import type { Outcome } from '../define.ts';
import type { Row, Summary } from './schemas.ts';

const ROWS_PER_LABEL = 20;

const SERIES = ['As labelled', 'Misrated', 'Too little data'];
const AS_LABELLED = 0;
const MISRATED = 1;
const TOO_LITTLE = 2;

/**
 * Of each label the misrated questions, and so many others, spread evenly over their order, as there is room
 * for.
 */
export function plot({ summary, items }: Outcome<Summary, Row>) {
  const rows = summary.levels.map((): ReturnType<typeof drawn>[] => []);
  for (const item of items) if (item.facility !== null) rows[item.difficulty]!.push(drawn(item));
  return {
    chart: 'intervals' as const,
    title: 'Labelled and observed difficulty',
    description: describe(summary),
    axis: { title: 'Facility: share of right answers', from: 0, to: 1 },
    bands: [],
    series: SERIES,
    groups: summary.levels.map(({ name, from, to }, difficulty) => {
      const shown = chosen(rows[difficulty]!);
      return {
        label: name,
        expected: { from, to },
        rows: shown,
        omitted: rows[difficulty]!.length - shown.length,
      };
    }),
  };
}

const drawn = ({ question_text, facility, low, high, flags }: Row) => ({
  label: question_text,
  value: facility!,
  low: low!,
  high: high!,
  series: flags.includes('too_few') ? TOO_LITTLE : flags.length > 0 ? MISRATED : AS_LABELLED,
});

function chosen<T extends { series: number }>(rows: readonly T[]): T[] {
  const misrated = rows.filter(({ series }) => series === MISRATED).slice(0, ROWS_PER_LABEL);
  const others = rows.filter(({ series }) => series !== MISRATED);
  const room = Math.min(ROWS_PER_LABEL - misrated.length, others.length);
  const spread = Array.from(
    { length: room },
    (_, i) => others[Math.floor(((i + 0.5) * others.length) / room)]!,
  );
  return [...misrated, ...spread];
}

function describe({ judged, misrated_harder, misrated_easier, too_few }: Summary): string {
  if (judged === 0) return 'No question has enough responses to be judged.';
  return (
    'Share of right answers by question, with intervals, under the difficulty it is labelled with. ' +
    `Judged questions: ${judged}. Harder than labelled: ${misrated_harder}; easier: ${misrated_easier}. Too little data: ${too_few}.`
  );
}
