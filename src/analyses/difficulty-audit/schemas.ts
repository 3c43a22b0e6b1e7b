/** What an audit of difficulties says, as schemas. */
import Type, { type Static } from 'typebox';
import { Nullable } from '../../schemas/common.ts';
import { Item } from '../define.ts';

const FLAGS = ['misrated_harder', 'misrated_easier', 'too_few'] as const;

const closed = { additionalProperties: false };
const Count = (description: string) => Type.Integer({ minimum: 0, description });
const Figure = (description: string) => Nullable(Type.Number(), { description });
const Difficulty = (description: string) => Type.Integer({ minimum: 0, maximum: 2, description });

const Agreement = (description: string) =>
  Type.Object(
    {
      n: Count('Questions it is computed from.'),
      coefficient: Figure('Null where it is not defined.'),
      p_value: Figure('Two-sided, of the hypothesis that the coefficient is 0.'),
      reason: Nullable(Type.String(), {
        description: 'Why the coefficient, its interval or its p-value is null, where one is.',
      }),
      low: Figure('Lower end of the interval, at the `confidence` asked for.'),
      high: Figure('Upper end.'),
    },
    { ...closed, description },
  );

const Level = Type.Object(
  {
    difficulty: Difficulty('The difficulty the questions are labelled with.'),
    name: Type.String(),
    from: Type.Number({ description: 'The least facility that fits the label.' }),
    to: Type.Number({ description: 'Where the facilities end that fit it.' }),
    questions: Count('Questions with this label that have at least one scored response.'),
    judged: Count('Of them, with `min_responses` or more.'),
    misrated_harder: Count('Judged questions that are harder than the label says.'),
    misrated_easier: Count('Judged questions that are easier than the label says.'),
    mean_facility: Figure('Mean facility of the judged questions.'),
    lower_quartile: Figure('A quarter of the judged questions have a facility below this.'),
    median: Figure('Half of them have.'),
    upper_quartile: Figure('Three quarters of them have.'),
  },
  closed,
);

export const Summary = Type.Object(
  {
    questions: Count('Questions of the run.'),
    questions_with_responses: Count('Of them, with at least one response.'),
    judged: Count(
      'Of them, with `min_responses` scored responses or more: all figures below are about these.',
    ),
    too_few: Count('With fewer.'),
    cases: Count('Cases with at least one scored response.'),
    responses: Count('Scored responses.'),
    same_questions: Type.Boolean({
      description: 'Whether every case was asked all questions that have a score.',
    }),
    misrated: Count('Judged questions whose whole interval lies outside the band of their label.'),
    misrated_harder: Count('Of them, harder than the label says.'),
    misrated_easier: Count('Of them, easier than the label says.'),
    misrated_share: Figure('Misrated of judged questions; null if none was judged.'),
    spearman: Agreement(
      'Rank correlation of label and facility (Spearman 1904). Negative is as it should be: the higher the difficulty, the fewer are right. −1 would be a perfect order. p by Student’s t, the interval by Bonett & Wright (2000).',
    ),
    kendall_tau_b: Agreement(
      'Kendall’s τ-b of label and facility (1945): of the pairs that differ in both, how many more are in one order than in the other, corrected for ties. Negative is as it should be. p by the normal approximation, the interval through Fisher’s z with the variance 0.437 / (n − 4) (Fieller, Hartley & Pearson 1957): rough, since many questions have the same label.',
    ),
    kappa_quadratic: Agreement(
      'Agreement of label and observed band beyond chance, near misses counted in part (Cohen 1968, quadratic weights): 1 is perfect, 0 is chance. Standard error by Fleiss, Cohen & Everitt (1969).',
    ),
    kappa: Agreement(
      'The same with exact agreement only (Cohen 1960). Both are null where all labels, or all observed bands, are the same.',
    ),
    confusion: Type.Array(Type.Array(Count('Questions.')), {
      description:
        'Judged questions by label (rows) and observed band (columns), each Basic, Intermediate, Advanced.',
    }),
    levels: Type.Array(Level, { description: 'One for each label.' }),
  },
  closed,
);
export type Summary = Static<typeof Summary>;

export const Row = Item(FLAGS, {
  question_text: Type.String(),
  difficulty: Difficulty('The label: 0 Basic, 1 Intermediate, 2 Advanced.'),
  n: Count('Scored responses.'),
  correct: Count('Of them, right.'),
  unanswered: Count(
    'Of them, that have no answer and yet count as wrong: left out or not reached, as `omitted` and `not_reached` say.',
  ),
  facility: Figure('The share right: correct / n. Null without a scored response.'),
  low: Figure('Lower end of its interval (Wilson 1927), at the `confidence` asked for.'),
  high: Figure('Upper end.'),
  observed_difficulty: Nullable(Difficulty(''), { description: 'The band in which the facility lies.' }),
  suggested_difficulty: Nullable(Difficulty(''), {
    description:
      'Where misrated: the band in which the facility lies, the most likely one. Null where the label may stand or there is too little data.',
  }),
  suggestion_certain: Nullable(Type.Boolean(), {
    description: 'Whether the whole interval lies in the suggested band; null without a suggestion.',
  }),
  beyond: Figure(
    'How far the interval lies outside the band of the label: the distance from its nearer end; 0 if they meet. Null if not judged.',
  ),
});
export type Row = Static<typeof Row>;
