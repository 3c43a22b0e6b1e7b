import type { Intervals, Tone } from '../../charts/figure.ts';
import { quantile } from '../../statistics/descriptive.ts';
import type { Outcome } from '../define.ts';
import { MIN_GROUP_CASES, MIN_LARGE_DELTA, MIN_MODERATE_DELTA } from './mantel-haenszel.ts';
import type { Row, Summary } from './schemas.ts';

const MAX_ROWS = 40;
/** The axis extends at most to this. Intervals beyond it end in an arrowhead. */
const MAX_ABS_DELTA = 10;
/** Stands for an infinite limit: figures are stored as JSON. */
const BEYOND_AXIS = 2 * MAX_ABS_DELTA;
/** The axis extends at least to this. */
const MIN_AXIS = 2.5;

const SERIES = [
  'C: large',
  'B: moderate',
  'A: not significant, large difference not ruled out',
  'A: no large difference',
];
const TONES: readonly Tone[] = ['serious', 'moderate', 'uncertain', 'good'];
const SERIES_INDEX = { C: 0, B: 1, A: 2 };
const NO_LARGE_DIFFERENCE = 3;

/** The share of the rows whose interval ends within the axis. */
const SHARE_WITHIN_AXIS = 0.9;

const BANDS = [
  { from: null, to: -MIN_LARGE_DELTA, label: 'C' },
  { from: -MIN_LARGE_DELTA, to: -MIN_MODERATE_DELTA, label: 'B' },
  { from: -MIN_MODERATE_DELTA, to: MIN_MODERATE_DELTA, label: 'A' },
  { from: MIN_MODERATE_DELTA, to: MIN_LARGE_DELTA, label: 'B' },
  { from: MIN_LARGE_DELTA, to: null, label: 'C' },
];

/**
 * Δ of the judged questions with confidence intervals, on the bands of the ETS classes, in order of
 * the rows.
 */
export function plotDeltas({ summary, items }: Outcome<Summary, Row>): Intervals {
  const rows = [];
  let withDelta = 0;
  let withoutDelta = 0;
  for (const row of items) {
    const { class: etsClass, mantel_haenszel: result } = row;
    if (etsClass === null) continue;
    if (result.delta === null) withoutDelta++;
    if (result.delta === null || withDelta++ >= MAX_ROWS) continue;
    rows.push({
      label: row.question_text,
      question_id: row.question_id,
      value: clip(result.delta),
      low: result.delta_low ?? -BEYOND_AXIS,
      high: result.delta_high ?? BEYOND_AXIS,
      series: excludesLarge(result) && etsClass === 'A' ? NO_LARGE_DIFFERENCE : SERIES_INDEX[etsClass],
    });
  }
  const reach = computeReach(rows);
  const { reference, focal } = summary;
  return {
    chart: 'intervals',
    title: 'Differential item functioning',
    description: describeSummary(summary, withoutDelta),
    axis: {
      title: summary.tested
        ? `← harder for ${focal!.group} · Δ · harder for ${reference!.group} →`
        : 'Δ (Mantel-Haenszel)',
      from: -Math.ceil(reach * 2) / 2,
      to: Math.ceil(reach * 2) / 2,
    },
    bands: BANDS,
    series: SERIES,
    tones: TONES,
    groups: [
      {
        label: `Questions, largest differences first${describeOmitted(summary, withoutDelta)}`,
        rows,
        omitted: withDelta - rows.length,
      },
    ],
  };
}

/** Long intervals end in an arrowhead, so that they do not compress the others. */
function computeReach(rows: readonly { value: number; low: number; high: number }[]): number {
  const ends = Float64Array.from(rows, ({ low, high }) => Math.max(-low, high)).sort();
  const values = rows.map(({ value }) => Math.abs(value));
  return Math.min(MAX_ABS_DELTA, Math.max(MIN_AXIS, quantile(ends, SHARE_WITHIN_AXIS) ?? 0, ...values));
}

const excludesLarge = ({ delta_low: low, delta_high: high }: Row['mantel_haenszel']) =>
  low !== null && high !== null && low > -MIN_LARGE_DELTA && high < MIN_LARGE_DELTA;

const clip = (value: number) => Math.max(-MAX_ABS_DELTA, Math.min(MAX_ABS_DELTA, value));

/** Questions that cannot be drawn, other than those beyond MAX_ROWS. */
function describeOmitted({ not_judged }: Summary, withoutDelta: number): string {
  const notJudged = not_judged > 0 ? `; not judged: ${not_judged}` : '';
  return withoutDelta > 0 ? `${notJudged}; without a finite Δ: ${withoutDelta}` : notJudged;
}

function describeSummary(summary: Summary, withoutDelta: number): string {
  const { tested, reason, reference, focal, classes, questions_tested, not_judged } = summary;
  if (!tested) return `Nothing was tested. ${reason}`;
  return (
    `Difference in difficulty between ${focal!.group} and ${reference!.group} at the same score, with 95 % confidence intervals. ` +
    `Questions tested: ${questions_tested}. Class C (large): ${classes.C}; B (moderate): ${classes.B}; A (negligible or not significant): ${classes.A}.` +
    (withoutDelta > 0 ? ` Not drawn, without a finite Δ: ${withoutDelta}.` : '') +
    (not_judged > 0
      ? ` Not judged and not drawn, with fewer than ${MIN_GROUP_CASES} cases in a group: ${not_judged}.`
      : '')
  );
}
