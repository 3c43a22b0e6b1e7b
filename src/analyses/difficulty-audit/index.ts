/** `difficulty_audit`: difficulty labels against observed facilities. */
import { defineAnalysis } from '../define.ts';
import { EXAMPLE } from './example.ts';
import { plotFacilities } from './figures.ts';
import { Parameters, Row, Summary } from './schemas.ts';

export const difficultyAudit = defineAnalysis({
  type: 'difficulty_audit',
  version: 3,
  title: 'Difficulty audit',
  description: `Compares the difficulty labels of questions (Basic, Intermediate, Advanced) with their facilities, the proportions of correct responses. Each label
stands for a configurable band of facility. A question is misrated only if the **whole** confidence interval of its facility (Wilson 1927) lies outside the band
of its label; then the band of the observed facility is suggested.

For the whole set: the rank correlation of labels and facilities (Spearman, Kendall’s τ-b) and the agreement of labels and observed bands (Cohen’s κ, weighted and
unweighted), with p-values and confidence intervals; the confusion matrix; and the distribution of facilities by label.

Facility depends on the respondents: it is the difficulty for those who were asked. Answers are not read.`,
  readsAnswers: false,
  readsResponses: true,
  parameters: Parameters,
  check: ({ max_advanced_facility, min_basic_facility }) =>
    max_advanced_facility < min_basic_facility
      ? []
      : [
          {
            pointer: '/max_advanced_facility',
            code: 'out_of_order',
            detail: 'must be less than min_basic_facility',
          },
        ],
  result: { summary: Summary, item: Row },
  findings: { misrated_harder: 'minor', misrated_easier: 'minor', too_few: 'info' },
  sortKeys: {
    facility: ({ facility }) => facility,
    distance_from_band: ({ distance_from_band }) => distance_from_band,
    n: ({ n }) => n,
  },
  example: EXAMPLE,
  async run(input, parameters) {
    const { auditDifficulty } = await import('./audit.ts');
    return auditDifficulty(input, parameters);
  },
  plot: plotFacilities,
});
