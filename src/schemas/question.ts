import type { Static, TSchema } from 'typebox';
import { CONTAINS_ANSWERS } from './answers.ts';
import { Limit, Nullable, Offset, OneOrMany, Pagination, Text, Timestamp, Uuid } from './common.ts';
import { LEVELS } from './difficulties.ts';
import {
  answerKindFields,
  ChosenOptions,
  CorrectAnswerInput,
  CorrectAnswerOutput,
  Kind,
  kindChanges,
  kindInputs,
  MAX_ANSWER_CHARS,
  MAX_INCORRECT,
  publicKindFields,
} from './question-kinds.ts';
import { StatusSchema } from './status.ts';
import { Type } from './type.ts';

const QuestionText = Text(10_000, { description: 'The question.' });
const Answer = Text(MAX_ANSWER_CHARS);
const Category = Text(200, {
  description:
    "The name of a category, compared case-insensitively and returned in the category's own spelling.",
});
const Difficulty = Type.Integer({
  ...LEVELS,
  description: '0 Basic, 1 Intermediate, 2 Advanced.',
});

export const MAX_TAGS = 50;

/** Optional fields; null clears a value. */
const optional = {
  topic_focus: Type.Optional(Nullable(Text(200), { description: 'A refinement within the category.' })),
  incorrect_answers: Type.Optional(
    Nullable(Type.Array(Answer, { maxItems: MAX_INCORRECT }), {
      description: 'The distractors: distinct, and different from the correct answers.',
    }),
  ),
  explanation: Type.Optional(Nullable(Text(10_000), { description: 'Why the answer is correct.' })),
  tags: Type.Optional(
    Nullable(Type.Array(Text(100), { maxItems: MAX_TAGS }), { description: 'Distinct labels.' }),
  ),
  source: Type.Optional(
    Nullable(Text(500), { description: 'The origin of the question, such as its author or licence.' }),
  ),
  external_id: Type.Optional(
    Nullable(Text(200), {
      description:
        'Your own id for the question, unique in the bank. An import with `on_match=update` matches by it.',
    }),
  ),
  ...kindInputs,
};

/** Assigned by the service. The views of a question show those they may. */
const readOnly = {
  id: Uuid(),
  created_at: Timestamp(),
  revision: Type.Integer({ minimum: 1, description: 'The number of the current revision, from 1.' }),
  updated_at: Timestamp(),
};
export const READ_ONLY_FIELDS = Object.keys(readOnly) as (keyof typeof readOnly)[];

const SentBack = <T extends TSchema>(schema: T) => Type.Optional({ ...schema, readOnly: true as const });
/** A client may send a question back as it was read, with the current values of these fields. */
const sentBack = {
  id: SentBack(readOnly.id),
  created_at: SentBack(readOnly.created_at),
  revision: SentBack(readOnly.revision),
  updated_at: SentBack(readOnly.updated_at),
};

const exampleInput = {
  question_text: 'Which planet has the shortest day?',
  correct_answer: 'Jupiter',
  category: 'Astronomy',
  difficulty: 1,
  topic_focus: 'Planets',
  incorrect_answers: ['Mars', 'Saturn', 'Venus'],
  explanation: 'Jupiter turns once in 9 hours and 56 minutes.',
  tags: ['solar system', 'rotation'],
};

export const QuestionInput = Type.Object(
  {
    question_text: QuestionText,
    correct_answer: CorrectAnswerInput,
    category: Category,
    difficulty: Difficulty,
    ...optional,
    status: Type.Optional(
      StatusSchema({
        description:
          'The status of the new question. Default: `approved` or, while the service requires review, `draft`; then `approved` and `retired` ' +
          'require `admin`.',
      }),
    ),
    ...sentBack,
  },
  {
    $id: 'QuestionInput',
    ...CONTAINS_ANSWERS,
    description:
      'A new question has no read-only fields: they are assigned, and refused (`read_only`) if they are sent. With `on_match=update`, ' +
      'those of the question that is updated may be sent with their current values.',
    additionalProperties: false,
    examples: [exampleInput],
  },
);
export type QuestionInput = Static<typeof QuestionInput>;

export const QuestionsInput = OneOrMany(QuestionInput, 1_000, {
  $id: 'QuestionsInput',
  description: 'One question, or an array of 1 to 1,000.',
  examples: [exampleInput],
});

export const QuestionChange = Type.Object(
  {
    question_text: Type.Optional(QuestionText),
    correct_answer: Type.Optional(CorrectAnswerInput),
    category: Type.Optional(Category),
    difficulty: Type.Optional(Difficulty),
    ...optional,
    ...kindChanges,
    status: Type.Optional(
      StatusSchema({
        description: 'The status that the question has. POST /questions/{id}/status changes it.',
      }),
    ),
    ...sentBack,
  },
  {
    $id: 'QuestionChange',
    ...CONTAINS_ANSWERS,
    description:
      'Absent fields keep their value; null clears an optional field. So do the members of `numeric` and `answer_matching`. Read-only fields must have their current values.',
    additionalProperties: false,
    examples: [{ difficulty: 2, tags: ['solar system'], explanation: null }],
  },
);
export type QuestionChange = Static<typeof QuestionChange>;

/** Only for callers with `answers:read`. */
export const answerFields = {
  correct_answer: CorrectAnswerOutput,
  incorrect_answers: Type.Array(Type.String()),
  explanation: Nullable(Type.String()),
  ...answerKindFields,
};
export const publicFields = {
  kind: Kind,
  category: Type.String(),
  difficulty: Difficulty,
  topic_focus: Nullable(Type.String()),
  question_text: Type.String(),
  tags: Type.Array(Type.String()),
  source: Nullable(Type.String()),
  external_id: Nullable(Type.String()),
  ...publicKindFields,
};
const withoutAnswers = {
  id: readOnly.id,
  ...publicFields,
  choices: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Correct and incorrect answers in the order of `choices_order`, which discloses nothing about the answer. Absent if there are no incorrect answers.',
    }),
  ),
  created_at: readOnly.created_at,
};

const exampleWithoutAnswers = {
  id: '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30',
  category: 'Astronomy',
  kind: 'multiple_choice',
  difficulty: 1,
  topic_focus: 'Planets',
  question_text: 'Which planet has the shortest day?',
  tags: ['solar system', 'rotation'],
  source: null,
  external_id: null,
  choices: ['Venus', 'Jupiter', 'Mars', 'Saturn'],
  created_at: '2026-03-01T09:30:00.000Z',
};

/** A change that waits for approval. */
export const PendingState = Type.Object(
  {
    base_revision: Type.Integer({ minimum: 1, description: 'The revision that readers see.' }),
    state: Type.Enum(['waiting', 'changes_requested'], {
      description: 'After `changes_requested`, the next change waits for reviews again.',
    }),
    authors: Type.Array(Type.String(), {
      description: 'The clients that contributed to the change, and may not approve it.',
    }),
  },
  {
    description: 'Present if the question is shown as it will be once its change is approved.',
    additionalProperties: false,
  },
);

export const Question = Type.Object(
  {
    ...withoutAnswers,
    ...answerFields,
    status: StatusSchema(),
    pending: Type.Optional(PendingState),
    revision: readOnly.revision,
    updated_at: readOnly.updated_at,
  },
  {
    $id: 'Question',
    ...CONTAINS_ANSWERS,
    description: 'A question with its answers, for callers with `answers:read`.',
    additionalProperties: false,
    examples: [
      {
        ...exampleWithoutAnswers,
        status: 'approved',
        correct_answer: 'Jupiter',
        incorrect_answers: ['Mars', 'Saturn', 'Venus'],
        explanation: 'Jupiter turns once in 9 hours and 56 minutes.',
        revision: 1,
        updated_at: '2026-03-01T09:30:00.000Z',
      },
    ],
  },
);
export type Question = Static<typeof Question>;

export const QuestionWithoutAnswers = Type.Object(withoutAnswers, {
  $id: 'QuestionWithoutAnswers',
  description:
    'A question without its answers, for callers without `answers:read`. It does not disclose changes of the answers either.',
  additionalProperties: false,
  examples: [exampleWithoutAnswers],
});

/** Rendered in the view of the caller. */
export const AnyQuestion = Type.Union([Question, QuestionWithoutAnswers]);

const DeletedQuestion = Type.Object(
  {
    ...Question.properties,
    deleted_at: Timestamp(),
  },
  {
    $id: 'DeletedQuestion',
    ...CONTAINS_ANSWERS,
    description: 'A deleted question as it was last, in a list with `deleted=true`.',
    additionalProperties: false,
  },
);

const Tombstone = Type.Object(
  { id: Uuid(), deleted_at: Timestamp() },
  {
    $id: 'Tombstone',
    description: 'A deletion, in a list of changes with `include_deleted=true`.',
    additionalProperties: false,
  },
);

export const QuestionList = Type.Object(
  {
    data: Type.Array(Type.Union([Question, QuestionWithoutAnswers, DeletedQuestion, Tombstone])),
    pagination: Pagination,
    seed: Type.Optional(
      Type.String({
        description: 'With `sort=random`: the seed of the order. Send it with the cursor of the next page.',
      }),
    ),
  },
  { $id: 'QuestionList', additionalProperties: false },
);

const Revision = Type.Object(
  {
    revision: Type.Integer({ minimum: 1 }),
    action: Type.Enum(['created', 'updated', 'deleted', 'restored', 'status_changed']),
    at: Timestamp(),
    by: Nullable(
      Type.Object({ client: Type.String(), key: Nullable(Uuid()) }, { additionalProperties: false }),
      {
        description:
          'The client that made the revision, and the id of its key; null for a session. `by` is null for revisions of releases that did not ' +
          'record it.',
      },
    ),
    change_id: Nullable(Type.String(), {
      description: 'The bulk change that the revision belongs to; null if it was made alone.',
    }),
    reason: Nullable(Type.String(), { description: 'Why the status was changed, if a reason was given.' }),
    question: Nullable(Question, {
      description:
        'The question as of this revision, with the present name of its category; null if it was deleted.',
    }),
  },
  { $id: 'Revision', additionalProperties: false },
);

export const RevisionList = Type.Object(
  { data: Type.Array(Revision), pagination: Pagination },
  { $id: 'RevisionList', description: 'Newest first.', additionalProperties: false },
);

export const RevisionQuery = Type.Object(
  { limit: Type.Optional(Limit), offset: Type.Optional(Offset) },
  { additionalProperties: false },
);

export const RestoreRequest = Type.Object(
  {
    revision: Type.Integer({
      minimum: 1,
      maximum: 2_147_483_647,
      description: 'The revision to restore.',
    }),
  },
  { $id: 'RestoreRequest', additionalProperties: false, examples: [{ revision: 1 }] },
);
export type RestoreRequest = Static<typeof RestoreRequest>;

export const CheckRequest = Type.Object(
  {
    answer: Type.Union([Answer, ChosenOptions(1)], {
      description:
        'The answer to check: free text, a number, the text of an option, or an array of the options that were chosen.',
    }),
    respondent: Type.Optional(
      Text(200, { description: 'Who answers: checks of a question are limited for each respondent.' }),
    ),
    draw_id: Type.Optional(
      Uuid({
        description: 'The draw in which the question was handed out, whose `explain` decides what is shown.',
      }),
    ),
  },
  { $id: 'CheckRequest', additionalProperties: false, examples: [{ answer: 'jupiter' }] },
);
export type CheckRequest = Static<typeof CheckRequest>;

export const CheckResult = Type.Object(
  {
    correct: Type.Boolean(),
    explanation: Type.Optional(
      Nullable(Type.String(), {
        description: 'Only where the draw shows it (`explain`). Null for a question without one.',
      }),
    ),
  },
  { $id: 'CheckResult', ...CONTAINS_ANSWERS, additionalProperties: false, examples: [{ correct: true }] },
);
