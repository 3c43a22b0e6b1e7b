/** Rules between the fields of a draw. They accept invalid values as well. */
import type { Fault } from '../errors.ts';
import { MAX_DRAWN } from './draw.ts';
import { findResponseFaults } from './response-rules.ts';

export function findDrawFaults(body: unknown): Fault[] {
  if (typeof body !== 'object' || body === null) return [];
  const { count, quotas } = body as { count?: unknown; quotas?: unknown };
  if (count === undefined && quotas === undefined)
    return [{ pointer: '/count', code: 'required', detail: 'is required, unless there are quotas' }];
  if (count !== undefined && quotas !== undefined)
    return [{ pointer: '/quotas', code: 'conflict', detail: 'must not be combined with count' }];
  const total = Array.isArray(quotas)
    ? quotas.reduce((sum, quota) => sum + (Number(quota?.count) || 0), 0)
    : 0;
  return total > MAX_DRAWN
    ? [
        {
          pointer: '/quotas',
          code: 'too_many',
          detail: `must ask for at most ${MAX_DRAWN} questions together`,
        },
      ]
    : [];
}

/** Responses are to different questions of the draw. The body has passed its schema. */
export function findAnswerFaults(
  answers: readonly { question_id: string }[],
  drawn: ReadonlySet<string>,
): Fault[] {
  const seen = new Set<string>();
  return answers.flatMap((answer, i) => {
    const pointer = `/responses/${i}`;
    const id = answer.question_id.toLowerCase();
    const faults = findResponseFaults(answer, pointer);
    const add = (code: string, detail: string) =>
      faults.push({ pointer: `${pointer}/question_id`, code, detail });
    if (!drawn.has(id)) add('unknown_question', 'is not a question of the draw');
    if (seen.has(id)) add('duplicate', 'is a duplicate');
    seen.add(id);
    return faults;
  });
}
