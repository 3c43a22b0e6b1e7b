/** The picture of differential item functioning: Δ of the questions with its interval, on the classes. */
import type { Outcome } from '../../define.ts';
import { LARGE, MODERATE } from './mantel-haenszel.ts';
import type { Row, Summary } from './schemas.ts';

const ROWS_DRAWN = 40;
/** Beyond this a difference is enormous, and its exact size of no interest. */
const WIDEST = 10;
const NARROWEST = 2.5;

const SERIES = ['C: large', 'B: moderate', 'A: negligible'];
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
  for (const row of items) {
    const { class: letter, mantel_haenszel: found } = row;
    if (letter === null || found.delta === null || drawable++ >= ROWS_DRAWN) continue;
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
    description: describe(summary),
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
        label: 'Questions, the largest differences first',
        rows,
        omitted: drawable - rows.length,
      },
    ],
  };
}

const bounded = (value: number) => Math.max(-WIDEST, Math.min(WIDEST, value));

function describe({ tested, reason, reference, focal, classes, questions_tested }: Summary): string {
  if (!tested) return `Nothing was tested. ${reason}`;
  return (
    `The difference in difficulty for ${focal!.group} and ${reference!.group} at the same score, with 95 % intervals. ` +
    `Questions tested: ${questions_tested}. Class C (large): ${classes.C}; B (moderate): ${classes.B}; A (negligible): ${classes.A}.`
  );
}
