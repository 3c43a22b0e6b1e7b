/** What comes out of the check of labels: a summary for each field, and a row for each suspect. */
import Type, { type Static } from 'typebox';
import { Nullable } from '../../schemas/common.ts';
import { Item } from '../define.ts';

export const FIELDS = ['category', 'difficulty'] as const;
export type Field = (typeof FIELDS)[number];

export const MAX_LABELS = 24;
export const OTHERS = '(others)';

const Share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });
const Count = (description: string) => Type.Integer({ minimum: 0, description });

const FieldSummary = Type.Object(
  {
    questions: Count('Questions that were judged.'),
    labels: Count('Labels that could be learned.'),
    labels_left_out: Count('Labels with too few different questions to be learned.'),
    questions_left_out: Count('Their questions.'),
    judged: Type.Boolean({ description: 'Whether suspects are named for this field.' }),
    reason: Nullable(Type.String(), { description: 'If not, why.' }),
    accuracy: Nullable(Share('How often the label is the one that the text looks most like.')),
    baseline_accuracy: Nullable(Share('How often it would be if the most common label were always named.')),
    noise_rate: Nullable(
      Share('The share of labels that are wrong, estimated as if they were wrong at random.'),
    ),
    overlap_rate: Nullable(
      Share(
        'The share of questions that look more like another label, by confident learning: wrong labels and labels that ' +
          'overlap, such as films and television.',
      ),
    ),
    suspects: Count('Questions named.'),
    largest: Type.Array(
      Type.Object(
        {
          label: Type.String(),
          questions: Count('Filed under it.'),
          suspects: Count('Of those, named.'),
          suggested: Count('Filed elsewhere, and suggested to be filed here.'),
          intake: Nullable(
            Type.Number({
              minimum: 0,
              description:
                'How often questions that look like other labels are filed here, as a multiple of what mistakes ' +
                'explain. Well above 1, it is a catch-all, and hardly any of its questions are named.',
            }),
          ),
          threshold: Nullable(
            Share(
              'How probable the label is on average where it is given: what confident learning compares with.',
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
          'Questions by the label given (rows) and the label they look like most (columns). Labels that are not among the ' +
          `largest are counted together as "${OTHERS}".`,
      },
    ),
  },
  { additionalProperties: false },
);
export type FieldSummary = Static<typeof FieldSummary>;

export const Summary = Type.Object(
  {
    questions: Count('Questions read.'),
    suspects: Count('Questions named for one field or both.'),
    category: Nullable(FieldSummary, { description: 'Null if it was not to be checked.' }),
    difficulty: Nullable(FieldSummary, { description: 'Null if it was not to be checked.' }),
  },
  { additionalProperties: false },
);
export type Summary = Static<typeof Summary>;

const Finding = Type.Object(
  {
    given: Type.String({ description: 'The label the question has.' }),
    suggested: Type.String({ description: 'The label it looks most like.' }),
    probability_given: Share('How probable the label it has is, judging by the text.'),
    probability_suggested: Share('How probable the label suggested is.'),
    certainty: Share('How probable it is that the label given is wrong.'),
    words: Type.Array(Type.String(), { description: 'The words that say so, the strongest first.' }),
  },
  { additionalProperties: false },
);
export type Finding = Static<typeof Finding>;

export const Row = Item(['category_suspect', 'difficulty_suspect'], {
  question_text: Type.String(),
  category: Nullable(Finding, { description: 'Null if the category is not in doubt.' }),
  difficulty: Nullable(Finding, { description: 'Null if the difficulty is not in doubt.' }),
});
export type Row = Static<typeof Row>;
