import type { Intervals, Tone } from '../../charts/figure.ts';
import type { Outcome } from '../define.ts';
import { describeSummary } from './messages.ts';
import type { Row, Summary } from './schemas.ts';

const MAX_ROWS_PER_LABEL = 20;

const SERIES = ['Misrated', 'Outside the band, label not rejected', 'As labelled', 'Too few responses'];
const TONES: readonly Tone[] = ['serious', 'uncertain', 'good', 'unknown'];
const MISRATED = 0;
const NOT_REJECTED = 1;
const AS_LABELLED = 2;
const TOO_FEW = 3;

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
    tones: TONES,
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

const toInterval = (row: Row) => ({
  label: row.question_text,
  question_id: row.question_id,
  value: row.facility!,
  low: row.low!,
  high: row.high!,
  series: findSeries(row),
});

function findSeries({ flags, difficulty, observed_difficulty }: Row): number {
  if (flags.includes('too_few')) return TOO_FEW;
  if (flags.length > 0) return MISRATED;
  return observed_difficulty === difficulty ? AS_LABELLED : NOT_REJECTED;
}

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
