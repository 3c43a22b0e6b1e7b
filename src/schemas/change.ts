/** Bulk changes: their requests, their state, and the merging of questions and categories. */
import type { Static } from 'typebox';
import { CONTAINS_ANSWERS } from './answers.ts';
import { Limit, Nullable, Offset, Pagination, Text, Timestamp, Uuid } from './common.ts';
import { MAX_TAGS, QuestionChange } from './question.ts';
import { QuestionFilter } from './question-filter.ts';
import { Type } from './type.ts';

const { external_id: _, ...changeable } = QuestionChange.properties;
const TagList = Type.Array(Text(100), { minItems: 1, maxItems: MAX_TAGS });

export const BulkFields = Type.Object(
  {
    ...changeable,
    add_tags: Type.Optional({ ...TagList, description: 'Tags to add where they are missing.' }),
    remove_tags: Type.Optional({ ...TagList, description: 'Tags to remove, compared case-insensitively.' }),
  },
  {
    $id: 'BulkFields',
    ...CONTAINS_ANSWERS,
    description:
      'The fields of `QuestionChange` except `external_id`, which is unique, and tags to add or remove. Absent fields keep their value; ' +
      'null clears an optional field.',
    additionalProperties: false,
    examples: [{ difficulty: 2, add_tags: ['reviewed'] }],
  },
);
export type BulkFields = Static<typeof BulkFields>;

const Remedy = Type.Object(
  {
    analysis_id: Uuid({ description: 'A run of `quality` that has succeeded.' }),
    rules: Type.Optional(
      Type.Array(Text(100), {
        minItems: 1,
        maxItems: 100,
        description: 'Only the remedies of these rules; without it, of all.',
      }),
    ),
  },
  { additionalProperties: false },
);

const FindingSelection = Type.Object(
  {
    analysis_id: Uuid({ description: 'A run that has succeeded.' }),
    name: Type.Optional(
      Text(100, {
        description: 'Questions with this finding, such as a rule or a flag; without it, all with a finding.',
      }),
    ),
  },
  { additionalProperties: false },
);

const MAX_BULK_IDS = 100_000;

export const BulkRequest = Type.Object(
  {
    filter: Type.Optional(QuestionFilter),
    question_ids: Type.Optional(
      Type.Array(Uuid(), {
        minItems: 1,
        maxItems: MAX_BULK_IDS,
        description: 'The questions, without duplicates.',
      }),
    ),
    finding: Type.Optional(FindingSelection),
    change: Type.Optional(BulkFields),
    delete: Type.Optional(Type.Literal(true, { description: 'Deletes the questions.' })),
    apply_remedy: Type.Optional(Remedy),
    expected: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'The number of questions you expect to match. If it differs, nothing is done.',
      }),
    ),
    dry_run: Type.Optional(
      Type.Boolean({ description: 'With `true`, counts and shows a sample; nothing is stored.' }),
    ),
  },
  {
    $id: 'BulkRequest',
    ...CONTAINS_ANSWERS,
    description:
      'Exactly one of `filter`, `question_ids` and `finding` selects the questions; `{}` as `filter` selects all. Exactly one of `change`, ' +
      '`delete` and `apply_remedy` says what to do.',
    additionalProperties: false,
    examples: [{ filter: { category: 'Astronomy' }, change: { add_tags: ['space'] } }],
  },
);
export type BulkRequest = Static<typeof BulkRequest>;

const Reasons = Type.Array(
  Type.Object(
    {
      code: Type.String({
        description:
          'The code of a fault or a problem, such as `duplicate`, `too_many`, `external_id_taken` or `no_such_question`; `changed_since` if the ' +
          'question has changed since the analysis or the change; `remedies_overlap` if some remedies of a question were left out.',
      }),
      count: Type.Integer({ minimum: 1 }),
      question_ids: Type.Array(Uuid(), {
        description: 'The first 100. Questions that were deleted meanwhile are counted and not listed.',
      }),
    },
    { additionalProperties: false },
  ),
  { description: 'Why questions were refused, and by which code.' },
);

const counts = {
  changed: Type.Integer({ minimum: 0, description: 'Questions with a new revision.' }),
  unchanged: Type.Integer({ minimum: 0, description: 'Questions on which the change has no effect.' }),
  refused: Type.Integer({ minimum: 0, description: 'Questions that were left as they are; see `reasons`.' }),
  reasons: Reasons,
};

const Fields = Type.Object(
  {},
  { ...CONTAINS_ANSWERS, additionalProperties: true, description: 'Fields of the question.' },
);

export const BulkPreview = Type.Object(
  {
    question_count: Type.Integer({ minimum: 0, description: 'Questions that match.' }),
    examined: Type.Integer({
      minimum: 0,
      description: 'Questions that were examined for the counts: all, unless there are too many.',
    }),
    ...counts,
    sample: Type.Array(
      Type.Object(
        {
          question_id: Uuid(),
          before: Nullable(Fields, { description: 'The fields that change, as they are.' }),
          after: Nullable(Fields, {
            description: 'The fields that change, as they would be; null if the question would be deleted.',
          }),
        },
        { additionalProperties: false },
      ),
      { description: 'The first ten questions that would change.' },
    ),
  },
  {
    $id: 'BulkPreview',
    ...CONTAINS_ANSWERS,
    description: 'What the change would do. Nothing was stored.',
    additionalProperties: false,
    examples: [
      {
        question_count: 12,
        examined: 12,
        changed: 11,
        unchanged: 1,
        refused: 0,
        reasons: [],
        sample: [
          {
            question_id: '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30',
            before: { tags: [] },
            after: { tags: ['space'] },
          },
        ],
      },
    ],
  },
);
export type BulkPreview = Static<typeof BulkPreview>;

const CHANGE_STATUS = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;
const CHANGE_KINDS = [
  ...(['update', 'delete', 'apply_remedy', 'merge_questions', 'merge_categories'] as const),
  ...(['import', 'undo'] as const),
] as const;

export const Change = Type.Object(
  {
    id: Uuid(),
    kind: Type.Enum([...CHANGE_KINDS]),
    status: Type.Enum([...CHANGE_STATUS]),
    by: Type.Object({ client: Type.String(), key: Nullable(Uuid()) }, { additionalProperties: false }),
    request: Type.Object(
      {
        filter: Type.Optional(QuestionFilter),
        finding: Type.Optional(FindingSelection),
        change: Type.Optional(BulkFields),
        delete: Type.Optional(Type.Literal(true)),
        apply_remedy: Type.Optional(Remedy),
        survivor_id: Type.Optional(Uuid({ description: 'The question that others are merged into.' })),
        merged_ids: Type.Optional(Type.Array(Uuid())),
        category_id: Type.Optional(Uuid({ description: 'The category that others are merged into.' })),
        merged_category_ids: Type.Optional(Type.Array(Uuid())),
        format: Type.Optional(Type.String({ description: 'The format of the file of an import.' })),
        file_name: Type.Optional(Nullable(Type.String())),
        dry_run: Type.Optional(Type.Boolean()),
        undo_of: Type.Optional(Uuid({ description: 'The change that is undone.' })),
      },
      {
        additionalProperties: false,
        description: 'What was requested. Without a selection, the questions were given by their ids.',
      },
    ),
    question_count: Type.Integer({
      minimum: 0,
      description: 'Questions that matched when it was requested.',
    }),
    processed: Type.Integer({ minimum: 0 }),
    progress: Type.Number({ minimum: 0, maximum: 1 }),
    ...counts,
    responses_moved: Type.Integer({ minimum: 0, description: 'Responses that a merge has moved.' }),
    error: Nullable(
      Type.Object({ code: Type.String(), detail: Type.String() }, { additionalProperties: false }),
      { description: 'Why the change failed. What was done until then can be undone.' },
    ),
    created_at: Timestamp(),
    started_at: Nullable(Timestamp()),
    finished_at: Nullable(Timestamp()),
  },
  {
    $id: 'Change',
    ...CONTAINS_ANSWERS,
    description: 'A change of many questions, which is executed in the background.',
    additionalProperties: false,
    examples: [
      {
        id: '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30',
        kind: 'update',
        status: 'succeeded',
        by: { client: 'admin', key: null },
        request: { filter: { category: 'Astronomy' }, change: { add_tags: ['space'] } },
        question_count: 12,
        processed: 12,
        progress: 1,
        changed: 11,
        unchanged: 1,
        refused: 0,
        reasons: [],
        responses_moved: 0,
        error: null,
        created_at: '2026-03-01T09:30:00.000Z',
        started_at: '2026-03-01T09:30:00.010Z',
        finished_at: '2026-03-01T09:30:00.120Z',
      },
    ],
  },
);

export const ChangeList = Type.Object(
  { data: Type.Array(Change), pagination: Pagination },
  { $id: 'ChangeList', description: 'Newest first.', additionalProperties: false },
);

export const ChangeListQuery = Type.Object(
  {
    status: Type.Optional(Type.Enum([...CHANGE_STATUS], { description: 'Only changes with this status.' })),
    limit: Type.Optional(Limit),
    offset: Type.Optional(Offset),
  },
  { additionalProperties: false },
);
export type ChangeListQuery = Static<typeof ChangeListQuery>;

const MergedIds = (description: string) => Type.Array(Uuid(), { minItems: 1, maxItems: 100, description });

export const MergeRequest = Type.Object(
  { question_ids: MergedIds('The questions to merge into this one, without duplicates.') },
  {
    $id: 'MergeRequest',
    additionalProperties: false,
    examples: [{ question_ids: ['01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30'] }],
  },
);
export type MergeRequest = Static<typeof MergeRequest>;

export const CategoryMergeRequest = Type.Object(
  { category_ids: MergedIds('The categories to merge into this one, without duplicates.') },
  {
    $id: 'CategoryMergeRequest',
    additionalProperties: false,
    examples: [{ category_ids: ['01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30'] }],
  },
);
export type CategoryMergeRequest = Static<typeof CategoryMergeRequest>;
