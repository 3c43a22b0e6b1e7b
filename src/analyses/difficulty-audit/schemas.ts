import type { Static } from 'typebox';
import { Nullable } from '../../schemas/common.ts';
import { Type } from '../../schemas/type.ts';
import { Item } from '../define.ts';
import { RESPONSE_PARAMETERS } from '../shared/responses.ts';
import { Count, closed, Statistic } from '../shared/schema-parts.ts';

const FLAGS = ['misrated_harder', 'misrated_easier', 'too_few'] as const;

const Difficulty = (description: string) => Type.Integer({ minimum: 0, maximum: 2, description });

export const Parameters = Type.Object(
  {
    ...RESPONSE_PARAMETERS,
    min_basic_facility: Type.Number({
      minimum: 0.01,
      maximum: 1,
      default: 0.7,
      description:
        'Questions with at least this facility are Basic. A convention: item analysis commonly calls facilities above 0.7 easy and below 0.3 or 0.4 hard. Set it to the meaning of your labels.',
    }),
    max_advanced_facility: Type.Number({
      minimum: 0.01,
      maximum: 0.99,
      default: 0.4,
      description:
        'Questions with a facility below this are Advanced; those up to `min_basic_facility` are Intermediate. A convention, like `min_basic_facility`.',
    }),
    significance: Type.Number({
      minimum: 0.001,
      maximum: 0.5,
      default: 0.05,
      description:
        'Significance level α; all confidence intervals have the level 1 − α. 0.05 by default: of 100 questions exactly on the bound of their band, about 3 are misrated by chance; well inside the band, hardly any.',
    }),
    min_responses: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      default: 10,
      description:
        'Questions with fewer scored responses are not judged. 10 by default: the 95 % confidence interval of a facility is then at most about half the scale wide, so gross mislabelling can be detected.',
    }),
  },
  closed,
);
export type Parameters = Static<typeof Parameters>;

const Agreement = (description: string) =>
  Type.Object(
    {
      n: Count('Questions.'),
      coefficient: Statistic('Null if undefined.'),
      p_value: Statistic('Two-sided, of the hypothesis that the coefficient is 0.'),
      reason: Nullable(Type.String(), {
        description: 'Why the coefficient, its interval or its p-value is null; null if none is.',
      }),
      low: Statistic('Lower bound of the confidence interval at level 1 − `significance`.'),
      high: Statistic('Upper bound.'),
    },
    { ...closed, description },
  );

const Level = Type.Object(
  {
    difficulty: Difficulty('The label.'),
    name: Type.String(),
    min_facility: Type.Number({ description: 'Lower bound of the band of the label.' }),
    max_facility: Type.Number({ description: 'Upper bound of the band.' }),
    questions: Count('Questions with this label and at least one scored response.'),
    judged: Count('Questions with at least `min_responses` scored responses.'),
    misrated_harder: Count('Judged questions that are harder than the label.'),
    misrated_easier: Count('Judged questions that are easier than the label.'),
    mean_facility: Statistic('Mean facility of the judged questions.'),
    lower_quartile: Statistic('Lower quartile of their facilities.'),
    median: Statistic('Median of their facilities.'),
    upper_quartile: Statistic('Upper quartile of their facilities.'),
  },
  closed,
);

export const Summary = Type.Object(
  {
    questions: Count('Questions of the run.'),
    questions_with_responses: Count('Questions with a response.'),
    judged: Count(
      'Questions with at least `min_responses` scored responses. The statistics below are about these.',
    ),
    too_few: Count('Questions with fewer scored responses.'),
    cases: Count('Cases with a scored response.'),
    responses: Count('Scored responses.'),
    same_questions: Type.Boolean({
      description: 'Whether every case has a score on every question that has scores.',
    }),
    misrated: Count('Judged questions whose whole confidence interval lies outside the band of their label.'),
    misrated_harder: Count('Misrated questions that are harder than the label.'),
    misrated_easier: Count('Misrated questions that are easier than the label.'),
    misrated_share: Statistic('Share of the judged questions that are misrated; null if none was judged.'),
    spearman: Agreement(
      'Rank correlation of label and facility (Spearman 1904). Negative if labels are valid, −1 for a perfect order. p-value by Student’s t, confidence interval by Bonett & Wright (2000).',
    ),
    kendall_tau_b: Agreement(
      'Kendall’s τ-b of label and facility (1945). Negative if labels are valid. p-value by the normal approximation, confidence interval by Fisher’s z with variance 0.437 / (n − 4) (Fieller, Hartley & Pearson 1957): rough, because of many ties in the labels.',
    ),
    kappa_quadratic: Agreement(
      'Cohen’s weighted κ (1968) of label and observed band, with quadratic weights: 1 is perfect agreement, 0 is chance. Standard error by Fleiss, Cohen & Everitt (1969).',
    ),
    kappa: Agreement(
      'Cohen’s unweighted κ (1960). Both κ are null if all labels, or all observed bands, are the same.',
    ),
    confusion: Type.Array(Type.Array(Count('Questions.')), {
      description:
        'Judged questions by label (rows) and observed band (columns), each Basic, Intermediate, Advanced.',
    }),
    levels: Type.Array(Level, { description: 'Statistics by label.' }),
  },
  closed,
);
export type Summary = Static<typeof Summary>;

export const Row = Item(FLAGS, {
  question_text: Type.String(),
  difficulty: Difficulty('The label: 0 Basic, 1 Intermediate, 2 Advanced.'),
  n: Count('Scored responses.'),
  correct: Count('Of `n`, correct.'),
  unanswered: Count(
    'Of `n`, without an answer but scored as wrong: omitted or not reached, by the parameters `omitted` and `not_reached`.',
  ),
  facility: Statistic('Proportion correct: correct / n. Null without a scored response.'),
  low: Statistic(
    'Lower bound of the confidence interval of the facility (Wilson 1927) at level 1 − `significance`.',
  ),
  high: Statistic('Upper bound.'),
  observed_difficulty: Nullable(Difficulty(''), {
    description: 'The difficulty whose band contains the facility.',
  }),
  suggested_difficulty: Nullable(Difficulty(''), {
    description: 'The observed difficulty if the question is misrated; else null.',
  }),
  suggestion_certain: Nullable(Type.Boolean(), {
    description:
      'Whether the whole confidence interval lies in the suggested band; null without a suggestion.',
  }),
  distance_from_band: Statistic(
    'The gap between the confidence interval and the band of the label; 0 if they overlap. Null if not judged.',
  ),
});
export type Row = Static<typeof Row>;
