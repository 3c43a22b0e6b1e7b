/** `item_statistics`: classical item analysis. */
import { defineAnalysis } from '../define.ts';
import { EXAMPLE } from './example.ts';
import { plotItems, plotTraceLines } from './figures.ts';
import { Parameters, Row, Summary } from './schemas.ts';

export const itemStatistics = defineAnalysis({
  type: 'item_statistics',
  version: 4,
  title: 'Item statistics',
  description: `Classical item analysis. For each question: facility, discrimination (point-biserial and biserial correlations, upper-lower 27 % index,
Moodle's indices), alpha if deleted, and a distractor analysis. Each question gets a verdict (keep, watch, revise, check the key, or too
little data) with the reason. Statistics have 95 % confidence intervals. A question is flagged only if the whole interval lies outside the limits, and
for its discrimination only with at least 10 correct and 10 incorrect responses.

The statistics describe these respondents: a question that is hard for beginners may be easy for others. Low discrimination does not make a
question wrong; it may be the only one on its subject. Without the right to see answers, statistics of options are left out.`,
  readsAnswers: true,
  readsResponses: true,
  parameters: Parameters,
  check: ({ min_facility, max_facility }) =>
    min_facility < max_facility
      ? []
      : [{ pointer: '/max_facility', code: 'out_of_order', detail: 'must be greater than min_facility' }],
  result: { summary: Summary, item: Row },
  findings: {
    ...({ check_key: 'major', revise: 'major', watch: 'info', too_little_data: 'info' } as const),
    ...({ likely_wrong_key: 'major', negative_discrimination: 'major' } as const),
    ...({ low_discrimination: 'minor', too_hard: 'minor', too_easy: 'minor', no_variance: 'info' } as const),
    ...({ positive_distractor: 'minor', nonfunctioning_distractor: 'info' } as const),
  },
  listFindings: ({ verdict, flags }) => [verdict, ...flags],
  sortKeys: {
    facility: ({ facility }) => facility,
    discrimination: ({ corrected_point_biserial }) => corrected_point_biserial,
    n: ({ n }) => n,
  },
  example: EXAMPLE,
  async run(input, parameters) {
    const { computeItemStatistics } = await import('./statistics.ts');
    return computeItemStatistics(input, parameters);
  },
  plot: plotItems,
  plotQuestion: plotTraceLines,
});
