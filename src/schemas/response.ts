/** Responses: the answers that respondents gave. */
import type { Static } from 'typebox';
import {
  Limit,
  NO_CONTROL_CHARACTERS,
  Nullable,
  Offset,
  OneOrMany,
  Pagination,
  Text,
  Timestamp,
  Uuid,
} from './common.ts';
import { ChosenOptions, MAX_ANSWER_CHARS } from './question-kinds.ts';
import { Type } from './type.ts';

const MISSING = ['omitted', 'not_reached'] as const;
const MAX_RESPONSES = 10_000;

const strict = { additionalProperties: false };

const Respondent = (options = {}) =>
  Text(200, {
    description: 'The respondent, preferably a pseudonym.',
    examples: ['r-4711'],
    ...options,
  });
const Session = (options = {}) =>
  Text(200, {
    description: 'The session, such as an exam, a game or an attempt.',
    examples: ['midterm-2026'],
    ...options,
  });
const Group = (options = {}) =>
  Text(200, {
    description: "The respondent's group, such as a language or a course, for comparisons between groups.",
    examples: ['evening course'],
    ...options,
  });

export const ResponseInput = Type.Object(
  {
    question_id: Uuid({ description: 'The question that was answered.' }),
    respondent: Respondent(),
    answer: Type.Optional(
      Type.Union(
        [
          Type.String({ maxLength: MAX_ANSWER_CHARS, pattern: NO_CONTROL_CHARACTERS }),
          ChosenOptions(0),
          Type.Null(),
        ],
        {
          description:
            'The answer, stored as given and compared with the key as `check` does; or an array of the options that were chosen, stored ' +
            'in a fixed order and without repeats. Empty or null means that the question was omitted.',
        },
      ),
    ),
    correct: Type.Optional(
      Type.Boolean({
        description: 'Instead of `answer`: whether it was correct, if you have scored it yourself.',
      }),
    ),
    missing: Type.Optional(
      Type.Enum([...MISSING], {
        description:
          'Instead of `answer`: `omitted` (seen but not answered) or `not_reached` (not seen for lack of time). Neither counts as incorrect.',
      }),
    ),
    session: Type.Optional(Nullable(Session())),
    group: Type.Optional(
      Nullable(Group(), {
        description:
          "The respondent's group in this session. The last value given applies; null or absent leaves it unchanged.",
      }),
    ),
    answered_at: Type.Optional(
      Nullable(Timestamp(), { description: 'The time of the answer. Default: the time of the request.' }),
    ),
  },
  {
    $id: 'ResponseInput',
    description: 'Has exactly one of `answer`, `correct` and `missing`.',
    ...strict,
    examples: [
      {
        question_id: '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30',
        respondent: 'r-4711',
        answer: 'Mars',
        session: 'midterm-2026',
        group: 'evening course',
        answered_at: '2026-03-01T09:30:00.000Z',
      },
    ],
  },
);
export type ResponseInput = Static<typeof ResponseInput>;

export const ResponsesInput = OneOrMany(ResponseInput, MAX_RESPONSES, {
  description: `One response, or an array of up to ${MAX_RESPONSES.toLocaleString('en')}.`,
});

const EXAMPLE = {
  question_id: '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30',
  respondent: 'r-4711',
  session: 'midterm-2026',
  group: 'evening course',
  answer: 'Mars',
  missing: null,
  answered_at: '2026-03-01T09:30:00.000Z',
};

const record = {
  question_id: Uuid(),
  respondent: Respondent(),
  session: Nullable(Session()),
  group: Nullable(Group()),
  answer: Type.Union([Type.String(), Type.Array(Type.String()), Type.Null()], {
    description: 'The answer as given, or the options that were chosen; null if there is none.',
  }),
  missing: Nullable(Type.Enum([...MISSING]), {
    description: 'Why there is no answer; null if there is one or the response was recorded as scored.',
  }),
  answered_at: Timestamp(),
};

export const Response = Type.Object(
  {
    ...record,
    correct: Nullable(Type.Boolean(), {
      description:
        'Whether the answer is correct by the current key: correcting a key rescores its responses. Null if the answer is missing ' +
        'or the question is deleted.',
    }),
  },
  { $id: 'Response', ...strict, examples: [{ ...EXAMPLE, correct: true }] },
);

/** For callers without `answers:read`. */
export const ResponseAccepted = Type.Object(record, {
  $id: 'ResponseAccepted',
  description: 'A response without its score.',
  ...strict,
  examples: [EXAMPLE],
});

export const ResponsesRecorded = Type.Object(
  {
    received: Type.Integer({ minimum: 1 }),
    created: Type.Integer({ minimum: 0, description: 'The number of new responses.' }),
    replaced: Type.Integer({
      minimum: 0,
      description:
        'The number of responses that replaced one to the same question by the same respondent in the same session.',
    }),
  },
  { $id: 'ResponsesRecorded', ...strict, examples: [{ received: 10000, created: 9990, replaced: 10 }] },
);

export const ResponseList = Type.Object(
  { data: Type.Array(Response), pagination: Pagination },
  { $id: 'ResponseList', ...strict },
);

const filters = {
  question_id: Type.Optional(
    Type.String({ maxLength: 100, description: 'Only responses to this question.' }),
  ),
  respondent: Type.Optional(Respondent({ description: 'Only responses of this respondent.' })),
  session: Type.Optional(Session({ description: 'Only responses of this session.' })),
  group: Type.Optional(Group({ description: 'Only responses of this group.' })),
};

export const ResponseQuery = Type.Object(
  {
    ...filters,
    limit: Type.Optional(Limit),
    offset: Type.Optional({
      ...Offset,
      description: 'The number of responses to skip. In long lists, a cursor is faster than a large offset.',
    }),
    cursor: Type.Optional(
      Type.String({ description: 'The `next_cursor` of the previous page, with the same filters.' }),
    ),
  },
  strict,
);
export type ResponseQuery = Static<typeof ResponseQuery>;

export const DeleteRespondentQuery = Type.Object(
  { respondent: Respondent({ description: 'The respondent to delete.' }) },
  strict,
);

export type DeleteRespondentQuery = Static<typeof DeleteRespondentQuery>;

export const RespondentDeleted = Type.Object(
  { deleted: Type.Integer({ minimum: 0, description: 'The number of deleted responses.' }) },
  { $id: 'RespondentDeleted', ...strict, examples: [{ deleted: 40 }] },
);

export const RespondentList = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          respondent: Type.String(),
          session: Nullable(Type.String(), {
            description: 'Null if all sessions of a respondent form one case.',
          }),
          group: Nullable(Type.String()),
          answered: Type.Integer({ minimum: 0, description: 'The number of items scored for this case.' }),
          correct: Type.Integer({ minimum: 0, description: 'The number of correct answers.' }),
          ability: Type.Number({
            description: 'The expected a posteriori (EAP) ability, on the scale of the analysis.',
          }),
          standard_error: Type.Number({
            description: 'The standard error of the ability: the posterior standard deviation.',
          }),
        },
        {
          $id: 'RespondentAbility',
          additionalProperties: false,
          examples: [
            {
              respondent: 'r-4711',
              session: null,
              group: 'evening course',
              answered: 40,
              correct: 31,
              ability: 0.84,
              standard_error: 0.31,
            },
          ],
        },
      ),
    ),
    pagination: Pagination,
  },
  { $id: 'RespondentList', additionalProperties: false },
);
