/** The query and the responses of `POST /questions`. */
import type { Static } from 'typebox';
import { CONTAINS_ANSWERS } from './answers.ts';
import { Fault, Nullable } from './common.ts';
import { DuplicateCheck } from './duplicate-check.ts';
import { AnyQuestion, answerFields, publicFields, Question, QuestionWithoutAnswers } from './question.ts';
import { StatusSchema } from './status.ts';
import { Type } from './type.ts';

const MODES = ['all_or_none', 'skip_bad'] as const;
const ON_MATCH = ['refuse', 'update'] as const;

export const CreateQuery = Type.Object(
  {
    mode: Type.Optional(
      Type.Enum([...MODES], {
        default: 'all_or_none',
        description:
          'What happens to an array of which some questions are refused: `all_or_none` stores nothing; `skip_bad` stores the others, and ' +
          'lists what is refused as `refused`. Without a valid question, both respond with the faults. One question is not affected.',
      }),
    ),
    on_match: Type.Optional(
      Type.Enum([...ON_MATCH], {
        default: 'refuse',
        description:
          'What happens to a question whose `external_id` is that of a question of the bank: `refuse` is 409; `update` changes that ' +
          'question as PATCH does, so fields that are left out keep their value. The response says what was done with each. `update` ' +
          'requires `answers:read`.',
      }),
    ),
    validate_only: Type.Optional(
      Type.Boolean({ default: false, description: 'Validate without writing; responds with 200.' }),
    ),
    check_duplicates: Type.Optional(
      Type.Boolean({
        description:
          'Whether to search for nearly identical questions, in the bank and earlier in the request, and respond with them as ' +
          '`duplicates`. They do not prevent the creation. The default is the value of `validate_only`. A repetition of a create under its ' +
          '`Idempotency-Key` searches again.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type CreateQuery = Static<typeof CreateQuery>;

const DuplicateChecks = Type.Array(DuplicateCheck, {
  description: 'One check for each question of `data`. Absent if there was no check.',
});

const OUTCOMES = ['created', 'updated', 'unchanged'] as const;
export type Outcome = (typeof OUTCOMES)[number];
const Outcome = Type.Enum([...OUTCOMES], {
  description: 'What was done, with `on_match=update`. A question that is already as sent is unchanged.',
});
const Outcomes = Type.Array(Type.Enum([...OUTCOMES]), {
  description: 'What was done for each question of `data`. Only with `on_match=update`.',
});

export const Refusal = Type.Object(
  {
    index: Type.Integer({ minimum: 0, description: 'Where the question is in the request, from 0.' }),
    question_text: Nullable(Type.String(), {
      description: 'The first 100 characters of its text; null without a text.',
    }),
    errors: Type.Array(Fault, {
      description: 'Its faults, at most 20. Pointers are into the body of the request.',
    }),
  },
  {
    $id: 'Refusal',
    description: 'A question that was not stored.',
    additionalProperties: false,
    examples: [
      {
        index: 3,
        question_text: 'Which planet has rings?',
        errors: [{ pointer: '/3/correct_answer', code: 'required', detail: 'is required' }],
      },
    ],
  },
);
export type Refusal = Static<typeof Refusal>;
const Refusals = Type.Array(Refusal, {
  description:
    'The questions that are not in `data`, in the order of the request. Only with `mode=skip_bad`.',
});

const singleMembers = {
  duplicates: Type.Optional(DuplicateCheck),
  outcome: Type.Optional(Outcome),
};

export const CheckedQuestion = Type.Union([
  Type.Object(
    { ...Question.properties, ...singleMembers },
    {
      $id: 'CheckedQuestion',
      ...CONTAINS_ANSWERS,
      description: 'A stored question with its answers, after `check_duplicates` or `on_match=update`.',
      additionalProperties: false,
    },
  ),
  Type.Object(
    { ...QuestionWithoutAnswers.properties, duplicates: DuplicateCheck },
    {
      $id: 'CheckedQuestionWithoutAnswers',
      description: 'A created question without its answers, after `check_duplicates`.',
      additionalProperties: false,
    },
  ),
]);

export const QuestionsCreated = Type.Object(
  {
    data: Type.Array(AnyQuestion),
    outcomes: Type.Optional(Outcomes),
    refused: Type.Optional(Refusals),
    duplicates: Type.Optional(DuplicateChecks),
  },
  {
    $id: 'QuestionsCreated',
    description: 'The questions, in the order of the request.',
    additionalProperties: false,
  },
);

export const QuestionsValid = Type.Object(
  {
    valid: Type.Boolean({ description: 'Whether no question is refused; false only with `mode=skip_bad`.' }),
    data: Type.Array(
      Type.Object(
        {
          ...publicFields,
          ...answerFields,
          choices: QuestionWithoutAnswers.properties.choices,
          status: StatusSchema(),
        },
        { ...CONTAINS_ANSWERS, additionalProperties: false },
      ),
      {
        description: 'The questions as they would be stored.',
      },
    ),
    outcomes: Type.Optional(Outcomes),
    refused: Type.Optional(Refusals),
    duplicates: Type.Optional(DuplicateChecks),
  },
  {
    $id: 'QuestionsValid',
    description: 'The questions that are valid. Nothing was written.',
    additionalProperties: false,
  },
);
