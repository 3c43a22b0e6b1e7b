import type { Intervals } from '../../charts/figure.ts';
import type { Outcome } from '../define.ts';
import { MIN_GROUP_CASES, MIN_LARGE_DELTA, MIN_MODERATE_DELTA } from './mantel-haenszel.ts';
import type { Row, Summary } from './schemas.ts';

const MAX_ROWS = 40;
/** Values of Δ are clipped to this. */
const MAX_ABS_DELTA = 10;
/** The axis extends at least to this. */
const MIN_AXIS = 2.5;

const SERIES = ['C: large', 'B: moderate', 'A: negligible or not significant'];
const SERIES_INDEX = { C: 0, B: 1, A: 2 };

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
      value: clip(result.delta),
      low: clip(result.delta_low ?? -Infinity),
      high: clip(result.delta_high ?? Infinity),
      series: SERIES_INDEX[etsClass],
    });
  }
  const reach = rows.reduce((max, { low, high }) => Math.max(max, -low, high), MIN_AXIS);
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
    groups: [
      {
        label: `Questions, largest differences first${describeOmitted(summary, withoutDelta)}`,
        rows,
        omitted: withDelta - rows.length,
      },
    ],
  };
}

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
