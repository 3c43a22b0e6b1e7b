/** `reliability`: internal consistency of a test. */
import { defineAnalysis } from '../define.ts';
import { EXAMPLE } from './example.ts';
import { plotScores } from './figures.ts';
import { Parameters, Row, Summary } from './schemas.ts';

export const reliability = defineAnalysis({
  type: 'reliability',
  version: 3,
  title: 'Reliability',
  description: `The internal consistency of the questions: Cronbach's alpha with its 95 % confidence interval (Feldt), KR-20 and KR-21, standardized alpha,
Guttman's λ2 and λ6, odd-even split-half reliability, the standard error of measurement, and the distribution of the scores. Each row shows whether
alpha would rise without the question.

Alpha describes these questions and these respondents, not the test as such. It rises with the number of questions, and does not show that they
measure a single trait. Incomplete cases are dropped if they are few (listwise deletion); otherwise each pair of questions uses the cases that answered
both (pairwise).`,
  readsAnswers: false,
  readsResponses: true,
  parameters: Parameters,
  result: { summary: Summary, item: Row },
  findings: { lowers_alpha: 'minor', no_variance: 'info' },
  sortKeys: { facility: ({ facility }) => facility, alpha_rise: ({ alpha_rise }) => alpha_rise },
  example: EXAMPLE,
  async run(input, parameters) {
    const { estimateReliability } = await import('./reliability.ts');
    return estimateReliability(input, parameters);
  },
  plot: plotScores,
});
