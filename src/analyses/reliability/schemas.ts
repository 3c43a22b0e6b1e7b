import type { Static } from 'typebox';
import { Nullable } from '../../schemas/common.ts';
import { Type } from '../../schemas/type.ts';
import { METHODS } from '../classical/covariances.ts';
import { Item } from '../define.ts';
import { RESPONSE_PARAMETERS } from '../shared/responses.ts';
import { Count, closed, Interval, Proportion, SCORE_KINDS, Statistic } from '../shared/schema-parts.ts';

export const LEVELS = ['too_little_data', 'low', 'modest', 'good', 'high'] as const;

export const Parameters = Type.Object(
  {
    ...RESPONSE_PARAMETERS,
    min_cases: Type.Integer({
      minimum: 2,
      maximum: 1000,
      default: 30,
      description:
        'With fewer cases, coefficients are reported but not judged. 30 is a common rule of thumb; check the width of the confidence interval of alpha.',
    }),
    min_alpha_rise: Type.Number({
      minimum: 0,
      maximum: 1,
      default: 0.01,
      description:
        'A question is flagged if alpha rises by at least this much without it. By default one step in the second decimal, the last one usually reported.',
    }),
  },
  closed,
);
export type Parameters = Static<typeof Parameters>;

const Score = Type.Object(
  {
    kind: Type.Enum([...SCORE_KINDS], {
      description:
        'The score of a case: number correct if all cases were asked the same questions, else the proportion correct of the questions asked.',
    }),
    n: Count('Cases.'),
    mean: Statistic('Mean.'),
    sd: Statistic('Standard deviation (n − 1).'),
    median: Statistic('Median.'),
    min: Statistic('Lowest score.'),
    max: Statistic('Highest score.'),
    skewness: Statistic(
      'Skewness from k-statistics (G1 of Joanes & Gill 1998), as in Moodle; 0 if symmetric.',
    ),
    kurtosis: Statistic(
      'Excess kurtosis from k-statistics (G2 of Joanes & Gill 1998), as in Moodle; 0 for a normal distribution.',
    ),
    histogram: Type.Object(
      {
        from: Type.Number({ description: 'Lower bound of the first bin.' }),
        step: Type.Number({ description: 'Width of a bin.' }),
        counts: Type.Array(Type.Integer(), { description: 'Cases per bin.' }),
      },
      closed,
    ),
  },
  { ...closed, description: 'The distribution of the scores of the cases used.' },
);

export const Summary = Type.Object(
  {
    questions: Count('Questions of the run.'),
    questions_with_responses: Count('Questions with a response.'),
    questions_without_responses: Count('Questions without a response. They have no row.'),
    questions_used: Count('Questions behind the coefficients: those with variance.'),
    questions_without_variance: Count(
      'Questions that all cases used answered correctly, or all incorrectly. They are part of the scores but not of the coefficients.',
    ),
    responses: Count('Responses of any outcome.'),
    cases: Count('Cases with a scored response.'),
    cases_used: Count('Cases behind the coefficients.'),
    method: Nullable(Type.Enum([...METHODS]), {
      description:
        'How covariances treat missing responses. `all_cases`: none are missing. `listwise`: incomplete cases are dropped, if at least 80 % are complete. ' +
        '`pairwise`: each pair of questions uses the cases that answered both. Null without coefficients.',
    }),
    min_shared_cases: Nullable(Type.Integer(), {
      description:
        'The smallest number of cases that two questions share. The confidence interval is computed with this sample size.',
    }),
    mean_items_per_case: Statistic('Mean number of scored questions per case.'),
    verdict: Type.Enum([...LEVELS], {
      description:
        'Grade of alpha, rounded to two decimals: low below 0.70, modest below 0.80, good below 0.90, else high (Nunnally & Bernstein 1994).',
    }),
    message: Type.String({ description: 'The verdict, in a few sentences.' }),
    alpha: Statistic(
      "Cronbach's alpha (1951): k / (k − 1) · (1 − Σ variances / variance of the total), over the questions with variance. In percent, it is Moodle's coefficient of internal consistency.",
    ),
    alpha_interval: Interval('95 % confidence interval of alpha (Feldt 1965, F distribution).'),
    alpha_reason: Nullable(Type.String(), { description: 'Why alpha is null; null if it is not.' }),
    alpha_all_questions: Statistic('Alpha with questions without variance counted in k.'),
    alpha_at_mean_length: Statistic(
      'With `pairwise`: alpha of a test of the mean length a case was asked (Spearman-Brown); else null.',
    ),
    standardized_alpha: Statistic('Alpha if all questions had the same variance: k · r̄ / (1 + (k − 1) · r̄).'),
    kr20: Statistic('Kuder & Richardson (1937), formula 20. Equal to alpha for dichotomous scores.'),
    kr21: Statistic(
      'Kuder & Richardson (1937), formula 21, with the variance that divides by n. Assumes equal facilities, so at most KR-20. Null with `pairwise`.',
    ),
    guttman_lambda2: Statistic(
      "Guttman's λ2 (1945): a lower bound of the reliability that is at least alpha.",
    ),
    guttman_lambda6: Statistic(
      "Guttman's λ6 (1945) on correlations: 1 − Σ (1 − squared multiple correlation) / Σ correlations.",
    ),
    guttman_lambda6_reason: Nullable(Type.String(), { description: 'Why λ6 is null; null if it is not.' }),
    split_half_correlation: Statistic(
      'Correlation of the totals of odd and even questions, in order of the questions.',
    ),
    split_half: Statistic('Odd-even split-half reliability (Spearman-Brown): 2r / (1 + r).'),
    standard_error_of_measurement: Statistic(
      'Standard deviation of the total · √(1 − alpha), in questions correct of `questions_used`. Moodle’s standard error.',
    ),
    error_ratio: Statistic(
      '√(1 − alpha): the standard error of measurement relative to the standard deviation. In percent, it is Moodle’s error ratio.',
    ),
    average_inter_item_correlation: Statistic('Mean correlation of all pairs of questions with variance.'),
    score: Score,
  },
  closed,
);
export type Summary = Static<typeof Summary>;

export const Row = Item(['lowers_alpha', 'no_variance'], {
  question_text: Type.String(),
  n: Count('Scored responses.'),
  facility: Nullable(Proportion('Proportion correct.')),
  used: Type.Boolean({ description: 'Whether the coefficients include the question.' }),
  alpha_if_deleted: Statistic('Alpha of the other questions.'),
  alpha_rise: Statistic('Alpha if deleted minus alpha.'),
  corrected_item_total_correlation: Statistic('Correlation with the total of the other questions.'),
  squared_multiple_correlation: Statistic('Proportion of its variance explained by the other questions.'),
});
export type Row = Static<typeof Row>;
