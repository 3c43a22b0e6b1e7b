/** Rules between the fields of a response. They accept invalid values as well. */
import type { Fault } from '../errors.ts';

const MIN_TIME_MS = Date.parse('0000-01-01T00:00:00Z');
const MAX_TIME_MS = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * A response has exactly one of `answer`, `correct` and `missing`, and a time that can be stored.
 */
export function findResponseFaults(input: unknown, pointer: string): Fault[] {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return [];
  const { answer, correct, missing, answered_at } = input as Record<string, unknown>;
  const faults: Fault[] = [];
  const outcomes = [answer, correct, missing].filter((value) => value !== undefined).length;
  if (outcomes === 0)
    faults.push({
      pointer: `${pointer}/answer`,
      code: 'required',
      detail: 'is required, unless correct or missing is given',
    });
  if (outcomes > 1)
    faults.push({
      pointer,
      code: 'conflict',
      detail: 'must have only one of answer, correct and missing',
    });
  // RFC 3339 admits leap seconds, which Date does not; and an offset can move the year out of
  // range.
  if (typeof answered_at === 'string' && !isStorable(Date.parse(answered_at)))
    faults.push({
      pointer: `${pointer}/answered_at`,
      code: 'invalid_format',
      detail: 'must be a time such as 2026-03-01T09:30:00.000Z',
    });
  return faults;
}

const isStorable = (ms: number) => ms >= MIN_TIME_MS && ms <= MAX_TIME_MS;
