import type { Static } from 'typebox';
import { Nullable } from '../../schemas/common.ts';
import { Type } from '../../schemas/type.ts';
import { Item } from '../define.ts';
import { RESPONSE_PARAMETERS } from '../shared/responses.ts';
import { Count, closed, Statistic } from '../shared/schema-parts.ts';
import { MIN_GROUP_CASES } from './mantel-haenszel.ts';
import { CRITERIA, ENDINGS } from './purification.ts';

export const MAX_GROUPS_LISTED = 20;

const FLAGS = [
  'dif_large',
  'dif_moderate',
  'nonuniform',
  'too_few',
  'no_estimate',
  'not_judged',
  'not_tested',
] as const;
export type Flag = (typeof FLAGS)[number];

const GroupName = (description: string) =>
  Nullable(Type.String({ minLength: 1, maxLength: 200 }), { default: null, description });

export const Parameters = Type.Object(
  {
    ...RESPONSE_PARAMETERS,
    reference: GroupName('The reference group. Null, the default: the largest group other than `focal`.'),
    focal: GroupName(
      'The focal group, to which a question might be unfair. Null, the default: the largest group other than the reference group.',
    ),
    purify: Type.Boolean({
      default: true,
      description:
        'Whether the matching criterion is purified: questions that show DIF are removed from it and all questions are tested again, until nothing changes. True by default, as recommended by Holland & Thayer (1988).',
    }),
    purify_by: Type.Enum([...CRITERIA], {
      default: 'auto',
      description:
        'Which questions purification removes: `significance`, those that are significant, as in the R package difR; `class`, those of class B and C. `auto`, the default: by significance up to 10,000 cases, by class in larger samples, where nearly every question is significant. Questions that are not judged stay in.',
    }),
    max_purification_rounds: Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 10,
      description: 'The maximum number of purification rounds. 10 by default, as in the R package difR.',
    }),
    significance: Type.Number({
      minimum: 0.0001,
      maximum: 0.2,
      default: 0.05,
      description:
        'Significance level of the tests of each question. 0.05 by default: the classes A, B and C are defined with it. See `adjust`.',
    }),
    adjust: Type.Enum(['false_discovery_rate', 'none'], {
      default: 'false_discovery_rate',
      description:
        'Whether the p-values behind the classes and the flag `nonuniform` are adjusted for the number of questions tested (Benjamini & Hochberg 1995). By default they are: of 40 questions without DIF, two are significant at 0.05 by chance. ' +
        '`none` gives the classes as ETS defines them, for one question.',
    }),
    continuity_correction: Type.Boolean({
      default: true,
      description:
        'Whether the Mantel-Haenszel test uses the continuity correction. True by default, as in Holland & Thayer (1988).',
    }),
    min_cases: Type.Integer({
      minimum: 1,
      maximum: 100_000,
      default: 100,
      description:
        'Questions with fewer cases in either group are flagged `too_few`. 100 by default, about the minimum of testing programmes; many require 200 and more (Zieky 1993, Zwick 2012).',
    }),
    min_items_per_case: Type.Integer({
      minimum: 2,
      maximum: 1000,
      default: 5,
      description:
        'If cases were asked different questions, those with fewer are dropped, because the matching criterion would be unreliable. 5 by default, the shortest test studied by Donoghue & Allen (1993).',
    }),
  },
  closed,
);
export type Parameters = Static<typeof Parameters>;

const Letter = (description: string) => Type.Enum(['A', 'B', 'C'], { description });

const GroupSummary = (description: string) =>
  Nullable(
    Type.Object(
      {
        group: Type.String(),
        cases: Count('Cases in the comparison.'),
        mean_proportion_correct: Statistic(
          'Mean proportion correct of the questions asked, for either kind of `matching`.',
        ),
        sd_proportion_correct: Statistic(
          'Standard deviation of the proportions (n − 1); null for a single case.',
        ),
      },
      closed,
    ),
    { description },
  );

export const Summary = Type.Object(
  {
    tested: Type.Boolean({ description: 'Whether at least one question could be judged.' }),
    reason: Nullable(Type.String(), { description: 'Why not; null if `tested`.' }),
    reference: GroupSummary('The reference group; null if there is none.'),
    focal: GroupSummary('The focal group; null if there is none.'),
    groups: Type.Array(Type.Object({ group: Type.String(), cases: Count('Cases with a score.') }, closed), {
      description: `Groups with responses to these questions, by descending size, at most ${MAX_GROUPS_LISTED}.`,
    }),
    cases_in_other_groups: Count('Cases of groups that are not compared.'),
    cases_without_group: Count('Cases without a group. They are left out.'),
    cases_below_min_items: Count('Cases dropped by `min_items_per_case`.'),
    matching: Nullable(Type.Enum(['number_correct', 'adjusted_proportion']), {
      description:
        'The matching criterion. `number_correct`: the total score, if all cases were asked the same questions. `adjusted_proportion`: the proportion correct, adjusted for the easiness of the questions asked.',
    }),
    anchor_questions: Count('Questions in the matching criterion after purification.'),
    questions: Count('Questions of the run.'),
    questions_with_responses: Count('Questions with a response.'),
    questions_tested: Count('Questions with enough cases to get a class.'),
    classes: Type.Object(
      { A: Count('Negligible or not significant.'), B: Count('Moderate.'), C: Count('Large.') },
      { ...closed, description: 'Questions by ETS class of DIF.' },
    ),
    favouring: Type.Object(
      {
        reference: Count('Easier for the reference group at the same score.'),
        focal: Count('Easier for the focal group at the same score.'),
      },
      { ...closed, description: 'Questions of class B and C by the group they favour.' },
    ),
    nonuniform: Count(
      'Questions with nonuniform DIF: the difference between the groups varies with the score.',
    ),
    too_few: Count('Judged questions with fewer than `min_cases` cases in a group.'),
    not_judged: Count(`Questions without a class because a group has fewer than ${MIN_GROUP_CASES} cases.`),
    purification_rounds: Count('Rounds of purification.'),
    purification_ending: Nullable(Type.Enum([...ENDINGS]), {
      description:
        '`converged`: the last round did not change the anchors. `cycle`: rounds began to repeat. `max_rounds`: `max_purification_rounds` was reached. `too_few_anchors`: fewer than two anchors would have been left. `disabled`: `purify` is false. Null if nothing was tested.',
    }),
  },
  closed,
);
export type Summary = Static<typeof Summary>;

const Side = (description: string) =>
  Type.Object(
    {
      n: Count('Cases of the group with a score.'),
      facility: Statistic('Proportion correct.'),
    },
    { ...closed, description },
  );

const testFields = {
  chi_squared: Type.Number({ description: 'Likelihood-ratio statistic: the reduction of the deviance.' }),
  p_value: Type.Number(),
  r_squared_change: Type.Number({ description: 'Increase of R² (Nagelkerke 1991).' }),
};
const Test = (description: string) => Type.Object(testFields, { ...closed, description });

const PAdjusted = Statistic(
  'p-value adjusted for the false discovery rate over all questions (Benjamini & Hochberg 1995). Null for questions without a class or without this test.',
);

const MantelHaenszel = Type.Object(
  {
    alpha: Statistic(
      'α, the common odds ratio (Mantel & Haenszel 1959): odds of a correct response in the reference group relative to the focal group, at the same score.',
    ),
    delta: Statistic('Δ = −2.35 ln α (Holland & Thayer 1988). Negative: harder for the focal group.'),
    delta_se: Statistic(
      'Standard error of Δ (Robins, Breslow & Greenland 1986; equal to Phillips & Holland 1987).',
    ),
    delta_low: Statistic(
      'Lower bound of the 95 % confidence interval of Δ: the values that the test with `p_value` does not reject (Cornfield 1956; Gart 1970), so that it excludes 0 if and only if `p_value` is below 0.05. Null if infinite.',
    ),
    delta_high: Statistic('Upper bound. Null if infinite.'),
    chi_squared: Statistic(
      'Test of α = 1, with 1 degree of freedom; with the continuity correction if `continuity_correction` is true.',
    ),
    chi_squared_uncorrected: Statistic('The same without the correction.'),
    p_value: Statistic('p-value of `chi_squared`.'),
    p_adjusted: PAdjusted,
  },
  { ...closed, description: 'If statistics are null, `reason` says why.' },
);

const LogisticRegression = Type.Object(
  {
    uniform: Test('Uniform DIF: group added to score. 1 degree of freedom.'),
    nonuniform: Type.Object(
      { ...testFields, p_adjusted: PAdjusted },
      {
        ...closed,
        description: 'Nonuniform DIF: score × group added to score and group. 1 degree of freedom.',
      },
    ),
    both: Type.Object(
      { ...testFields, p_adjusted: PAdjusted },
      { ...closed, description: 'Both terms added to score. 2 degrees of freedom.' },
    ),
    jodoin_gierl: Letter(
      'Effect size (Jodoin & Gierl 2001): A if `both` is not significant or the increase of R² is below 0.035, C from 0.07.',
    ),
    zumbo_thomas: Letter('The same with the bounds 0.13 and 0.26 (Zumbo & Thomas 1997).'),
    coefficients: Nullable(
      Type.Object(
        {
          intercept: Type.Number(),
          score: Type.Number({ description: 'Per point, or per stratum, of the matching criterion.' }),
          group: Type.Number({ description: 'Focal against reference group, at score 0.' }),
          score_by_group: Type.Number(),
        },
        closed,
      ),
      {
        description:
          'Coefficients of the full model, in logits. Null under separation, when no finite maximum-likelihood estimate exists; then the tests are limits, and no flag is based on them.',
      },
    ),
  },
  closed,
);

export const Row = Item(FLAGS, {
  question_text: Type.String(),
  class: Nullable(Letter(''), {
    description: `ETS class (Dorans & Holland 1993; Zieky 1993). A: |Δ| below 1 or not significant, by the adjusted p-value unless \`adjust\` is \`none\`. C: |Δ| of at least 1.5 and significantly above 1. B: otherwise. Null if not tested, or if a group has fewer than ${MIN_GROUP_CASES} cases: the confidence interval of Δ would span all classes.`,
  }),
  favours: Nullable(Type.String(), {
    description:
      'The group for which the question is easier at the same score; null if the Mantel-Haenszel test is not significant or there is no class.',
  }),
  reference: Side('The reference group.'),
  focal: Side('The focal group.'),
  mantel_haenszel: MantelHaenszel,
  standardized_difference: Statistic(
    'STD P-DIF (Dorans & Kulick 1986): proportion correct of the focal group minus that of the reference group at the same score, weighted by the focal group. Within ±0.05 negligible, beyond ±0.10 large.',
  ),
  strata: Count('Strata with cases of both groups.'),
  matched_cases: Count('Cases in these strata.'),
  anchor: Type.Boolean({
    description: 'Whether the question is part of the matching criterion of the other questions.',
  }),
  logistic: Nullable(LogisticRegression, {
    description: 'Logistic regression (Swaminathan & Rogers 1990).',
  }),
  logistic_reason: Nullable(Type.String(), {
    description: 'Why `logistic` or its coefficients are null; null if they are not.',
  }),
  reason: Nullable(Type.String(), { description: 'Why `class` or Δ is null; null if they are not.' }),
});
export type Row = Static<typeof Row>;
