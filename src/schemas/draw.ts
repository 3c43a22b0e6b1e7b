/** Draws: questions that are handed out together. */
import type { Static } from 'typebox';
import { CONTAINS_ANSWERS } from './answers.ts';
import {
  Limit,
  NO_CONTROL_CHARACTERS,
  Nullable,
  Offset,
  Pagination,
  Text,
  Timestamp,
  Uuid,
} from './common.ts';
import { AnyQuestion } from './question.ts';
import { QuestionFilter } from './question-filter.ts';
import { ResponseInput } from './response.ts';
import { Type } from './type.ts';

/** The questions of one draw. */
export const MAX_DRAWN = 500;
const MAX_QUOTAS = 50;
const MAX_EXCLUDED_QUESTIONS = 10_000;
const MAX_EXCLUDED_DRAWS = 100;

const EXAMPLE_ID = '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30';

const strict = { additionalProperties: false };

const Count = (description: string) => Type.Integer({ minimum: 1, maximum: MAX_DRAWN, description });
const Respondent = (description: string) => Text(200, { description, examples: ['r-4711'] });

const Quota = Type.Object(
  {
    filter: Type.Optional(QuestionFilter),
    count: Count('The number of questions of this quota.'),
  },
  { $id: 'Quota', ...strict, examples: [{ filter: { difficulty: 0 }, count: 5 }] },
);

const Exclude = Type.Object(
  {
    question_ids: Type.Optional(
      Type.Array(Uuid(), {
        maxItems: MAX_EXCLUDED_QUESTIONS,
        description: 'Questions that are not drawn. Unknown ids are ignored.',
      }),
    ),
    respondent: Type.Optional(
      Respondent(
        'Leaves out the questions that this respondent has answered, and those that were handed out to them. Requires `responses:write`.',
      ),
    ),
    draws: Type.Optional(
      Type.Array(Uuid(), {
        maxItems: MAX_EXCLUDED_DRAWS,
        description: 'Leaves out the questions of these draws.',
      }),
    ),
  },
  strict,
);

export const DrawInput = Type.Object(
  {
    count: Type.Optional(Count('The number of questions. Either `count` or `quotas`.')),
    quotas: Type.Optional(
      Type.Array(Quota, {
        minItems: 1,
        maxItems: MAX_QUOTAS,
        description:
          `Numbers of questions for filters, at most ${MAX_DRAWN} together. A question counts for one quota. If a draw that meets all quotas ` +
          'exists, it is found.',
      }),
    ),
    filter: Type.Optional(QuestionFilter),
    seed: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        pattern: NO_CONTROL_CHARACTERS,
        description: 'The same seed draws the same questions of the same bank. Default: drawn.',
      }),
    ),
    respondent: Type.Optional(
      Respondent(
        'Whom the questions are for: later draws can leave them out (`exclude.respondent`). Requires `responses:write`.',
      ),
    ),
    exclude: Type.Optional(Exclude),
    explain: Type.Optional(
      Type.Enum(['never', 'when_correct', 'always'], {
        description:
          'After which answers `check` and `POST /draws/{id}/responses` show the explanation of a question. `always`: after a wrong one, too, which ' +
          'may reveal the correct one. Requires `answers:read`, unless `never`, the default.',
      }),
    ),
    apart_by: Type.Optional(
      Uuid({
        description:
          'The id of a run of `duplicates`: at most one question of each of its groups is drawn. Requires `analysis:read`.',
      }),
    ),
    prefer: Type.Optional(
      Type.Enum(['least_answered'], {
        description:
          'Draws four times as many candidates, and takes those with the fewest responses, which are counted up to 100. Approximate.',
      }),
    ),
    when_short: Type.Optional(
      Type.Enum(['refuse', 'fewer'], {
        default: 'refuse',
        description: 'Whether a draw with too few questions is refused (409), or has fewer.',
      }),
    ),
  },
  {
    $id: 'DrawInput',
    description: 'Has either `count` or `quotas`. Approved questions are drawn.',
    ...strict,
    examples: [{ count: 5, filter: { category: 'Astronomy' }, seed: 'friday', when_short: 'fewer' }],
  },
);
export type DrawInput = Static<typeof DrawInput> & {
  filter?: QuestionFilter;
  quotas?: { filter?: QuestionFilter; count: number }[];
};

const summary = {
  id: Uuid(),
  seed: Type.String(),
  respondent: Nullable(Type.String()),
  quotas: Type.Array(
    Type.Object({ asked: Type.Integer({ minimum: 1 }), drawn: Type.Integer({ minimum: 0 }) }, strict),
    { description: 'One for each quota, or for `count`.' },
  ),
  explain: Type.Optional(
    Type.Enum(['when_correct', 'always'], { description: 'Absent if explanations are not shown.' }),
  ),
  created_at: Timestamp(),
};

export const Draw = Type.Object(
  {
    ...summary,
    questions: Type.Array(AnyQuestion, {
      description:
        'In the order of the quotas, those of a quota in the order in which they were drawn. As of the draw: later changes do not show. ' +
        '`choices` are shuffled for the draw, unless `choices_order` fixes their order.',
    }),
  },
  { $id: 'Draw', ...CONTAINS_ANSWERS, ...strict },
);

const DrawSummary = Type.Object(summary, { $id: 'DrawSummary', ...strict });

export const DrawList = Type.Object(
  { data: Type.Array(DrawSummary), pagination: Pagination },
  { $id: 'DrawList', ...strict },
);

export const DrawQuery = Type.Object(
  {
    respondent: Type.Optional(Respondent('Only draws for this respondent.')),
    limit: Type.Optional(Limit),
    offset: Type.Optional(Offset),
  },
  strict,
);
export type DrawQuery = Static<typeof DrawQuery>;

const { question_id, answer, missing, answered_at } = ResponseInput.properties;

const DrawAnswer = Type.Object(
  { question_id, answer, missing, answered_at },
  {
    $id: 'DrawAnswer',
    description: 'Has either `answer` or `missing`.',
    ...strict,
    examples: [{ question_id: EXAMPLE_ID, answer: 'Mars' }],
  },
);
export type DrawAnswer = Static<typeof DrawAnswer>;

export const DrawResponses = Type.Object(
  {
    respondent: Type.Optional(
      Respondent('Who answered. Required for a draw without a respondent; else that of the draw.'),
    ),
    group: ResponseInput.properties.group,
    responses: Type.Array(DrawAnswer, {
      minItems: 1,
      maxItems: MAX_DRAWN,
      description: 'Responses to questions of the draw, all or some of them.',
    }),
  },
  {
    $id: 'DrawResponses',
    ...strict,
    examples: [{ respondent: 'r-4711', responses: [{ question_id: EXAMPLE_ID, answer: 'Mars' }] }],
  },
);
export type DrawResponses = Static<typeof DrawResponses>;

export const DrawScore = Type.Object(
  {
    draw_id: Uuid(),
    respondent: Type.String(),
    asked: Type.Integer({ minimum: 0, description: 'The number of questions of the draw.' }),
    recorded: Type.Integer({ minimum: 0 }),
    correct: Type.Integer({ minimum: 0, description: 'The number of correct answers of this request.' }),
    results: Type.Array(
      Type.Object(
        {
          question_id: Uuid(),
          recorded: Type.Boolean({ description: 'False if the question has been deleted or retired since.' }),
          correct: Nullable(Type.Boolean(), {
            description: 'By the current key. Null if the answer is missing or was not recorded.',
          }),
          explanation: Type.Optional(
            Nullable(Type.String(), {
              description: 'Only where the draw shows it (`explain`). Null for a question without one.',
            }),
          ),
        },
        { ...CONTAINS_ANSWERS, ...strict },
      ),
    ),
  },
  { $id: 'DrawScore', ...strict },
);

const MAX_TOKEN_DRAWS = 10;
const MAX_TOKEN_SECONDS = 86_400;

export const DrawTokenInput = Type.Object(
  {
    respondent: Type.Optional(
      Respondent('Who answers. Required for a draw without a respondent; else that of the draw.'),
    ),
    draws: Type.Optional(
      Type.Array(Uuid(), {
        maxItems: MAX_TOKEN_DRAWS - 1,
        description: 'Further draws that the token is for. Their respondent, if any, must be the same.',
      }),
    ),
    expires_in_seconds: Type.Optional(
      Type.Integer({
        minimum: 60,
        maximum: MAX_TOKEN_SECONDS,
        description: 'The lifetime of the token. Default: 3600.',
      }),
    ),
  },
  { $id: 'DrawTokenInput', ...strict, examples: [{ respondent: 'r-4711' }] },
);
export type DrawTokenInput = Static<typeof DrawTokenInput>;

export const DrawToken = Type.Object(
  {
    id: Uuid(),
    token: Nullable(Type.String(), {
      description: 'Shown once: null if the request is repeated with its `Idempotency-Key`.',
    }),
    respondent: Type.String(),
    draws: Type.Array(Uuid()),
    created_at: Timestamp(),
    expires_at: Timestamp(),
  },
  { $id: 'DrawToken', ...strict },
);
