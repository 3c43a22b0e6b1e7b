/**
 * The parameters and the result of the analysis: a summary for each field, and a row for each
 * suspect.
 */
import type { Static } from 'typebox';
import { Nullable } from '../../schemas/common.ts';
import { Type } from '../../schemas/type.ts';
import { Item } from '../define.ts';
import { METHODS as CONFIDENT_LEARNING_METHODS } from './confident-learning.ts';

export const FIELDS = ['category', 'difficulty'] as const;
export type Field = (typeof FIELDS)[number];

const METHODS = ['mixture', ...CONFIDENT_LEARNING_METHODS] as const;
export type Method = (typeof METHODS)[number];

/** Bounds the summary and the figure. */
export const MAX_LABELS = 24;
export const OTHERS = '(others)';

export const Parameters = Type.Object(
  {
    fields: Type.Array(Type.Enum([...FIELDS]), {
      minItems: 1,
      uniqueItems: true,
      default: ['category', 'difficulty'],
      description:
        'The fields to check. By default both; the difficulty is only judged where the text predicts it.',
    }),
    method: Type.Enum([...METHODS], {
      default: 'mixture',
      description:
        'How suspects are selected. `mixture` estimates the noise rate by a mixture model and reports labels that are ' +
        'wrong with at least `min_certainty`. The others are the methods of confident learning (Northcutt et al. 2021), ' +
        'with their names in cleanlab. They report many more, also where categories overlap.',
    }),
    min_certainty: Type.Number({
      minimum: 0.05,
      maximum: 0.99,
      default: 0.5,
      description:
        'The minimum certainty of a suspect, for the method `mixture`. The default is more probable than not. Of 100 ' +
        'suspects in trivia questions with overlapping and catch-all categories and 3 % planted errors, 81 were plainly ' +
        'misfiled, 15 debatable and 4 wrong; 1 in 6 of the planted errors was found. 0.25 finds almost twice as many, of ' +
        'which 6 in 10 are planted errors.',
    }),
    folds: Type.Integer({
      minimum: 2,
      maximum: 10,
      default: 5,
      description:
        'The number of folds of the cross-validation. A label with fewer different questions is left out. 5 is the ' +
        'usual number; 10 take twice the time and ranked planted errors only slightly better.',
    }),
  },
  { additionalProperties: false },
);
export type Parameters = Static<typeof Parameters>;

const Share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });
const Count = (description: string) => Type.Integer({ minimum: 0, description });

const FieldSummary = Type.Object(
  {
    questions: Count('Questions with a label that could be learned.'),
    labels: Count('Labels that could be learned.'),
    labels_left_out: Count('Labels with too few different questions to be learned.'),
    questions_left_out: Count('Questions with these labels.'),
    judged: Type.Boolean({ description: 'Whether suspects are reported for this field.' }),
    reason: Nullable(Type.String(), { description: 'Why no suspects are reported; null if they are.' }),
    accuracy: Nullable(
      Share('The share of questions whose label is the predicted one, by cross-validation.'),
    ),
    baseline_accuracy: Nullable(Share('The accuracy of always predicting the most common label.')),
    noise_rate: Nullable(Share('The estimated share of wrong labels, if labels are wrong at random.')),
    overlap_rate: Nullable(
      Share(
        'The share of questions that belong to another label by confident learning: wrong labels, and labels that ' +
          'overlap, such as films and television.',
      ),
    ),
    suspects: Count('Questions reported.'),
    largest: Type.Array(
      Type.Object(
        {
          label: Type.String(),
          questions: Count('Questions with this label.'),
          suspects: Count('Of these, reported.'),
          suggested: Count('Questions with another label for which this one is suggested.'),
          intake: Nullable(
            Type.Number({
              minimum: 0,
              description:
                'The rate at which questions that look like other labels have this one, as a multiple of the rate of ' +
                'mistakes.',
            }),
          ),
          catch_all: Type.Boolean({
            description:
              'Whether the label is a catch-all or overlaps with others: its intake is 3 or more, or fewer than half of ' +
              'the questions predicted for it have it. It is never suggested, and few of its questions are reported.',
          }),
          threshold: Nullable(
            Share(
              'The mean probability of the label where it is given: the threshold of confident learning.',
            ),
          ),
        },
        { additionalProperties: false },
      ),
      { maxItems: MAX_LABELS, description: `The largest labels, at most ${MAX_LABELS}.` },
    ),
    confusion: Type.Object(
      {
        labels: Type.Array(Type.String()),
        counts: Type.Array(Type.Array(Type.Integer())),
      },
      {
        additionalProperties: false,
        description:
          'Questions by given label (rows) and predicted label (columns). Labels that are not among the largest are ' +
          `combined as "${OTHERS}".`,
      },
    ),
  },
  { additionalProperties: false },
);
export type FieldSummary = Static<typeof FieldSummary>;

export const Summary = Type.Object(
  {
    questions: Count('Questions read.'),
    suspects: Count('Questions reported for one field or both.'),
    category: Nullable(FieldSummary, { description: 'Null if the field was not checked.' }),
    difficulty: Nullable(FieldSummary, { description: 'Null if the field was not checked.' }),
  },
  { additionalProperties: false },
);
export type Summary = Static<typeof Summary>;

const Finding = Type.Object(
  {
    given: Type.String({ description: 'The label of the question.' }),
    suggested: Type.String({ description: 'The predicted label.' }),
    probability_given: Share('The probability of the given label, predicted from the text.'),
    probability_suggested: Share('The probability of the suggested label.'),
    certainty: Share(
      'The probability that the suggested label is right and the given one a mistake, rather than one of two labels that overlap.',
    ),
    words: Type.Array(Type.String(), {
      description: 'The words that are evidence for the suggested label, the strongest first.',
    }),
  },
  { additionalProperties: false },
);
export type Finding = Static<typeof Finding>;

export const Row = Item(['category_suspect', 'difficulty_suspect'], {
  question_text: Type.String(),
  category: Nullable(Finding, { description: 'Null if the category is not suspect.' }),
  difficulty: Nullable(Finding, { description: 'Null if the difficulty is not suspect.' }),
});
export type Row = Static<typeof Row>;
