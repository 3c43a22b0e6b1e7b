/**
 * Rules between the fields of a question or of a question query. They accept invalid values as
 * well.
 */
import type { Fault } from '../errors.ts';
import { toNameKey } from './names.ts';
import type { QuestionFilter } from './question.ts';

/** Options and tags are distinct, and no incorrect answer equals the correct one. */
export function findQuestionFaults(question: unknown, pointer: string): Fault[] {
  if (typeof question !== 'object' || question === null) return [];
  const { correct_answer, incorrect_answers, tags } = question as Record<string, unknown>;
  const equalsCorrect = listStrings(incorrect_answers).filter(({ text }) => text === correct_answer);
  return [
    ...findDuplicates(incorrect_answers, `${pointer}/incorrect_answers`, (text) => text),
    ...equalsCorrect.map(({ index }) => ({
      pointer: `${pointer}/incorrect_answers/${index}`,
      code: 'duplicate',
      detail: 'must differ from correct_answer',
    })),
    ...findDuplicates(tags, `${pointer}/tags`, toNameKey),
  ];
}

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
  // RFC 3339 admits leap seconds, which Date does not.
  if (updated_since !== undefined && Number.isNaN(Date.parse(updated_since)))
    faults.push({
      pointer: '/updated_since',
      code: 'invalid_format',
      detail: 'must be a time such as 2026-03-01T09:30:00.000Z',
    });
  return faults;
}

export const findSortFaults = ({ sort, q }: { sort?: string; q?: string }): Fault[] =>
  sort === 'relevance' && q === undefined
    ? [{ pointer: '/sort', code: 'requires_q', detail: 'relevance requires the parameter q' }]
    : [];
