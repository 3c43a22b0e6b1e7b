/** Reports of faults in questions by respondents. */
import type { Static } from 'typebox';
import { CONTAINS_ANSWERS } from './answers.ts';
import { Limit, Nullable, Offset, OneOrMany, Pagination, Text, Timestamp, Uuid } from './common.ts';
import { Type } from './type.ts';

const strict = { additionalProperties: false };

const REASONS = [
  ...['wrong_answer', 'several_right', 'unclear', 'outdated', 'offensive', 'technical', 'other'],
] as const;
export type ReportReason = (typeof REASONS)[number];

const STATUSES = ['open', 'resolved'] as const;
export type ReportStatus = (typeof STATUSES)[number];

const OUTCOMES = ['fixed', 'no_fault', 'duplicate', 'other'] as const;
export type ReportOutcome = (typeof OUTCOMES)[number];

const Reason = (options = {}) =>
  Type.Enum([...REASONS], { description: 'What is wrong with the question.', ...options });
const Respondent = Text(200, {
  description: 'The respondent who reports, as in responses. Without one, the client reports.',
  examples: ['r-4711'],
});
const Answer = OneOrMany(Text(2_000), 20, {
  description: 'The answer that the respondent gave, as evidence. It is neither scored nor recorded.',
});

export const ReportInput = Type.Object(
  {
    reason: Reason(),
    comment: Type.Optional(Nullable(Text(1_000), { description: 'Details, in words.' })),
    respondent: Type.Optional(Nullable(Respondent)),
    answer: Type.Optional(Nullable(Answer)),
  },
  {
    $id: 'ReportInput',
    ...strict,
    examples: [
      {
        reason: 'wrong_answer',
        comment: 'Saturn has more moons since 2023.',
        respondent: 'r-4711',
        answer: 'Saturn',
      },
    ],
  },
);
export type ReportInput = Static<typeof ReportInput>;

export const ReportAccepted = Type.Object(
  { question_id: Uuid(), reason: Reason() },
  {
    $id: 'ReportAccepted',
    description: 'The same for a first and a repeated report, and for any answer.',
    ...strict,
    examples: [{ question_id: '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30', reason: 'wrong_answer' }],
  },
);

const Outcome = Type.Enum([...OUTCOMES], {
  description:
    '`fixed`: the question was changed or retired. `no_fault`: it is right as it is. `duplicate`: another report says the same.',
});
const Note = Text(1_000, { description: 'Why the report was resolved so.' });

export const Report = Type.Object(
  {
    id: Uuid(),
    question_id: Uuid(),
    revision: Type.Integer({ minimum: 1, description: 'The revision that was reported.' }),
    client_id: Type.String({ description: 'The client that sent the report.' }),
    respondent: Nullable(Type.String()),
    reason: Reason(),
    comment: Nullable(Type.String()),
    answer: Nullable(Type.Union([Type.String(), Type.Array(Type.String())])),
    status: Type.Enum([...STATUSES]),
    outcome: Nullable(Outcome),
    note: Nullable(Type.String()),
    resolved_by: Nullable(Type.String(), { description: 'The client that resolved the report.' }),
    resolved_at: Nullable(Timestamp()),
    created_at: Timestamp(),
    updated_at: Timestamp(),
  },
  {
    $id: 'Report',
    ...CONTAINS_ANSWERS,
    description: 'A report. Comments and answers may disclose the correct answer.',
    ...strict,
    examples: [
      {
        id: '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f31',
        question_id: '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30',
        revision: 1,
        client_id: '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f32',
        respondent: 'r-4711',
        reason: 'wrong_answer',
        comment: 'Saturn has more moons since 2023.',
        answer: 'Saturn',
        status: 'open',
        outcome: null,
        note: null,
        resolved_by: null,
        resolved_at: null,
        created_at: '2026-03-01T09:30:00.000Z',
        updated_at: '2026-03-01T09:30:00.000Z',
      },
    ],
  },
);
export type Report = Static<typeof Report>;

export const ReportList = Type.Object(
  { data: Type.Array(Report), pagination: Pagination },
  { $id: 'ReportList', description: 'Newest first.', ...strict },
);

const questionFilters = {
  status: Type.Optional(Type.Enum([...STATUSES], { description: 'Only reports with this status.' })),
  reason: Type.Optional(Reason({ description: 'Only reports with this reason.' })),
  limit: Type.Optional(Limit),
  offset: Type.Optional({ ...Offset, description: 'The number of reports to skip.' }),
};

/** The filters of the reports of one question. */
export const QuestionReportQuery = Type.Object(questionFilters, strict);
export type QuestionReportQuery = Static<typeof QuestionReportQuery>;

export const ReportQuery = Type.Object(
  {
    ...questionFilters,
    question_id: Type.Optional(
      Type.String({ maxLength: 100, description: 'Only reports of this question, deleted or not.' }),
    ),
  },
  strict,
);
export type ReportQuery = Static<typeof ReportQuery>;

export const ReportResolution = Type.Object(
  { outcome: Outcome, note: Type.Optional(Nullable(Note)) },
  { $id: 'ReportResolution', ...strict, examples: [{ outcome: 'fixed', note: 'The key is Saturn now.' }] },
);
export type ReportResolution = Static<typeof ReportResolution>;
