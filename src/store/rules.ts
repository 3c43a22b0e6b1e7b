/**
 * Rules between the fields of a question that a schema cannot say. They look at whatever is there,
 * valid or not.
 */
import type { Fault } from '../errors.ts';
import { nameKey } from './questions/facets.ts';

export function answerFaults(question: unknown, at: string): Fault[] {
  if (typeof question !== 'object' || question === null) return [];
  const { correct_answer, incorrect_answers, tags } = question as Record<string, unknown>;
  const same = (text: string) => text;
  return [
    ...repeats(incorrect_answers, `${at}/incorrect_answers`, same, 'is given twice'),
    ...strings(incorrect_answers).flatMap(({ text, i }) =>
      text === correct_answer
        ? [
            {
              pointer: `${at}/incorrect_answers/${i}`,
              code: 'duplicate',
              detail: 'is the correct answer too',
            },
          ]
        : [],
    ),
    ...repeats(tags, `${at}/tags`, nameKey, 'is given twice, case aside'),
  ];
}

function repeats(list: unknown, at: string, key: (text: string) => string, detail: string): Fault[] {
  const seen = new Set<string>();
  return strings(list).flatMap(({ text, i }) => {
    if (!seen.has(key(text))) {
      seen.add(key(text));
      return [];
    }
    return [{ pointer: `${at}/${i}`, code: 'duplicate', detail }];
  });
}

function strings(list: unknown): { text: string; i: number }[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((text, i) => (typeof text === 'string' ? [{ text, i }] : []));
}
