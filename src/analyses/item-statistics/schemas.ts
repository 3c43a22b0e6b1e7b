/** What can be set for the item statistics, and what comes out. */
import Type, { type Static } from 'typebox';
import { Nullable } from '../../schemas/common.ts';
import { Count, Figure, Interval, SCORE_KINDS, Share } from '../classical/schema-parts.ts';
import { Item } from '../define.ts';
import { RESPONSE_PARAMETERS } from '../shared/responses.ts';

export const VERDICTS = ['check_key', 'revise', 'too_little_data', 'keep'] as const;
/** Flags that can be given without a look at the options. */
const PLAIN_FLAGS = [
  'negative_discrimination',
  'low_discrimination',
  'too_hard',
  'too_easy',
  'no_variance',
] as const;
const OPTION_FLAGS = ['likely_wrong_key', 'positive_distractor', 'dead_option'] as const;
export const FLAGS = [...PLAIN_FLAGS, ...OPTION_FLAGS] as const;
export const SCORE_GROUPS = 5;

const closed = { additionalProperties: false };

const Limit = (value: number, description: string) =>
  Type.Number({ minimum: 0, maximum: 1, default: value, description });

export const parameters = Type.Object(
  {
    ...RESPONSE_PARAMETERS,
    min_cases: Type.Integer({
      minimum: 4,
      maximum: 10_000,
      default: 30,
      description:
        'A question with fewer responses is not judged. 30 is a common rule of thumb; a discrimination of 0.20 then still has an interval from −0.17 to 0.52.',
    }),
    min_per_outcome: Type.Integer({
      minimum: 1,
      maximum: 10_000,
      default: 10,
      description:
        'Nothing is said of the discrimination of a question that fewer had right, or fewer wrong; nor is a wrong option said to be chosen by the better, or to look like the key, ' +
        'that fewer chose. By default 10, a rule of thumb for the normal approximation behind the intervals of correlations: with fewer in a category, a single case can decide.',
    }),
    min_facility: Limit(
      0.2,
      'Questions are too hard whose share right is surely below it. By default 0.2: what guessing reaches with five options.',
    ),
    max_facility: Limit(
      0.9,
      'Questions are too easy whose share right is surely above it. By default 0.9, from where Haladyna (2004) counts questions as easy.',
    ),
    min_discrimination: Type.Number({
      minimum: -1,
      maximum: 1,
      default: 0.2,
      description:
        'Questions discriminate too little whose corrected point-biserial correlation is surely below it. By default 0.20, below which Ebel (1972) calls questions poor.',
    }),
    dead_option_share: Limit(
      0.05,
      'A wrong option is dead that is chosen by less than this share of those who chose any. By default 0.05 (Haladyna & Downing 1993).',
    ),
    significance: Type.Number({
      exclusiveMinimum: 0,
      maximum: 0.5,
      default: 0.01,
      description:
        'How improbable it must be that those who chose another option are no better than those who chose the key, before the key is called likely wrong; ' +
        'divided by the number of wrong options. By default 0.01: there are many questions to be wrong about.',
    }),
  },
  closed,
);
export type Parameters = Static<typeof parameters>;

const FISHER =
  '95 % interval of it (Fisher’s z). Approximate for what is only yes or no, and poor with fewer than 10 cases in either category.';

const Option = Type.Object(
  {
    text: Type.String(),
    key: Type.Boolean({ description: 'Whether it is the right answer.' }),
    n: Count('Cases that chose it.'),
    share: Share('Of the cases that chose any option.'),
    upper: Figure('Share in the 27 % with the highest rest score.'),
    middle: Figure('Share in the 46 % between.'),
    lower: Figure('Share in the 27 % with the lowest.'),
    score_groups: Nullable(Type.Array(Figure('Share in the group.')), {
      description: 'Share in each fifth of the cases by rest score, lowest first: its trace line.',
    }),
    discrimination_n: Count(
      'Of n, the cases that have a rest score: those behind `point_biserial` and `mean_score`.',
    ),
    point_biserial: Figure('Correlation of choosing it, or another option, with the rest score.'),
    point_biserial_interval: Interval(FISHER),
    mean_score: Figure('Mean rest score of those who chose it.'),
  },
  closed,
);
export type Option = Static<typeof Option>;

const KeyEvidence = Type.Object(
  {
    option: Type.String({ description: 'The option that looks more like the right answer.' }),
    n: Count('Cases that chose it, of those that have a rest score.'),
    compared_with: Type.Enum(['those who chose the key', 'all who chose another option'], {
      description: 'The latter where fewer than 5 chose the key.',
    }),
    compared_n: Count('How many these are.'),
    upper: Type.Number({ description: 'Share of the best 27 % that chose it.' }),
    key_upper: Type.Number({ description: 'Share of the best 27 % that chose the key.' }),
    difference: Type.Number({
      description: 'By how much the mean rest score of those who chose it is higher.',
    }),
    t: Type.Number({ description: 'Welch’s t of the difference.' }),
    degrees_of_freedom: Type.Number(),
    p_value: Type.Number({ description: 'One-sided.' }),
  },
  closed,
);
export type KeyEvidence = Static<typeof KeyEvidence>;

export const item = Item(FLAGS, {
  question_text: Type.String(),
  verdict: Type.Enum([...VERDICTS], { description: 'What to do with the question; the message says why.' }),
  n: Count('Cases with a response that counts, as right or wrong.'),
  right: Count('Of them, right.'),
  wrong: Count('Responses that were wrong: an answer, and not the right one.'),
  omitted: Count('Cases that saw it and left it out.'),
  not_reached: Count('Cases that did not reach it.'),
  facility: Nullable(Share('Share right of n.')),
  facility_interval: Interval('95 % interval of it (Wilson 1927).'),
  discrimination_n: Count(
    'Cases behind the figures of discrimination: those of n that were asked another question, too.',
  ),
  discrimination_right: Count('Of discrimination_n, right; the others are wrong.'),
  discrimination_reason: Nullable(Type.String(), {
    description: 'Why there are none, where there are none.',
  }),
  point_biserial: Figure(
    'Correlation of the question with the score, the question included: too high in short tests.',
  ),
  point_biserial_interval: Interval(FISHER),
  corrected_point_biserial: Figure(
    'Correlation of the question with the score on the others (rest score): what the verdict looks at.',
  ),
  corrected_point_biserial_interval: Interval(FISHER),
  biserial: Figure('point_biserial · √(p (1 − p)) / ordinate of the normal curve at p. May exceed 1.'),
  upper_lower: Figure(
    'D: share right in the best 27 % less that in the worst 27 % by score (Kelley 1939). Cases with equal scores at the border are in the group in equal parts.',
  ),
  upper_lower_interval: Interval(
    '95 % interval of it (Newcombe 1998), as of two groups of so many cases. Approximate: the score by which they were chosen includes the question.',
  ),
  upper_lower_n: Count('Cases in each of the two groups.'),
  discrimination_index: Figure(
    'Moodle’s discrimination index in percent: 100 · corrected point-biserial correlation.',
  ),
  discriminative_efficiency: Figure(
    'Moodle’s discriminative efficiency in percent: covariance with the rest score beside the greatest possible with these marks.',
  ),
  effective_weight: Figure(
    'Moodle’s effective weight in percent: how much of the differences in the total comes from this question. Null where it is negative or not all were asked the same questions.',
  ),
  alpha_if_deleted: Figure('Cronbach’s alpha of the other questions.'),
  option_n: Nullable(Type.Integer(), { description: 'Cases that chose one of the options of today.' }),
  other_answers: Nullable(Type.Integer(), {
    description:
      'Cases whose answer is none of the options of today, or of whom only right or wrong is known.',
  }),
  options: Nullable(Type.Array(Option), {
    description:
      'The options; null where there are none, where nobody is known to have chosen one, and without the right to see answers.',
  }),
  score_groups: Nullable(
    Type.Array(Type.Object({ n: Count('Cases.'), mean_score: Figure('Mean rest score.') }, closed)),
    { description: 'The fifths of the cases that `score_groups` of the options are about, lowest first.' },
  ),
  key_evidence: Nullable(KeyEvidence, {
    description:
      'What speaks for another option than the key, whether or not it is enough; null where nothing does.',
  }),
});
export type Row = Static<typeof item>;

const counts = <const T extends string>(names: readonly T[], description: string) =>
  Type.Object(
    Object.fromEntries(names.map((name) => [name, Count('Questions.')])) as Record<
      T,
      ReturnType<typeof Count>
    >,
    { ...closed, description },
  );

export const summary = Type.Object(
  {
    questions: Count('Questions of the run.'),
    questions_with_responses: Count('Of them, with a response.'),
    questions_without_responses: Count('Of them, without any; they have no row.'),
    cases: Count('Cases with a response that counts.'),
    responses: Count('Responses, of whatever outcome.'),
    score: Type.Enum([...SCORE_KINDS], {
      description:
        'What the score of a case is: the number right where all were asked the same questions; else the share right of those the case was asked. The rest score is the same without the question at hand.',
    }),
    mean_score: Figure('Mean score of the cases.'),
    mean_facility: Figure('Mean of the shares right of the questions.'),
    mean_discrimination: Figure('Mean of the corrected point-biserial correlations.'),
    alpha: Figure('Cronbach’s alpha; the analysis `reliability` says more.'),
    alpha_reason: Nullable(Type.String(), { description: 'Why alpha is null, where it is.' }),
    verdicts: counts(VERDICTS, 'Questions by verdict.'),
    flags: counts(FLAGS, 'Questions by flag; those about options are 0 without the right to see answers.'),
    limits: Type.Object(
      {
        min_facility: Type.Number(),
        max_facility: Type.Number(),
        min_discrimination: Type.Number(),
      },
      { ...closed, description: 'What the questions were measured by.' },
    ),
  },
  closed,
);
export type Summary = Static<typeof summary>;
