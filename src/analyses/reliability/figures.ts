import type { Distributions } from '../../charts/figure.ts';
import type { Outcome } from '../define.ts';
import { capitalise } from '../shared/format.ts';
import { describeScores, nameScore } from './messages.ts';
import type { Row, Summary } from './schemas.ts';

/** A histogram of the scores. */
export function plotScores({ summary }: Outcome<Summary, Row>): Distributions {
  const { kind, histogram, median } = summary.score;
  return {
    chart: 'distributions',
    title: 'Distribution of the scores',
    description: describeScores(summary),
    axis: capitalise(nameScore(kind)),
    from: histogram.from,
    step: histogram.step,
    groups: [{ label: 'Cases', counts: histogram.counts, mark: median }],
  };
}
