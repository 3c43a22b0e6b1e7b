/** Imports of files of questions. */
import type { Static } from 'typebox';
import { CONTAINS_ANSWERS } from './answers.ts';
import { Limit, Nullable, Offset, Pagination, Text, Timestamp, Uuid } from './common.ts';
import { LEVELS } from './difficulties.ts';
import { IMPORT_FORMATS } from './transfer.ts';
import { Type } from './type.ts';

const MODES = ['skip_bad', 'all_or_nothing'] as const;
const ON_MATCH = ['skip', 'update', 'error'] as const;
const STATUSES = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;

/** How a file is read, and what becomes of its questions. */
const options = {
  dry_run: Type.Boolean({ default: false, description: 'Makes the report, and stores nothing.' }),
  mode: Type.Enum([...MODES], {
    default: 'skip_bad',
    description:
      '`skip_bad` imports the items that are not rejected. `all_or_nothing` reads the file twice: if an item is rejected, nothing is imported.',
  }),
  on_match: Type.Enum([...ON_MATCH], {
    default: 'skip',
    description:
      'What becomes of an item whose `external_id`, or whose text and answers, a question of the bank has: it is skipped, it updates that ' +
      'question as PATCH does, or it is rejected. Questions with different `external_id`s never match.',
  }),
  create_categories: Type.Boolean({
    default: false,
    description: 'Creates categories that the bank does not have. Requires `categories:write`.',
  }),
  category: Type.Optional(Text(200, { description: 'The category of new questions without one.' })),
  difficulty: Type.Optional(
    Type.Integer({ ...LEVELS, description: 'The difficulty of new questions without one.' }),
  ),
  encoding: Type.Optional(
    Type.String({ maxLength: 40, description: 'The encoding of the file, if it is not recognised.' }),
  ),
  media: Type.Optional(
    Type.Enum(['reject', 'drop'], {
      description: 'What becomes of questions with pictures that have no alternative text.',
    }),
  ),
  html_to: Type.Optional(
    Type.Enum(['text', 'markdown'], { description: 'What HTML is converted to. Default: `text`.' }),
  ),
  lenient: Type.Optional(
    Type.Boolean({ description: 'Accepts deviations from the format that docs/formats.md names.' }),
  ),
};

export const ImportQuery = Type.Object(
  {
    format: Type.Optional(
      Type.Enum([...IMPORT_FORMATS], {
        description:
          'The format of the file. Default: that of `Content-Type`, else it is recognised by its content.',
      }),
    ),
    file_name: Type.Optional(
      Text(300, { description: 'The name of the file, which helps to recognise it.' }),
    ),
    ...options,
    dry_run: Type.Optional(options.dry_run),
    mode: Type.Optional(options.mode),
    on_match: Type.Optional(options.on_match),
    create_categories: Type.Optional(options.create_categories),
    category_map: Type.Optional(
      Type.String({
        maxLength: 4000,
        examples: ['{"Geo/Europe":"Geography"}'],
        description: 'Categories of the bank by categories of the file, as a JSON object.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type ImportQuery = Static<typeof ImportQuery>;

export const CategoryMap = Type.Record(Type.String(), Text(200));

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const Import = Type.Object(
  {
    id: Uuid({ description: 'Also the id of the bulk change: POST /changes/{id}/undo undoes the import.' }),
    kind: Type.Enum(['questions'], { description: 'What the file has.' }),
    status: Type.Enum([...STATUSES]),
    format: Type.Enum([...IMPORT_FORMATS]),
    file_name: Nullable(Type.String()),
    bytes: count('The size of the file.'),
    options: Type.Object(
      { ...options, category_map: Type.Optional(Type.Record(Type.String(), Type.String())) },
      { additionalProperties: false },
    ),
    by: Type.Object({ client: Type.String(), key: Nullable(Uuid()) }, { additionalProperties: false }),
    progress: Type.Number({ minimum: 0, maximum: 1 }),
    read: count('Items that were read. With `dry_run`, what follows is what would be done with them.'),
    created: count('New questions.'),
    updated: count('Questions of the bank that items updated.'),
    unchanged: count('Items that the bank already has as they are.'),
    skipped: count('Duplicates.'),
    rejected: count('Items that cannot be imported.'),
    new_categories: Type.Array(Type.String(), { description: 'Categories that were created.' }),
    reasons: Type.Array(
      Type.Object(
        {
          outcome: Type.Enum(['rejected', 'skipped', 'noticed'], {
            description: '`noticed` items are imported, and lose something or need attention.',
          }),
          code: Type.String({ description: 'See docs/formats.md.' }),
          detail: Type.String({ description: 'What the first one has, and what to do.' }),
          count: Type.Integer({ minimum: 1 }),
          examples: Type.Array(
            Type.Object(
              {
                line: Type.Integer({ minimum: 0, description: 'From 1; 0 if it is not known.' }),
                column: Type.Optional(Type.Integer({ minimum: 1 })),
                path: Type.Optional(Type.String({ description: 'The file within a package.' })),
                question_id: Type.Optional(Uuid({ description: 'The question of the bank.' })),
              },
              { additionalProperties: false },
            ),
            { description: 'Where the first ones are in the file, at most 20.' },
          ),
        },
        { additionalProperties: false },
      ),
      { description: 'Items by reason: rejected ones first, the most frequent first.' },
    ),
    undo_id: Nullable(Uuid(), {
      description:
        'The change that undoes an import of all or nothing: an item was rejected after the check, because the bank had changed.',
    }),
    error: Nullable(
      Type.Object({ code: Type.String(), detail: Type.String() }, { additionalProperties: false }),
      { description: 'Why the import failed.' },
    ),
    created_at: Timestamp(),
    started_at: Nullable(Timestamp()),
    finished_at: Nullable(Timestamp()),
  },
  {
    $id: 'Import',
    ...CONTAINS_ANSWERS,
    description: 'An import of a file, which is executed in the background.',
    additionalProperties: false,
    examples: [
      {
        id: '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30',
        kind: 'questions',
        status: 'succeeded',
        format: 'gift',
        file_name: 'history.gift',
        bytes: 20480,
        options: {
          dry_run: false,
          mode: 'skip_bad',
          on_match: 'skip',
          create_categories: false,
          difficulty: 1,
        },
        by: { client: 'admin', key: null },
        progress: 1,
        read: 214,
        created: 201,
        updated: 0,
        unchanged: 0,
        skipped: 6,
        rejected: 7,
        new_categories: [],
        reasons: [
          {
            outcome: 'rejected',
            code: 'unsupported_essay',
            detail: 'An essay has no answer that can be scored.',
            count: 7,
            examples: [{ line: 12 }],
          },
        ],
        undo_id: null,
        error: null,
        created_at: '2026-03-01T09:30:00.000Z',
        started_at: '2026-03-01T09:30:00.010Z',
        finished_at: '2026-03-01T09:30:00.320Z',
      },
    ],
  },
);

export const ImportList = Type.Object(
  { data: Type.Array(Import), pagination: Pagination },
  { $id: 'ImportList', description: 'Newest first.', additionalProperties: false },
);

export const ImportListQuery = Type.Object(
  {
    status: Type.Optional(Type.Enum([...STATUSES], { description: 'Only imports with this status.' })),
    limit: Type.Optional(Limit),
    offset: Type.Optional(Offset),
  },
  { additionalProperties: false },
);
export type ImportListQuery = Static<typeof ImportListQuery>;
