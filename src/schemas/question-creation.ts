/** The query and the responses of `POST /questions`. */
import Type, { type Static } from 'typebox';
import { CONTAINS_ANSWERS } from './answers.ts';
import { DuplicateCheck } from './duplicate-check.ts';
import { AnyQuestion, answerFields, publicFields, Question, QuestionWithoutAnswers } from './question.ts';

export const CreateQuery = Type.Object(
  {
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
  description: 'One check for each question, in the order of the request. Absent if there was no check.',
});

export const CheckedQuestion = Type.Union([
  Type.Object(
    { ...Question.properties, duplicates: DuplicateCheck },
    {
      $id: 'CheckedQuestion',
      ...CONTAINS_ANSWERS,
      description: 'A created question with its answers, after `check_duplicates`.',
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
  { data: Type.Array(AnyQuestion), duplicates: Type.Optional(DuplicateChecks) },
  {
    $id: 'QuestionsCreated',
    description: 'The questions, in the order of the request.',
    additionalProperties: false,
  },
);

export const QuestionsValid = Type.Object(
  {
    valid: Type.Literal(true),
    data: Type.Array(
      Type.Object(
        { ...publicFields, ...answerFields, choices: QuestionWithoutAnswers.properties.choices },
        { ...CONTAINS_ANSWERS, additionalProperties: false },
      ),
      {
        description: 'The questions as they would be stored.',
      },
    ),
    duplicates: Type.Optional(DuplicateChecks),
  },
  {
    $id: 'QuestionsValid',
    description: 'The questions are valid. Nothing was written.',
    additionalProperties: false,
  },
);
