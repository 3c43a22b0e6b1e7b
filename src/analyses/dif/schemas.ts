/** What an analysis of differential item functioning says, as schemas. */
import Type, { type Static } from 'typebox';
import { Nullable } from '../../schemas/common.ts';
import { Item } from '../define.ts';
import { FEWEST_TO_JUDGE } from './mantel-haenszel.ts';
import { ENDINGS } from './purify.ts';

export const GROUPS_LISTED = 20;

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

const closed = { additionalProperties: false };
const Count = (description: string) => Type.Integer({ minimum: 0, description });
const Figure = (description: string) => Nullable(Type.Number(), { description });
const Letter = (description: string) => Type.Enum(['A', 'B', 'C'], { description });

const GroupSummary = (description: string) =>
  Nullable(
    Type.Object(
      {
        group: Type.String(),
        cases: Count('Cases of the group that take part.'),
        mean_share: Figure(
          'Mean over its cases of the share right of the questions asked, from 0 to 1, whatever `matching` is.',
        ),
        sd_share: Figure('Standard deviation of these shares (n − 1); null for a single case.'),
      },
      closed,
    ),
    { description },
  );

export const Summary = Type.Object(
  {
    tested: Type.Boolean({ description: 'Whether two groups could be compared on one question at least.' }),
    reason: Nullable(Type.String(), { description: 'Why not, in a sentence; null where they could.' }),
    reference: GroupSummary('The group compared with; null if there is none.'),
    focal: GroupSummary('The group studied; null if there is none.'),
    groups: Type.Array(Type.Object({ group: Type.String(), cases: Count('Cases with a score.') }, closed), {
      description: `Groups with responses to these questions, the largest first, at most ${GROUPS_LISTED}.`,
    }),
    cases_in_other_groups: Count('Cases of groups that are not compared; they are left out.'),
    cases_without_group: Count('Cases that have no group; they are left out.'),
    cases_too_short: Count('Cases that were asked too few questions to be matched; they are left out.'),
    matching: Nullable(Type.Enum(['number_right', 'adjusted_share']), {
      description:
        'What cases are matched by. `number_right`: the total score, where all were asked the same. `adjusted_share`: the share right of the questions asked, corrected for how easy these were.',
    }),
    matching_questions: Count('Questions that make up the matching score of all, after purification.'),
    questions: Count('Questions of the run.'),
    questions_with_responses: Count('Of them, with at least one response.'),
    questions_tested: Count('Of them, that were tested on enough cases to get a class.'),
    classes: Type.Object(
      { A: Count('Negligible or not significant.'), B: Count('Moderate.'), C: Count('Large.') },
      { ...closed, description: 'Questions by their class of DIF in use at ETS.' },
    ),
    favouring: Type.Object(
      {
        reference: Count('Easier for the reference group at the same score.'),
        focal: Count('Easier for the focal group at the same score.'),
      },
      { ...closed, description: 'Questions of class B and C by the group they favour.' },
    ),
    nonuniform: Count('Questions whose difference between the groups changes with the score.'),
    too_few: Count('Questions tested on fewer cases than `min_cases` in one of the groups.'),
    not_judged: Count(
      `Questions that got no class since fewer than ${FEWEST_TO_JUDGE} cases of one of the groups were asked them.`,
    ),
    purification_rounds: Count('How often the matching score was made anew without the questions found.'),
    purification_ending: Nullable(Type.Enum([...ENDINGS]), {
      description:
        '`converged`: the last round found the same questions as the one before. `cycle`: rounds began to repeat. `limit`: `max_purification_rounds` was reached. `too_few_left`: fewer than two questions would have been left to match by. `not_asked_for`: `purify` is false. Null where nothing was tested.',
    }),
  },
  closed,
);
export type Summary = Static<typeof Summary>;

const Side = (description: string) =>
  Type.Object(
    {
      n: Count('Cases of the group that were asked the question.'),
      facility: Figure('The share of them that have it right.'),
    },
    { ...closed, description },
  );

const testFields = {
  chi_squared: Type.Number({ description: 'The fall of the deviance.' }),
  p_value: Type.Number(),
  r_squared_change: Type.Number({ description: 'The rise of R² (Nagelkerke 1991).' }),
};
const Test = (description: string) => Type.Object(testFields, { ...closed, description });

const PAdjusted = Figure(
  'The p-value adjusted for the number of questions tested (null for those not judged or without this test): below q, at most a share q of the questions so found is expected to be found by chance (Benjamini & Hochberg 1995).',
);

const MantelHaenszel = Type.Object(
  {
    alpha: Figure(
      'α, the common odds ratio (Mantel & Haenszel 1959): how many times as high the odds of a right answer are for the reference group as for the focal group at the same score.',
    ),
    delta: Figure(
      'Δ = −2.35 ln α (Holland & Thayer 1988): the difference in difficulty. Negative: harder for the focal group.',
    ),
    delta_se: Figure(
      'Standard error of Δ (Robins, Breslow & Greenland 1986; the same as Phillips & Holland 1987).',
    ),
    delta_low: Figure('Lower end of the 95 % interval of Δ.'),
    delta_high: Figure('Upper end of it.'),
    chi_squared: Figure(
      'The test of α = 1, with 1 degree of freedom; with the continuity correction if `correction` is true.',
    ),
    chi_squared_uncorrected: Figure('The same without the correction.'),
    p_value: Figure('Of `chi_squared`.'),
    p_adjusted: PAdjusted,
  },
  { ...closed, description: 'Null figures have their reason in `reason`.' },
);

const Logistic = Type.Object(
  {
    uniform: Test(
      'The group added to the score: a difference that is the same at every score. 1 degree of freedom.',
    ),
    nonuniform: Test(
      'Score × group added to both: a difference that changes with the score. 1 degree of freedom.',
    ),
    both: Type.Object(
      { ...testFields, p_adjusted: PAdjusted },
      { ...closed, description: 'Both added to the score. 2 degrees of freedom.' },
    ),
    jodoin_gierl: Letter(
      'Class of the effect (Jodoin & Gierl 2001): A if `both` is not significant or the rise of R² is below 0.035, C from 0.07 on.',
    ),
    zumbo_thomas: Letter('The same with the bounds 0.13 and 0.26 (Zumbo & Thomas 1997).'),
    coefficients: Nullable(
      Type.Object(
        {
          intercept: Type.Number(),
          score: Type.Number({ description: 'Per point, or per step, of the matching score.' }),
          group: Type.Number({ description: 'Focal against reference group, at score 0.' }),
          score_by_group: Type.Number(),
        },
        closed,
      ),
      {
        description:
          'Of the model with all terms, in logits. Null where right and wrong are parted so cleanly that no finite values fit best; `logistic_reason` says so, the tests are those of the limit, and no flag rests on them.',
      },
    ),
  },
  closed,
);

export const Row = Item(FLAGS, {
  question_text: Type.String(),
  class: Nullable(Letter(''), {
    description: `Class in use at ETS (Dorans & Holland 1993; Zieky 1993). A: |Δ| below 1 or not significant. C: |Δ| of 1.5 or more, and significantly above 1. B: between. Null if not tested, or not judged because fewer than ${FEWEST_TO_JUDGE} cases of one of the groups were asked it: the interval of Δ would then span all classes.`,
  }),
  favours: Nullable(Type.String(), {
    description:
      'The group for which the question is easier at the same score; null where the Mantel-Haenszel test is not significant, or there is no class.',
  }),
  reference: Side('The reference group.'),
  focal: Side('The focal group.'),
  mantel_haenszel: MantelHaenszel,
  standardized_difference: Figure(
    'Share right of the focal group minus that of the reference group at the same score, averaged over the scores of the focal group (STD P-DIF, Dorans & Kulick 1986). From −0.05 to 0.05 is taken for negligible, beyond ±0.10 for large.',
  ),
  strata: Count('Scores at which there are cases of both groups.'),
  matched_cases: Count('Cases at these scores: only they say something.'),
  in_matching: Type.Boolean({
    description: 'Whether the question is part of the matching score of the others.',
  }),
  logistic: Nullable(Logistic, { description: 'Logistic regression (Swaminathan & Rogers 1990).' }),
  logistic_reason: Nullable(Type.String(), {
    description: 'Why `logistic`, or its coefficients, are null, where they are.',
  }),
  reason: Nullable(Type.String(), { description: 'Why there is no class or no Δ, where there is none.' }),
});
export type Row = Static<typeof Row>;
