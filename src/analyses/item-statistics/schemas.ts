import type { Static } from 'typebox';
import { CONTAINS_ANSWERS } from '../../schemas/answers.ts';
import { Nullable } from '../../schemas/common.ts';
import { Type } from '../../schemas/type.ts';
import { Item } from '../define.ts';
import { RESPONSE_PARAMETERS } from '../shared/responses.ts';
import { Count, closed, Interval, Proportion, SCORE_KINDS, Statistic } from '../shared/schema-parts.ts';

/** In order of urgency. */
export const VERDICTS = ['check_key', 'revise', 'watch', 'too_little_data', 'keep'] as const;
/** Flags that do not depend on options, and so are shown without answers, too. */
const ITEM_FLAGS = [
  'negative_discrimination',
  'low_discrimination',
  'too_hard',
  'too_easy',
  'no_variance',
] as const;
const OPTION_FLAGS = ['likely_wrong_key', 'positive_distractor', 'nonfunctioning_distractor'] as const;
export const FLAGS = [...ITEM_FLAGS, ...OPTION_FLAGS] as const;
/** The number of score groups of a trace line. */
export const SCORE_GROUPS = 5;

const Threshold = (value: number, description: string) =>
  Type.Number({ minimum: 0, maximum: 1, default: value, description });

export const Parameters = Type.Object(
  {
    ...RESPONSE_PARAMETERS,
    min_cases: Type.Integer({
      minimum: 4,
      maximum: 10_000,
      default: 30,
      description:
        'A question with fewer scored responses is not judged. 30 is a common rule of thumb; a discrimination of 0.20 then still has a confidence interval from −0.17 to 0.52.',
    }),
    min_per_outcome: Type.Integer({
      minimum: 1,
      maximum: 10_000,
      default: 10,
      description:
        'Discrimination is judged only with at least this many correct and this many incorrect responses; a distractor is flagged for its discrimination, or as likely key, ' +
        'only if at least this many chose it. By default 10, a rule of thumb for the normal approximation behind the confidence intervals of correlations.',
    }),
    min_facility: Threshold(
      0.2,
      'A question is too hard if the confidence interval of its facility lies below this. By default 0.2: guessing among five options.',
    ),
    max_facility: Threshold(
      0.9,
      'A question is too easy if the confidence interval of its facility lies above this. By default 0.9, where Haladyna (2004) begins to call questions easy.',
    ),
    min_discrimination: Type.Number({
      minimum: -1,
      maximum: 1,
      default: 0.2,
      description:
        'Discrimination is too low if the confidence interval of the corrected point-biserial correlation lies below this. By default 0.20; Ebel (1972) calls lower values poor.',
    }),
    min_distractor_share: Threshold(
      0.05,
      'A distractor is non-functioning if a smaller share of those who chose any option chose it. By default 0.05 (Haladyna & Downing 1993).',
    ),
    min_distractor_correlation: Threshold(
      0.1,
      'A distractor is flagged `positive_distractor` only if its correlation with the rest score is at least this. By default 0.10, a small effect by Cohen (1988): smaller ones are of no practical importance.',
    ),
    min_proposal_cases: Type.Integer({
      minimum: 2,
      maximum: 10_000,
      default: 3,
      description:
        'A wrong answer to a question without options is proposed for acceptance only if at least this many cases gave it. By default 3: fewer may ' +
        'be one group of friends, and could reveal a person.',
    }),
    significance: Type.Number({
      exclusiveMinimum: 0,
      maximum: 0.5,
      default: 0.01,
      description:
        'Significance level of the test for a wrong key: that those who chose a distractor score higher on the other questions than those who chose the key. ' +
        'Divided by the number of distractors (Bonferroni). By default 0.01, because many questions are tested.',
    }),
  },
  closed,
);
export type Parameters = Static<typeof Parameters>;

const FISHER_INTERVAL =
  '95 % confidence interval (Fisher’s z). Approximate for dichotomous scores, and poor with fewer than 10 cases in either category.';

const Option = Type.Object(
  {
    text: Type.String(),
    key: Type.Boolean({ description: 'Whether it is the key.' }),
    n: Count('Cases that chose it.'),
    share: Proportion(
      'Of the cases that chose any option. Where several can be chosen, the shares add up to more than 1.',
    ),
    upper: Statistic('Share in the upper 27 % by rest score.'),
    middle: Statistic('Share in the middle 46 %.'),
    lower: Statistic('Share in the lower 27 %.'),
    score_groups: Nullable(Type.Array(Statistic('Share in the group.')), {
      description: 'Trace line: share in each fifth of the cases by rest score, lowest first.',
    }),
    discrimination_n: Count(
      'Of `n`, the cases with a rest score, on which `point_biserial` and `mean_score` are based.',
    ),
    point_biserial: Statistic('Correlation of choosing this option with the rest score.'),
    point_biserial_interval: Interval(FISHER_INTERVAL),
    p_adjusted: Statistic(
      'p-value of the one-sided test that the correlation of a distractor is positive (Fisher’s z), adjusted for the false discovery rate over all distractors tested in the run ' +
        '(Benjamini & Hochberg 1995). Null for the key, and for distractors that too few chose.',
    ),
    mean_score: Statistic('Mean rest score of those who chose it.'),
  },
  closed,
);
export type Option = Static<typeof Option>;

const ProposedAnswer = Type.Object(
  {
    answer: Type.String({ description: 'In the spelling that most cases gave.' }),
    n: Count('Cases that gave it.'),
    mean_score: Statistic('Mean rest score of those who gave it.'),
    reasons: Type.Array(Type.Enum(['typing', 'spelling', 'contains_key', 'high_scores']), {
      description:
        '`typing`: differs from a correct answer in an article, in punctuation or diacritics. `spelling`: in one letter, or in two of a long ' +
        'word. `contains_key`: contains a correct answer. `high_scores`: those who gave it score as high on the other questions as those who ' +
        'answered correctly.',
    }),
  },
  closed,
);
export type ProposedAnswer = Static<typeof ProposedAnswer>;

const COMPARISONS = ['key', 'all_other_options'] as const;

const KeyEvidence = Type.Object(
  {
    option: Type.String({ description: 'The distractor that behaves like a key.' }),
    key: Type.String({
      description:
        'The key that it is compared with: of several, the one that correlates least with the rest score.',
    }),
    n: Count(
      'Cases with a rest score that chose it; of several options, without those that chose the key as well.',
    ),
    compared_with: Type.Enum([...COMPARISONS], {
      description:
        'The comparison group: those who chose the key or, if these are fewer than 10, all who chose another option.',
    }),
    compared_n: Count('Cases in the comparison group.'),
    upper: Type.Number({ description: 'Share of the upper 27 % that chose the distractor.' }),
    key_upper: Type.Number({ description: 'Share of the upper 27 % that chose the key.' }),
    difference: Type.Number({
      description: 'Mean rest score of those who chose the distractor minus that of the comparison group.',
    }),
    t: Type.Number({ description: 'Welch’s t of the difference.' }),
    degrees_of_freedom: Type.Number(),
    p_value: Type.Number({ description: 'One-sided.' }),
  },
  closed,
);
export type KeyEvidence = Static<typeof KeyEvidence>;

export const Row = Item(FLAGS, {
  question_text: Type.String(),
  verdict: Type.Enum([...VERDICTS], {
    description: 'The recommended action; the message gives the reason.',
  }),
  n: Count('Scored responses.'),
  correct: Count('Of `n`, correct.'),
  incorrect: Count('Responses with an incorrect answer.'),
  omitted: Count('Cases that saw the question and did not answer it.'),
  not_reached: Count('Cases that did not reach the question.'),
  facility: Nullable(Proportion('Proportion correct: correct / n.')),
  facility_interval: Interval('95 % confidence interval of the facility (Wilson 1927).'),
  discrimination_n: Count(
    'Cases behind the discrimination statistics: those of `n` with a score on another question.',
  ),
  discrimination_correct: Count('Of `discrimination_n`, correct.'),
  discrimination_reason: Nullable(Type.String(), {
    description: 'Why the discrimination statistics are null; null if they are not.',
  }),
  point_biserial: Statistic(
    'Correlation with the total score, the question included. Inflated in short tests.',
  ),
  point_biserial_interval: Interval(FISHER_INTERVAL),
  corrected_point_biserial: Statistic(
    'Correlation with the rest score (the score on the other questions). The verdict is based on it.',
  ),
  corrected_point_biserial_interval: Interval(FISHER_INTERVAL),
  biserial: Statistic('point_biserial · √(p (1 − p)) / ordinate of the normal curve at p. May exceed 1.'),
  upper_lower: Statistic(
    'Upper-lower discrimination index D: facility in the upper 27 % minus facility in the lower 27 % by score (Kelley 1939). Ties at a boundary count fractionally.',
  ),
  upper_lower_interval: Interval(
    '95 % confidence interval of D (Newcombe 1998), treating the groups as independent samples. Approximate: the score that forms the groups includes the question.',
  ),
  upper_lower_n: Count('Cases in each of the two groups.'),
  discrimination_index: Statistic(
    'Moodle’s discrimination index in percent: 100 · corrected point-biserial correlation.',
  ),
  discriminative_efficiency: Statistic(
    'Moodle’s discriminative efficiency in percent: covariance with the rest score relative to the maximum possible with these scores.',
  ),
  effective_weight: Statistic(
    'Moodle’s effective weight in percent: the question’s contribution to the variance of the total. Null if it is negative or cases were asked different questions.',
  ),
  alpha_if_deleted: Statistic('Cronbach’s alpha of the other questions.'),
  option_n: Nullable(Type.Integer(), { description: 'Cases that chose one of the current options.' }),
  option_discrimination_n: Nullable(Type.Integer(), {
    description: 'Of `option_n`, the cases with a rest score.',
  }),
  other_answers: Nullable(Type.Integer(), {
    description:
      'Cases whose answer is not a current option, or of whom only correct or incorrect was recorded.',
  }),
  options: Nullable(Type.Array(Option), {
    description: 'Null for an open question, if no choices were recorded, and without answers.',
  }),
  score_groups: Nullable(
    Type.Array(Type.Object({ n: Count('Cases.'), mean_score: Statistic('Mean rest score.') }, closed)),
    { description: 'The fifths of the cases behind the trace lines of the options, lowest first.' },
  ),
  key_evidence: Nullable(KeyEvidence, {
    description:
      'The strongest evidence for another key, significant or not. Null if there is none, and without answers.',
  }),
  proposed_answers: Nullable(Type.Array(ProposedAnswer), {
    ...CONTAINS_ANSWERS,
    description:
      'Wrong answers to a question without options that may be worth accepting (`accepted_answers`), most frequent first. Null for other ' +
      'questions, and without answers.',
  }),
});
export type Row = Static<typeof Row>;
/** A row before it is judged. */
export type ItemStatistics = Omit<Row, 'verdict' | 'flags' | 'message'>;

const CountsBy = <const T extends string>(names: readonly T[], description: string) =>
  Type.Object(
    Object.fromEntries(names.map((name) => [name, Count('Questions.')])) as Record<
      T,
      ReturnType<typeof Count>
    >,
    { ...closed, description },
  );

export const Summary = Type.Object(
  {
    questions: Count('Questions of the run.'),
    questions_with_responses: Count('Questions with a response.'),
    questions_without_responses: Count('Questions without a response. They have no row.'),
    cases: Count('Cases with a scored response.'),
    responses: Count('Responses of any outcome.'),
    score: Type.Enum([...SCORE_KINDS], {
      description:
        'The score of a case: number correct if all cases were asked the same questions, else the proportion correct of the questions asked. The rest score is the same without the question at hand.',
    }),
    mean_score: Statistic('Mean score of the cases.'),
    mean_facility: Statistic('Mean facility of the questions.'),
    mean_discrimination: Statistic('Mean corrected point-biserial correlation.'),
    alpha: Statistic('Cronbach’s alpha. The analysis `reliability` has its confidence interval and more.'),
    alpha_reason: Nullable(Type.String(), { description: 'Why alpha is null; null if it is not.' }),
    independence_p: Statistic(
      'p-value of the hypothesis that no two questions correlate (Steiger 1980). From 0.01 on, a warning says that there is no common score. Null if too few cases answered all questions.',
    ),
    direction_uncertain: Type.Boolean({
      description:
        'Whether questions correlate, and a third or more of the questions correlate negatively with the others. The direction of the score is then uncertain: the wrong keys may be those of the other questions.',
    }),
    distractors_tested: Count('Distractors tested for a positive correlation. 0 without answers.'),
    verdicts: CountsBy(VERDICTS, 'Questions by verdict.'),
    flags: CountsBy(FLAGS, 'Questions by flag. Flags of options are 0 without answers.'),
    limits: Type.Object(
      {
        min_facility: Type.Number(),
        max_facility: Type.Number(),
        min_discrimination: Type.Number(),
      },
      { ...closed, description: 'The thresholds applied.' },
    ),
  },
  closed,
);
export type Summary = Static<typeof Summary>;
