/** What can be set for the analysis of reliability, and what comes out. */
import Type, { type Static } from 'typebox';
import { Nullable } from '../../schemas/common.ts';
import { METHODS } from '../classical/covariances.ts';
import { Count, Figure, Interval, SCORE_KINDS, Share } from '../classical/schema-parts.ts';
import { Item } from '../define.ts';
import { RESPONSE_PARAMETERS } from '../shared/responses.ts';

export const LEVELS = ['too_little_data', 'low', 'modest', 'good', 'high'] as const;

export const parameters = Type.Object(
  {
    ...RESPONSE_PARAMETERS,
    min_cases: Type.Integer({
      minimum: 2,
      maximum: 1000,
      default: 30,
      description:
        'With fewer cases the figures are given but not judged. 30 is a common rule of thumb; see how wide the interval of alpha still is.',
    }),
    notable_rise: Type.Number({
      minimum: 0,
      maximum: 1,
      default: 0.01,
      description:
        'By how much alpha must rise without a question for it to be flagged. By default a step in the second decimal, the last one usually reported.',
    }),
  },
  { additionalProperties: false },
);
export type Parameters = Static<typeof parameters>;

const Score = Type.Object(
  {
    kind: Type.Enum([...SCORE_KINDS], {
      description: 'What the score of a case is: the number right where all were asked the same questions.',
    }),
    n: Count('Cases.'),
    mean: Figure('Mean.'),
    sd: Figure('Standard deviation; its variance divides by n − 1.'),
    median: Figure('Median.'),
    minimum: Figure('Lowest score.'),
    maximum: Figure('Highest score.'),
    skewness: Figure(
      'Skewness by k-statistics (G1 of Joanes & Gill 1998), as Moodle reports it; 0 if symmetric.',
    ),
    kurtosis: Figure(
      'Excess kurtosis by k-statistics (G2 of Joanes & Gill 1998), as Moodle reports it; 0 for a normal distribution.',
    ),
    histogram: Type.Object(
      {
        from: Type.Number({ description: 'Where the first bin begins.' }),
        step: Type.Number({ description: 'How wide each is.' }),
        counts: Type.Array(Type.Integer(), { description: 'Cases in each.' }),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false, description: 'The distribution of the scores of the cases used.' },
);

export const summary = Type.Object(
  {
    questions: Count('Questions of the run.'),
    questions_with_responses: Count('Of them, with a response.'),
    questions_without_responses: Count('Of them, without any.'),
    questions_used: Count('Questions the coefficients are about: those with responses that vary.'),
    questions_without_variance: Count(
      'Questions that all cases used got right, or all wrong. They count in the scores but not in the coefficients.',
    ),
    responses: Count('Responses, of whatever outcome.'),
    cases: Count('Cases with a response that counts.'),
    cases_used: Count('Cases the coefficients come from.'),
    method: Nullable(Type.Enum([...METHODS]), {
      description:
        'Where the covariances come from: from all cases, where each answered every question; from the complete ones, where they are at least 80 %; ' +
        'else for each pair of questions from the cases that answered both. Null where there are none.',
    }),
    least_shared_cases: Nullable(Type.Integer(), {
      description:
        'The fewest cases any two of the questions share; the interval is computed as if all had only so many.',
    }),
    mean_asked: Figure('Questions answered per case, on average.'),
    verdict: Type.Enum([...LEVELS], {
      description:
        'Alpha in words, by its value rounded to two decimals: low below 0.70, modest below 0.80, good below 0.90, and high (Nunnally & Bernstein 1994). It says nothing about what the test measures.',
    }),
    message: Type.String({ description: 'What that means, in a few sentences.' }),
    alpha: Figure(
      "Cronbach's alpha (1951): k / (k − 1) · (1 − Σ variances / variance of the total), over the questions that vary. As a percentage, it is Moodle's coefficient of internal consistency.",
    ),
    alpha_interval: Interval('95 % interval of alpha (Feldt 1965, by the F distribution).'),
    alpha_reason: Nullable(Type.String(), { description: 'Why alpha is null, where it is.' }),
    alpha_all_questions: Figure('The same formula with the questions that do not vary counted in k, too.'),
    alpha_of_questions_asked: Figure(
      'Where cases were asked different questions: alpha of a test as long as the mean case was asked (Spearman–Brown); else null.',
    ),
    standardized_alpha: Figure('Alpha if all questions had the same variance: k · r̄ / (1 + (k − 1) · r̄).'),
    kr20: Figure('Kuder & Richardson (1937), formula 20: for questions that are right or wrong it is alpha.'),
    kr21: Figure(
      'Kuder & Richardson (1937), formula 21, with the variance that divides by n: as if all questions were equally hard, so at most KR-20. Null where cases were asked different questions.',
    ),
    guttman_lambda2: Figure("Guttman's λ2 (1945): a lower bound of the reliability that is at least alpha."),
    guttman_lambda6: Figure(
      "Guttman's λ6 (1945) on correlations: 1 − Σ (1 − squared multiple correlation) / Σ correlations.",
    ),
    guttman_lambda6_reason: Nullable(Type.String(), { description: 'Why it is null, where it is.' }),
    split_half_correlation: Figure(
      'Correlation of the totals of every other question, odd with even, in the order of the questions.',
    ),
    split_half: Figure('The reliability of the whole from it (Spearman–Brown): 2r / (1 + r).'),
    standard_error_of_measurement: Figure(
      'Standard deviation of the total · √(1 − alpha), in questions right of all `questions_used`. It is Moodle’s standard error.',
    ),
    error_ratio: Figure(
      '√(1 − alpha): the standard error of measurement as a share of the standard deviation. As a percentage, it is Moodle’s error ratio.',
    ),
    average_inter_item_correlation: Figure('Mean correlation of all pairs of questions that vary.'),
    score: Score,
  },
  { additionalProperties: false },
);
export type Summary = Static<typeof summary>;

export const item = Item(['lowers_alpha', 'no_variance'], {
  question_text: Type.String(),
  n: Count('Cases with a response that counts.'),
  facility: Nullable(Share('Share right of them.')),
  used: Type.Boolean({ description: 'Whether it is one of the questions the coefficients are about.' }),
  alpha_if_deleted: Figure('Alpha of the other questions.'),
  alpha_rise: Figure('By how much alpha rises without it; negative where it falls.'),
  corrected_correlation: Figure(
    'Correlation with the total of the other questions (corrected item–total correlation).',
  ),
  squared_multiple_correlation: Figure('Share of its variance that the other questions explain together.'),
});
export type Row = Static<typeof item>;
