/** Imports of files of responses. */
import type { Static } from 'typebox';
import { Limit, Nullable, Offset, Pagination, Text, Timestamp, Uuid } from './common.ts';
import { Type } from './type.ts';

const RESPONSE_FORMATS = [
  ...(['responses-wide', 'responses-long', 'responses-matrix', 'responses-fixed-width'] as const),
  ...(['responses-moodle', 'responses-canvas'] as const),
] as const;
const STATUSES = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;
const MAX_MATCHES = 500;
const MAX_QUESTIONS = 5000;

const strict = { additionalProperties: false };

const Missing = Type.Enum(['omitted', 'not_reached']);
/** Parameters that are JSON, by name. */
export const RESPONSE_IMPORT_MAPS = {
  columns: Type.Object(
    Object.fromEntries(
      ['respondent', 'question', 'answer', 'correct', 'session', 'group', 'answered_at'].map((field) => [
        field,
        Type.Optional(Text(200)),
      ]),
    ),
    strict,
  ),
  missing: Type.Record(Type.String(), Missing),
  questions: Type.Union([
    Type.Array(Text(200), { maxItems: MAX_QUESTIONS }),
    Type.Record(Type.String(), Text(200)),
  ]),
};

/** How a file is read, and what becomes of its responses. */
const options = {
  dry_run: Type.Boolean({ default: false, description: 'Makes the report, and stores nothing.' }),
  mode: Type.Enum(['skip_bad', 'all_or_nothing'], {
    default: 'skip_bad',
    description:
      '`skip_bad` imports the responses that are not rejected. `all_or_nothing` reads the file twice: if a response is rejected, none is ' +
      'imported.',
  }),
  session: Type.Optional(Text(200, { description: 'The session of responses without one.' })),
  group: Type.Optional(Text(200, { description: 'The group of responses without one.' })),
  values: Type.Optional(
    Type.Enum(['scores', 'answers'], {
      description: 'What values are. Default: scores if all of the first rows are 0, 1 or missing.',
    }),
  ),
  layout: Type.Optional(
    Type.String({
      maxLength: 500,
      examples: ['1-8=respondent,9-48=items'],
      description: 'The columns of characters, for `responses-fixed-width`.',
    }),
  ),
  delimiter: Type.Optional(
    Type.Enum([',', ';', '\t', '|'], { description: 'What separates values, if it is not recognised.' }),
  ),
  encoding: Type.Optional(
    Type.String({ maxLength: 40, description: 'The encoding of the file, if it is not recognised.' }),
  ),
};

const json = (description: string, example: string) =>
  Type.Optional(Type.String({ maxLength: 6000, examples: [example], description }));

export const ResponseImportQuery = Type.Object(
  {
    format: Type.Optional(
      Type.Enum([...RESPONSE_FORMATS], {
        description:
          'The format of the file. Default: recognised by its content, except `responses-fixed-width`.',
      }),
    ),
    file_name: Type.Optional(Text(300, { description: 'The name of the file.' })),
    ...options,
    dry_run: Type.Optional(options.dry_run),
    mode: Type.Optional(options.mode),
    questions: json(
      'The questions of the file, by `id` or `external_id`. As a JSON array: in the order of its columns. As a JSON object: by name, or by ' +
        'number from 1. Others are matched by `id`, `external_id` or text.',
      '{"Q1":"astronomy-01"}',
    ),
    columns: json(
      'The names of columns that are not recognised, as a JSON object by field: `respondent`, `question`, `answer`, `correct`, `session`, ' +
        '`group`, `answered_at`.',
      '{"respondent":"Kandidat"}',
    ),
    missing: json(
      'Values that stand for a missing response, as a JSON object: `omitted` or `not_reached`.',
      '{"9":"not_reached"}',
    ),
  },
  strict,
);
export type ResponseImportQuery = Static<typeof ResponseImportQuery>;

const count = (description: string) => Type.Integer({ minimum: 0, description });
const Texts = Type.Record(Type.String(), Type.String());

export const ResponseImport = Type.Object(
  {
    id: Uuid({
      description: 'Also the id of the bulk change: POST /changes/{id}/cancel cancels the import.',
    }),
    status: Type.Enum([...STATUSES]),
    format: Type.Enum([...RESPONSE_FORMATS]),
    file_name: Nullable(Type.String()),
    bytes: count('The size of the file.'),
    options: Type.Object(
      {
        ...options,
        questions: Type.Optional(Type.Union([Type.Array(Type.String()), Texts])),
        columns: Type.Optional(Texts),
        missing: Type.Optional(Texts),
      },
      strict,
    ),
    by: Type.Object({ client: Type.String(), key: Nullable(Uuid()) }, strict),
    progress: Type.Number({ minimum: 0, maximum: 1 }),
    read: count('Responses that were read. With `dry_run`, what follows is what would be done with them.'),
    created: count('New responses.'),
    updated: count('Responses that replaced another one of the same question, respondent and session.'),
    unchanged: count('Responses that the bank already has.'),
    skipped: count('Responses that repeat an earlier one of the file.'),
    rejected: count('Responses that cannot be imported.'),
    matches: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'How the file names the question: its header, text or number.' }),
          question_id: Nullable(Uuid(), { description: 'Null if there is no such question.' }),
          matched_by: Nullable(Type.Enum(['parameter', 'id', 'external_id', 'text'])),
        },
        strict,
      ),
      { description: `The questions of the file, at most ${MAX_MATCHES}.` },
    ),
    reasons: Type.Array(
      Type.Object(
        {
          outcome: Type.Enum(['rejected', 'skipped', 'noticed']),
          code: Type.String({ description: 'See docs/formats.md.' }),
          detail: Type.String({ description: 'What the first one has, and what to do.' }),
          count: Type.Integer({ minimum: 1 }),
          examples: Type.Array(
            Type.Object(
              {
                line: Type.Integer({ minimum: 0, description: 'From 1; 0 if it is not known.' }),
                column: Type.Optional(Type.Integer({ minimum: 1 })),
                question_id: Type.Optional(Uuid()),
              },
              strict,
            ),
            { description: 'Where the first ones are in the file, at most 20.' },
          ),
        },
        strict,
      ),
      { description: 'Responses by reason: rejected ones first, the most frequent first.' },
    ),
    error: Nullable(Type.Object({ code: Type.String(), detail: Type.String() }, strict), {
      description: 'Why the import failed.',
    }),
    created_at: Timestamp(),
    started_at: Nullable(Timestamp()),
    finished_at: Nullable(Timestamp()),
  },
  {
    $id: 'ResponseImport',
    description: 'An import of a file of responses, which is executed in the background.',
    ...strict,
    examples: [
      {
        ...{ id: '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30', status: 'succeeded', format: 'responses-wide' },
        ...{ file_name: 'midterm.csv', bytes: 20480 },
        options: { dry_run: false, mode: 'skip_bad', session: 'midterm-2026' },
        by: { client: 'admin', key: null },
        ...{ progress: 1, read: 1200, created: 1198, updated: 0, unchanged: 0, skipped: 0, rejected: 2 },
        matches: [
          {
            name: 'astronomy-01',
            question_id: '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f31',
            matched_by: 'external_id',
          },
        ],
        reasons: [
          {
            ...{ outcome: 'rejected', code: 'no_respondent', count: 2, examples: [{ line: 12 }] },
            detail: 'The row has no respondent. Give an id.',
          },
        ],
        error: null,
        created_at: '2026-03-01T09:30:00.000Z',
        started_at: '2026-03-01T09:30:00.010Z',
        finished_at: '2026-03-01T09:30:00.320Z',
      },
    ],
  },
);

export const ResponseImportList = Type.Object(
  { data: Type.Array(ResponseImport), pagination: Pagination },
  { $id: 'ResponseImportList', description: 'Newest first.', ...strict },
);

export const ResponseImportListQuery = Type.Object(
  {
    status: Type.Optional(Type.Enum([...STATUSES], { description: 'Only imports with this status.' })),
    limit: Type.Optional(Limit),
    offset: Type.Optional(Offset),
  },
  strict,
);
export type ResponseImportListQuery = Static<typeof ResponseImportListQuery>;
