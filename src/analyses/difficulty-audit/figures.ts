import type { Intervals } from '../../charts/figure.ts';
import type { Outcome } from '../define.ts';
import { describeSummary } from './messages.ts';
import type { Row, Summary } from './schemas.ts';

const MAX_ROWS_PER_LABEL = 20;

const SERIES = ['As labelled', 'Misrated', 'Too few responses'];
const AS_LABELLED = 0;
const MISRATED = 1;
const TOO_FEW = 2;

/** Facilities with confidence intervals, grouped by label, against the band of the label. */
export function plotFacilities({ summary, items }: Outcome<Summary, Row>): Intervals {
  const rows = summary.levels.map((): ReturnType<typeof toInterval>[] => []);
  for (const item of items) if (item.facility !== null) rows[item.difficulty]!.push(toInterval(item));
  return {
    chart: 'intervals',
    title: 'Labelled and observed difficulty',
    description: describeSummary(summary),
    axis: { title: 'Facility (proportion correct)', from: 0, to: 1 },
    bands: [],
    series: SERIES,
    groups: summary.levels.map(({ name, min_facility, max_facility }, difficulty) => {
      const shown = selectRows(rows[difficulty]!);
      return {
        label: name,
        expected: { from: min_facility, to: max_facility },
        rows: shown,
        omitted: rows[difficulty]!.length - shown.length,
      };
    }),
  };
}

const toInterval = ({ question_text, facility, low, high, flags }: Row) => ({
  label: question_text,
  value: facility!,
  low: low!,
  high: high!,
  series: flags.includes('too_few') ? TOO_FEW : flags.length > 0 ? MISRATED : AS_LABELLED,
});

/** The misrated questions first; the remaining rows are sampled evenly from the others. */
function selectRows<T extends { series: number }>(rows: readonly T[]): T[] {
  const misrated = rows.filter(({ series }) => series === MISRATED).slice(0, MAX_ROWS_PER_LABEL);
  const others = rows.filter(({ series }) => series !== MISRATED);
  const remaining = Math.min(MAX_ROWS_PER_LABEL - misrated.length, others.length);
  const sample = Array.from(
    { length: remaining },
    (_, i) => others[Math.floor(((i + 0.5) * others.length) / remaining)]!,
  );
  return [...misrated, ...sample];
}
