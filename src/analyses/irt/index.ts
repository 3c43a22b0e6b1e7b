/** Analysis type `irt`: calibrates questions by item response theory (1PL, 2PL or 3PL). */
import { defineAnalysis } from '../define.ts';
import { EXAMPLE_QUESTIONS, EXAMPLE_RESPONSES } from './example.ts';
import { plotItemCurve, plotTestInformation, plotWrightMap } from './figures.ts';
import { Parameters } from './parameters.ts';
import { Row, Summary } from './schemas.ts';

export const irt = defineAnalysis({
  type: 'irt',
  version: 3,
  title: 'Item response theory',
  description: `Estimates the difficulty and discrimination of each question on one scale with the abilities of the respondents, whose mean is 0 and
standard deviation 1. Unlike proportions of right responses, these estimates do not depend on which respondents answered which question, so that tests
with only some questions in common can be compared. The models have one, two or three parameters per question (1PL, 2PL, 3PL) and are estimated by marginal
maximum likelihood (MML; Bock & Aitkin 1981), with standard errors.

Each question has its fit (S-X², infit, outfit), information and item characteristic curve with observed proportions; the test has its information,
standard error and reliability; each respondent has an ability (EAP) with its standard error. Questions are sorted by severity: a negative
discrimination first, then misfit and low discrimination.

The model assumes that all questions measure one ability, and needs hundreds of respondents. Questions that all respondents get right, or all get wrong, cannot be
calibrated; they are listed in \`dropped\`.`,
  readsAnswers: false,
  readsResponses: true,
  parameters: Parameters,
  check: ({ guessing_alpha: alpha, guessing_beta: beta }) =>
    (alpha === null) === (beta === null)
      ? []
      : [
          {
            pointer: alpha === null ? '/guessing_alpha' : '/guessing_beta',
            code: 'required',
            detail: 'must be a number, because the other parameter of the prior is one',
          },
        ],
  result: { summary: Summary, item: Row },
  findings: {
    ...({ negative_discrimination: 'major', discrimination_at_bound: 'minor', misfit: 'minor' } as const),
    ...({ infit_high: 'minor', outfit_high: 'minor', low_discrimination: 'minor' } as const),
    ...({ high_discrimination: 'info', extreme_difficulty: 'info', no_variance: 'info' } as const),
    ...({ too_few_per_outcome: 'info', imprecise: 'info', few_responses: 'info' } as const),
  },
  sortKeys: {
    difficulty: ({ difficulty }) => difficulty,
    discrimination: ({ discrimination }) => discrimination,
    n: ({ n }) => n,
  },
  example: {
    parameters: {},
    questions: EXAMPLE_QUESTIONS,
    responses: EXAMPLE_RESPONSES,
  },
  async run(input, parameters) {
    const { calibrateItems } = await import('./irt.ts');
    return calibrateItems(input, parameters);
  },
  plot: plotTestInformation,
  plots: { wright_map: plotWrightMap },
  plotQuestion: plotItemCurve,
});
