/** `dif`: differential item functioning between two groups. */
import { defineAnalysis } from '../define.ts';
import { EXAMPLE } from './example.ts';
import { plotDeltas } from './figures.ts';
import { Parameters, Row, Summary } from './schemas.ts';

export const dif = defineAnalysis({
  type: 'dif',
  version: 3,
  title: 'Differential item functioning',
  description: `Finds questions that are harder for one group than for another **at the same score**: differential item functioning (DIF). A difference in total
scores is not DIF. A question that is harder for members of one group than for members of the other with the same score is, and should be reviewed for fairness.

Compares two groups of respondents, by default the two largest. For each question: the Mantel-Haenszel procedure (Holland & Thayer 1988) with the common odds ratio, Δ and
its 95 % confidence interval, the test, and the ETS classes A (negligible or not significant), B (moderate) and C (large); the standardized difference of proportions
(Dorans & Kulick 1986); and logistic regression (Swaminathan & Rogers 1990), which also detects nonuniform DIF. Cases are matched by their total score, the question
included. Purification removes questions that show DIF from the matching criterion: significant ones or, beyond 10,000 cases, those of class B and C (\`purify_by\`).
Questions with fewer than 10 cases in a group are not judged. p-values are reported with and without adjustment for the number of questions (Benjamini & Hochberg 1995).

If cases were asked different questions, they are matched by their proportion correct, adjusted for the easiness of the questions asked. This is an approximation, and a
warning says so.`,
  readsAnswers: false,
  readsResponses: true,
  comparesGroups: true,
  parameters: Parameters,
  check: ({ focal, reference }) =>
    focal !== null && focal === reference
      ? [{ pointer: '/focal', code: 'same_group', detail: 'must differ from the reference group' }]
      : [],
  result: { summary: Summary, item: Row },
  findings: {
    ...({ dif_large: 'major', dif_moderate: 'minor', nonuniform: 'minor' } as const),
    ...({ too_few: 'info', no_estimate: 'info', not_judged: 'info', not_tested: 'info' } as const),
  },
  sortKeys: { delta: ({ mantel_haenszel }) => mantel_haenszel.delta },
  example: EXAMPLE,
  async run(input, parameters) {
    const { detectDif } = await import('./detection.ts');
    return detectDif(input, parameters);
  },
  plot: plotDeltas,
});
