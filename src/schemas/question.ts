import Type, { type Static } from 'typebox';
import { Limit, Nullable, Offset, OneOrMany, Pagination, Text, Timestamp, Uuid } from './common.ts';

const QuestionText = Text(10_000, { description: 'The question.' });
const Answer = Text(2_000);
const CorrectAnswer = Text(2_000, { description: 'The correct answer.' });
const Category = Text(200, {
  description: "One of the bank's categories, matched without regard to case, answered in its own spelling.",
});
const Difficulty = Type.Integer({
  minimum: 0,
  maximum: 2,
  description: '0 Basic, 1 Intermediate, 2 Advanced.',
});

/** What may be left out. `null` means none, and clears one that is set. */
const optional = {
  topic_focus: Type.Optional(Nullable(Text(200), { description: 'A refinement within the category.' })),
  incorrect_answers: Type.Optional(
    Nullable(Type.Array(Answer, { maxItems: 20 }), {
      description: 'Wrong options: distinct, none equal to the correct answer.',
    }),
  ),
  explanation: Type.Optional(Nullable(Text(10_000), { description: 'Why the answer is the answer.' })),
  tags: Type.Optional(Nullable(Type.Array(Text(100), { maxItems: 50 }), { description: 'Distinct labels.' })),
  source: Type.Optional(Nullable(Text(500), { description: 'Where it came from, its licence.' })),
  external_id: Type.Optional(
    Nullable(Text(200), {
      description: 'Your own id for it, unique in the bank: what a re-import matches on.',
    }),
  ),
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
    correct_answer: CorrectAnswer,
    category: Category,
    difficulty: Difficulty,
    ...optional,
  },
  { $id: 'QuestionInput', additionalProperties: false, examples: [exampleInput] },
);
export type QuestionInput = Static<typeof QuestionInput>;

export const QuestionsInput = OneOrMany(QuestionInput, 1_000, {
  $id: 'QuestionsInput',
  description: 'One question, or an array of 1 to 1,000 that are stored all or none.',
  examples: [exampleInput],
});

export const QuestionChange = Type.Object(
  {
    question_text: Type.Optional(QuestionText),
    correct_answer: Type.Optional(CorrectAnswer),
    category: Type.Optional(Category),
    difficulty: Type.Optional(Difficulty),
    ...optional,
  },
  {
    $id: 'QuestionChange',
    description:
      'The fields named are changed, those left out keep their value, null clears an optional one.',
    additionalProperties: false,
    examples: [{ difficulty: 2, tags: ['solar system'], explanation: null }],
  },
);
export type QuestionChange = Static<typeof QuestionChange>;

/** What tells the answer, or that it has changed: for callers with `answers:read` alone. */
const secret = {
  correct_answer: Type.String(),
  incorrect_answers: Type.Array(Type.String()),
  explanation: Nullable(Type.String()),
};
const open = {
  category: Type.String(),
  difficulty: Difficulty,
  topic_focus: Nullable(Type.String()),
  question_text: Type.String(),
  tags: Type.Array(Type.String()),
  source: Nullable(Type.String()),
  external_id: Nullable(Type.String()),
};
const face = {
  id: Uuid(),
  ...open,
  choices: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Correct and incorrect answers in a stable shuffled order, which tells nothing; absent without incorrect answers.',
    }),
  ),
  created_at: Timestamp(),
};

const exampleFace = {
  id: '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30',
  category: 'Astronomy',
  difficulty: 1,
  topic_focus: 'Planets',
  question_text: 'Which planet has the shortest day?',
  tags: ['solar system', 'rotation'],
  source: null,
  external_id: null,
  choices: ['Venus', 'Jupiter', 'Mars', 'Saturn'],
  created_at: '2026-03-01T09:30:00.000Z',
};

export const Question = Type.Object(
  {
    ...face,
    ...secret,
    revision: Type.Integer({ minimum: 1, description: 'Counts the changes, from 1.' }),
    updated_at: Timestamp(),
  },
  {
    $id: 'Question',
    description: 'A question as callers with `answers:read` see it.',
    additionalProperties: false,
    examples: [
      {
        ...exampleFace,
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

const QuestionWithoutAnswers = Type.Object(face, {
  $id: 'QuestionWithoutAnswers',
  description:
    'A question as callers without `answers:read` see it: nothing here tells the answer, or that it has changed.',
  additionalProperties: false,
  examples: [exampleFace],
});

/** In the caller's view. */
export const AnyQuestion = Type.Union([Question, QuestionWithoutAnswers]);

export const QuestionList = Type.Object(
  { data: Type.Array(AnyQuestion), pagination: Pagination },
  { $id: 'QuestionList', additionalProperties: false },
);

export const QuestionsCreated = Type.Object(
  { data: Type.Array(AnyQuestion) },
  { $id: 'QuestionsCreated', description: 'The questions in the order given.', additionalProperties: false },
);

export const QuestionsValid = Type.Object(
  {
    valid: Type.Literal(true),
    data: Type.Array(Type.Object({ ...open, ...secret }, { additionalProperties: false }), {
      description: 'The questions as they would be stored.',
    }),
  },
  { $id: 'QuestionsValid', description: 'Nothing was written.', additionalProperties: false },
);

const SORTS = ['created_at', '-created_at', 'updated_at', '-updated_at', 'relevance'] as const;

/** Which questions: what a list filters on. */
export const QuestionFilter = Type.Object(
  {
    category: Type.Optional(
      Type.String({ maxLength: 200, description: 'In this category, whatever its case.' }),
    ),
    difficulty: Type.Optional(Difficulty),
    topic_focus: Type.Optional(
      Type.String({ maxLength: 200, description: 'With this topic, whatever its case.' }),
    ),
    tag: Type.Optional(
      Type.Array(Type.String({ maxLength: 100 }), {
        maxItems: 20,
        description: 'With this tag, whatever its case. Repeatable: all must match.',
      }),
    ),
    q: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Full text over the question, topic and tags, and with `answers:read` over answers and explanation: every ' +
          'word must occur, whatever its case, accents or plural s. A word may end in `*` to match what begins so.',
      }),
    ),
    external_id: Type.Optional(
      Type.String({ maxLength: 200, description: 'The one question with this id of yours.' }),
    ),
    updated_since: Type.Optional(
      Type.String({
        format: 'date-time',
        maxLength: 40,
        description:
          'Created or changed at or after this moment; needs `answers:read`. To follow changes, ask from half a minute before the last one ' +
          'you saw and pass over what you know: on PostgreSQL a write that took long appears behind a later one.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type QuestionFilter = Static<typeof QuestionFilter>;

export const QuestionQuery = Type.Object(
  {
    ...QuestionFilter.properties,
    sort: Type.Optional(
      Type.Enum([...SORTS], {
        default: 'created_at',
        description:
          '`relevance` needs `q`, and ranks the first 1,000 matches; the others follow as created. `updated_at` needs ' +
          '`answers:read`.',
      }),
    ),
    limit: Type.Optional(Limit),
    offset: Type.Optional(Offset),
    cursor: Type.Optional(
      Type.String({
        maxLength: 200,
        description:
          '`next_cursor` of the page before, with the same filters and sort; in place of `offset`.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type QuestionQuery = Static<typeof QuestionQuery>;

export const CreateQuery = Type.Object(
  {
    validate_only: Type.Optional(
      Type.Boolean({ default: false, description: 'Check everything and write nothing; answers 200.' }),
    ),
  },
  { additionalProperties: false },
);

const Revision = Type.Object(
  {
    revision: Type.Integer({ minimum: 1 }),
    action: Type.Enum(['created', 'updated', 'deleted', 'restored']),
    at: Timestamp(),
    question: Nullable(Question, {
      description:
        'The question as it was then, its category under its present name; null where it was deleted.',
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

export const Restore = Type.Object(
  {
    revision: Type.Integer({
      minimum: 1,
      maximum: 2_147_483_647,
      description: 'Which revision to go back to.',
    }),
  },
  { $id: 'Restore', additionalProperties: false, examples: [{ revision: 1 }] },
);
export type Restore = Static<typeof Restore>;

export const Check = Type.Object(
  {
    answer: Text(2_000, {
      description: 'What was answered, as text: free, a number, or an option as it is written.',
    }),
  },
  { $id: 'Check', additionalProperties: false, examples: [{ answer: 'jupiter' }] },
);
export type Check = Static<typeof Check>;

export const Checked = Type.Object(
  { correct: Type.Boolean() },
  { $id: 'Checked', additionalProperties: false, examples: [{ correct: true }] },
);
