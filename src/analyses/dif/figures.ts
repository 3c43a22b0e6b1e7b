/** The picture of differential item functioning: Δ of the questions with its interval, on the classes. */
import type { Outcome } from '../define.ts';
import { FEWEST_TO_JUDGE, LARGE, MODERATE } from './mantel-haenszel.ts';
import type { Row, Summary } from './schemas.ts';

const ROWS_DRAWN = 40;
/** Beyond this a difference is enormous, and its exact size of no interest. */
const WIDEST = 10;
const NARROWEST = 2.5;

const SERIES = ['C: large', 'B: moderate', 'A: negligible or not significant'];
const SERIES_OF = { C: 0, B: 1, A: 2 };

const BANDS = [
  { from: null, to: -LARGE, label: 'C' },
  { from: -LARGE, to: -MODERATE, label: 'B' },
  { from: -MODERATE, to: MODERATE, label: 'A' },
  { from: MODERATE, to: LARGE, label: 'B' },
  { from: LARGE, to: null, label: 'C' },
];

/** The rows come in the order of the result: the largest differences that count first. */
export function plot({ summary, items }: Outcome<Summary, Row>) {
  const rows = [];
  let drawable = 0;
  let unbounded = 0;
  for (const row of items) {
    const { class: letter, mantel_haenszel: found } = row;
    if (letter === null) continue;
    if (found.delta === null) unbounded++;
    if (found.delta === null || drawable++ >= ROWS_DRAWN) continue;
    rows.push({
      label: row.question_text,
      value: bounded(found.delta),
      low: bounded(found.delta_low!),
      high: bounded(found.delta_high!),
      series: SERIES_OF[letter],
    });
  }
  const reach = rows.reduce((most, { low, high }) => Math.max(most, -low, high), NARROWEST);
  const { reference, focal } = summary;
  return {
    chart: 'intervals' as const,
    title: 'Differential item functioning',
    description: describe(summary, unbounded),
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
        label: `Questions, the largest differences first${notDrawn(summary, unbounded)}`,
        rows,
        omitted: drawable - rows.length,
      },
    ],
  };
}

const bounded = (value: number) => Math.max(-WIDEST, Math.min(WIDEST, value));

/** What the rows leave out besides those for which there is no room. */
function notDrawn({ not_judged }: Summary, unbounded: number): string {
  const judged = not_judged > 0 ? `; not judged: ${not_judged}` : '';
  return unbounded > 0 ? `${judged}; without a bound: ${unbounded}` : judged;
}

function describe(summary: Summary, unbounded: number): string {
  const { tested, reason, reference, focal, classes, questions_tested, not_judged } = summary;
  if (!tested) return `Nothing was tested. ${reason}`;
  return (
    `The difference in difficulty for ${focal!.group} and ${reference!.group} at the same score, with 95 % intervals. ` +
    `Questions tested: ${questions_tested}. Class C (large): ${classes.C}; B (moderate): ${classes.B}; A (negligible or not significant): ${classes.A}.` +
    (unbounded > 0 ? ` Not drawn, since their Δ has no bound: ${unbounded}.` : '') +
    (not_judged > 0
      ? ` Not drawn and not judged, since fewer than ${FEWEST_TO_JUDGE} cases of a group were asked: ${not_judged}.`
      : '')
  );
}
