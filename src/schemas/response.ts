/** Responses: who answered what, and whether it was right. */
import Type, { type Static } from 'typebox';
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

const MISSING = ['omitted', 'not_reached'] as const;
const MOST_RESPONSES = 10_000;

const closed = { additionalProperties: false };

const Respondent = (options = {}) =>
  Text(200, {
    description: 'Who answered: a name or, better, a pseudonym of your own.',
    examples: ['r-4711'],
    ...options,
  });
const Session = (options = {}) =>
  Text(200, {
    description: 'In which session: an exam, a game, an attempt.',
    examples: ['midterm-2026'],
    ...options,
  });
const Group = (options = {}) =>
  Text(200, {
    description: "The respondent's group, to compare groups by, such as a language or a course.",
    examples: ['evening course'],
    ...options,
  });

export const ResponseInput = Type.Object(
  {
    question_id: Uuid({ description: 'To which question.' }),
    respondent: Respondent(),
    answer: Type.Optional(
      Nullable(Type.String({ maxLength: 2000, pattern: NO_CONTROL_CHARACTERS }), {
        description:
          'What was answered. It is kept as it is and compared with the key as `check` does. Empty or null means that the question was omitted.',
      }),
    ),
    correct: Type.Optional(
      Type.Boolean({ description: 'In place of `answer`: whether it was right, where you have scored it.' }),
    ),
    missing: Type.Optional(
      Type.Enum([...MISSING], {
        description:
          'In place of `answer`: `omitted`, seen and left out, or `not_reached`, not seen for lack of time. Neither is the same as wrong.',
      }),
    ),
    session: Type.Optional(Nullable(Session())),
    group: Type.Optional(
      Nullable(Group(), {
        description:
          "The respondent's group in this session, to compare groups by. The last one given counts; left out or null, it stays.",
      }),
    ),
    answered_at: Type.Optional(
      Nullable(Timestamp(), { description: 'When; by default the moment it arrives.' }),
    ),
  },
  {
    $id: 'ResponseInput',
    description: 'Exactly one of `answer`, `correct` and `missing` says what came of it.',
    ...closed,
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

export const ResponsesInput = OneOrMany(ResponseInput, MOST_RESPONSES, {
  description: `One response, or an array of up to ${MOST_RESPONSES.toLocaleString('en')}.`,
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
  answer: Nullable(Type.String(), { description: 'As it was given; null where none was.' }),
  missing: Nullable(Type.Enum([...MISSING]), {
    description: 'Why there is no answer; null where there is one, or where it came scored.',
  }),
  answered_at: Timestamp(),
};

export const Response = Type.Object(
  {
    ...record,
    correct: Nullable(Type.Boolean(), {
      description:
        'Whether it is right by the key as it is now: when a key is corrected, responses count anew. Null where an answer is missing, ' +
        'or its question is deleted.',
    }),
  },
  { $id: 'Response', ...closed, examples: [{ ...EXAMPLE, correct: true }] },
);

/** What a caller gets back who may not know whether an answer is right. */
export const ResponseAccepted = Type.Object(record, {
  $id: 'ResponseAccepted',
  description: 'A response without whether it is right.',
  ...closed,
  examples: [EXAMPLE],
});

export const ResponsesRecorded = Type.Object(
  {
    received: Type.Integer({ minimum: 1 }),
    created: Type.Integer({ minimum: 0, description: 'Of them, how many are new.' }),
    replaced: Type.Integer({
      minimum: 0,
      description:
        'How many took the place of one to the same question by the same respondent in the same session.',
    }),
  },
  { $id: 'ResponsesRecorded', ...closed, examples: [{ received: 10000, created: 9990, replaced: 10 }] },
);

export const ResponseList = Type.Object(
  { data: Type.Array(Response), pagination: Pagination },
  { $id: 'ResponseList', ...closed },
);

const filters = {
  question_id: Type.Optional(Type.String({ maxLength: 100, description: 'Responses to this question.' })),
  respondent: Type.Optional(Respondent({ description: 'Responses of this respondent.' })),
  session: Type.Optional(Session({ description: 'Responses given in this session.' })),
  group: Type.Optional(Group({ description: 'Responses of this group.' })),
};

export const ResponseQuery = Type.Object(
  {
    ...filters,
    limit: Type.Optional(Limit),
    offset: Type.Optional({
      ...Offset,
      description: 'Responses to skip. Among millions, a cursor goes on faster than a far offset.',
    }),
    cursor: Type.Optional(
      Type.String({ description: 'The `next_cursor` of the page before; filters must be the same.' }),
    ),
  },
  closed,
);
export type ResponseQuery = Static<typeof ResponseQuery>;

export const ForgetQuery = Type.Object(
  { respondent: Respondent({ description: 'Who is to be forgotten.' }) },
  closed,
);

export type ForgetQuery = Static<typeof ForgetQuery>;

export const RespondentDeleted = Type.Object(
  { deleted: Type.Integer({ minimum: 0, description: 'How many responses there were.' }) },
  { $id: 'RespondentDeleted', ...closed, examples: [{ deleted: 40 }] },
);

/** What an analysis found about people. */
export const RespondentList = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          respondent: Type.String(),
          session: Nullable(Type.String(), {
            description: 'Null where a respondent is one case, whatever the number of sessions.',
          }),
          group: Nullable(Type.String()),
          answered: Type.Integer({ minimum: 0, description: 'Questions that count for this case.' }),
          correct: Type.Integer({ minimum: 0, description: 'Of them, how many are right.' }),
          ability: Type.Number({
            description: 'The ability they show on the scale of the analysis: expected a posteriori.',
          }),
          standard_error: Type.Number({
            description: 'Of the ability: the standard deviation a posteriori.',
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
