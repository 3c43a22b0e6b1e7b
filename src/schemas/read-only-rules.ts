/** Read-only fields in a request: a new question has none, a change may repeat their values. */
import type { Fault } from '../errors.ts';
import { READ_ONLY_FIELDS } from './question.ts';

/** Faults of a new question, whose read-only fields are assigned. */
export function findAssignedFaults(question: unknown, pointer: string): Fault[] {
  return listSent(question).map((name) => ({
    pointer: `${pointer}/${name}`,
    code: 'read_only',
    detail: 'is assigned to a new question; leave it out',
  }));
}

const MAX_SHOWN_CHARS = 200;

/** Faults of a change of a question. The caller may see all of it: the faults disclose values. */
export function findReadOnlyFaults(
  change: object,
  current: Record<string, unknown>,
  pointer: string,
): Fault[] {
  return listSent(change).flatMap((name) => {
    const value = JSON.stringify(current[name]);
    if (JSON.stringify((change as Record<string, unknown>)[name]) === value) return [];
    const shown = value && value.length > MAX_SHOWN_CHARS ? `${value.slice(0, MAX_SHOWN_CHARS)}…` : value;
    const detail = shown === undefined ? 'the question has none' : `its current value is ${shown}`;
    return [{ pointer: `${pointer}/${name}`, code: 'read_only', detail: `is read-only; ${detail}` }];
  });
}

const listSent = (body: unknown): string[] =>
  typeof body === 'object' && body !== null
    ? READ_ONLY_FIELDS.filter((name) => Object.hasOwn(body, name))
    : [];
