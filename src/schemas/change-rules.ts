/** Rules between the fields of a request for a bulk change. */
import type { Fault } from '../errors.ts';

const SELECTIONS = ['filter', 'question_ids', 'finding'] as const;
const ACTIONS = ['change', 'delete', 'apply_remedy'] as const;

/** Exactly one selection and one action. */
export function findBulkFaults(body: Record<string, unknown>): Fault[] {
  const faults = [...requireOne(body, SELECTIONS), ...requireOne(body, ACTIONS)];
  const change = body.change as Record<string, unknown> | undefined;
  if (typeof change !== 'object' || change === null) return faults;
  if (Object.keys(change).length === 0)
    faults.push({ pointer: '/change', code: 'too_few', detail: 'must have at least one field' });
  for (const name of ['add_tags', 'remove_tags'])
    if (change.tags !== undefined && change[name] !== undefined)
      faults.push({ pointer: `/change/${name}`, code: 'conflict', detail: 'must not be combined with tags' });
  return faults;
}

function requireOne(body: Record<string, unknown>, names: readonly string[]): Fault[] {
  const given = names.filter((name) => body[name] !== undefined);
  if (given.length === 0)
    return [{ pointer: '', code: 'required', detail: `must have one of ${names.join(', ')}` }];
  return given.slice(1).map((name) => ({
    pointer: `/${name}`,
    code: 'conflict',
    detail: `must not be combined with ${given[0]}`,
  }));
}
