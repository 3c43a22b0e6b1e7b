/** Formats of files in the API, and exports. */
import type { Static } from 'typebox';
import { CONTAINS_ANSWERS } from './answers.ts';
import { filterParameters, type QuestionFilter } from './question-filter.ts';
import { Type } from './type.ts';

/** The formats that questions are written in, with their media types. */
export const EXPORT_TYPES = {
  jsonl: 'application/jsonl',
  json: 'application/json',
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  gift: 'text/x-gift',
  aiken: 'text/x-aiken',
  'moodle-xml': 'application/vnd.moodle.quiz+xml',
  'qti-2.1': 'application/zip',
  'qti-2.2': 'application/zip',
  'qti-3.0': 'application/zip',
  anki: 'text/x-anki',
  apkg: 'application/apkg',
  opentdb: 'application/json',
} as const;
export type ExportFormat = keyof typeof EXPORT_TYPES;
const EXPORT_FORMATS = Object.keys(EXPORT_TYPES) as ExportFormat[];

/** The formats that questions are read from. */
export const IMPORT_FORMATS = [...EXPORT_FORMATS, 'qti-1.2'] as const;

/** The size of a file that is imported through the API. */
export const DEFAULT_MAX_IMPORT_BYTES = 64 * 1024 * 1024;

const SORTS = ['created_at', '-created_at', 'updated_at', '-updated_at'] as const;

export const ExportQuery = Type.Object(
  {
    ...filterParameters,
    format: Type.Optional(
      Type.Enum(EXPORT_FORMATS, {
        default: 'jsonl',
        description: 'The format of the file. `jsonl`, `json`, `csv`, `tsv` and `xlsx` lose nothing.',
      }),
    ),
    sort: Type.Optional(Type.Enum([...SORTS], { default: 'created_at' })),
    dry_run: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'With `true`, respond with what the format would lose instead of the file.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type ExportQuery = QuestionFilter & {
  format?: ExportFormat;
  sort?: (typeof SORTS)[number];
  dry_run?: boolean;
};

export const ExportReport = Type.Object(
  {
    format: Type.Enum(EXPORT_FORMATS),
    question_count: Type.Integer({ minimum: 0, description: 'The number of questions that match.' }),
    losses: Type.Array(
      Type.Object(
        {
          code: Type.String({ description: 'See docs/formats.md.' }),
          count: Type.Integer({ minimum: 1, description: 'The number of questions.' }),
          detail: Type.String({ description: 'What is lost of the first one.' }),
          questions: Type.Array(Type.Integer({ minimum: 1 }), {
            description: 'The numbers of the first ones in the order of the file, from 1.',
          }),
        },
        { additionalProperties: false },
      ),
      { description: 'What the format does not keep, the most frequent first.' },
    ),
  },
  {
    $id: 'ExportReport',
    description: 'What an export would lose.',
    additionalProperties: false,
    examples: [
      {
        format: 'aiken',
        question_count: 120,
        losses: [
          { code: 'kind_not_written', count: 2, detail: 'Not a question with options.', questions: [7, 9] },
        ],
      },
    ],
  },
);
export type ExportReport = Static<typeof ExportReport>;

const File = { schema: Type.String() };
const ExportedQuestion = Type.Object({}, { ...CONTAINS_ANSWERS, additionalProperties: true });
const JsonFile = Type.Union([
  ExportReport,
  Type.Array(ExportedQuestion, { description: 'The questions, with `format=json`.' }),
  Type.Object(
    { response_code: Type.Integer(), results: Type.Array(ExportedQuestion) },
    { additionalProperties: false, description: 'The questions, with `format=opentdb`.' },
  ),
]);

/** The content of a file of questions, by media type. */
export const ExportedFile = {
  description: 'The file, or with `dry_run` the report.',
  content: {
    ...Object.fromEntries(Object.values(EXPORT_TYPES).map((type) => [type, File])),
    'application/json': { schema: JsonFile },
  },
};
