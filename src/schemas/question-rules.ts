/**
 * Rules between the fields of a question or of a question query. They accept invalid values as
 * well.
 */
import Format from 'typebox/format';
import type { Fault } from '../errors.ts';
import { findKindFaults } from './kind-rules.ts';
import { toNameKey } from './names.ts';
import { type QuestionFilter, toList } from './question-filter.ts';
import type { QuestionQuery } from './question-query.ts';

/**
 * Options, accepted answers and tags are distinct, and no incorrect or accepted answer equals a
 * correct one. The question may be incomplete.
 */
export function findQuestionFaults(question: unknown, pointer: string): Fault[] {
  if (typeof question !== 'object' || question === null) return [];
  const fields = question as Record<string, unknown>;
  const correct = new Set([fields.correct_answer].flat());
  const findRepeated = (name: string) => [
    ...findDuplicates(fields[name], `${pointer}/${name}`, (text) => text),
    ...listStrings(fields[name])
      .filter(({ text }) => correct.has(text))
      .map(({ index }) => ({
        pointer: `${pointer}/${name}/${index}`,
        code: 'duplicate',
        detail: 'must differ from correct_answer',
      })),
  ];
  return [
    ...findDuplicates(fields.correct_answer, `${pointer}/correct_answer`, (text) => text),
    ...findRepeated('incorrect_answers'),
    ...findRepeated('accepted_answers'),
    ...findDuplicates(fields.tags, `${pointer}/tags`, toNameKey),
  ];
}

/** The faults of a question that has all its fields. */
export const findCompleteFaults = (question: unknown, pointer: string): Fault[] => [
  ...findQuestionFaults(question, pointer),
  ...findKindFaults(question, pointer),
];

function findDuplicates(list: unknown, pointer: string, toKey: (text: string) => string): Fault[] {
  const seen = new Set<string>();
  const faults: Fault[] = [];
  for (const { text, index } of listStrings(list)) {
    const key = toKey(text);
    if (seen.has(key))
      faults.push({ pointer: `${pointer}/${index}`, code: 'duplicate', detail: 'is a duplicate' });
    seen.add(key);
  }
  return faults;
}

function listStrings(list: unknown): { text: string; index: number }[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((text, index) => (typeof text === 'string' ? [{ text, index }] : []));
}

/** `checkSearch` finds the fault of a search text. Pointers are relative to the filter. */
export function findFilterFaults(
  { q, updated_since }: QuestionFilter,
  checkSearch: (text: string) => Omit<Fault, 'pointer'> | undefined,
): Fault[] {
  const faults: Fault[] = [];
  const searchFault = q === undefined ? undefined : checkSearch(q);
  if (searchFault) faults.push({ pointer: '/q', ...searchFault });
  if (updated_since !== undefined && !isTime(updated_since))
    faults.push({
      pointer: '/updated_since',
      code: 'invalid_format',
      detail: 'must be a time such as 2026-03-01T09:30:00.000Z, or a date such as 2026-03-01',
    });
  return faults;
}

/** RFC 3339 admits leap seconds, which Date does not. */
const isTime = (text: string) =>
  (Format.IsDateTime(text) || Format.IsDate(text)) && !Number.isNaN(Date.parse(text));

/** Finds what cannot be combined with a sort or with deleted questions. */
export function findSortFaults(query: QuestionQuery): Fault[] {
  const { sort, q, deleted, include_deleted, updated_since, finding } = query;
  const fault = (pointer: string, code: string, detail: string): Fault[] => [{ pointer, code, detail }];
  if ((deleted || include_deleted) && toList(finding).length > 0)
    return fault('/finding', 'not_with_deleted', 'cannot be combined with deleted questions');
  const byDeletion = sort?.endsWith('deleted_at') ?? false;
  if (deleted && include_deleted)
    return fault('/include_deleted', 'not_with_deleted', 'cannot be combined with deleted');
  if (deleted && sort !== undefined && !byDeletion)
    return fault('/sort', 'not_with_deleted', 'must be deleted_at or -deleted_at for deleted questions');
  if (byDeletion && !deleted)
    return fault('/sort', 'requires_deleted', 'deleted_at requires the parameter deleted=true');
  if (include_deleted && (updated_since === undefined || !sort?.endsWith('updated_at')))
    return fault(
      '/include_deleted',
      'requires_updated_since',
      'requires the parameters updated_since and sort=updated_at or sort=-updated_at',
    );
  if (sort === 'relevance' && q === undefined)
    return fault('/sort', 'requires_q', 'relevance requires the parameter q');
  return findRandomFaults(query);
}

function findRandomFaults({ sort, seed, cursor, offset = 0 }: QuestionQuery): Fault[] {
  if (sort !== 'random')
    return seed === undefined
      ? []
      : [{ pointer: '/seed', code: 'requires_random', detail: 'requires the parameter sort=random' }];
  if (offset > 0)
    return [
      {
        pointer: '/offset',
        code: 'not_with_random',
        detail: 'must not be combined with sort=random; follow next_cursor',
      },
    ];
  if (cursor !== undefined && seed === undefined)
    return [{ pointer: '/seed', code: 'required', detail: 'must be the seed of the first page' }];
  return [];
}
