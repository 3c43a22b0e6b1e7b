/** Parses lists of question ids, and describes their faults. */
import { Ticker } from '../concurrency/ticker.ts';
import { type Fault, MAX_FAULTS } from '../errors.ts';
import { canonicalId } from '../store/ids.ts';

const buildIdFault = (i: number, code: string, detail: string): Fault => ({
  pointer: `/question_ids/${i}`,
  code,
  detail,
});

/** Converts ids to their canonical form, undefined for an invalid one, and finds duplicates. */
export async function parseIds(
  given: unknown[],
): Promise<{ ids: (string | undefined)[]; known: string[]; faults: Fault[] }> {
  const ticker = new Ticker();
  const firstIndex = new Map<string, number>();
  const ids: (string | undefined)[] = [];
  const faults: Fault[] = [];
  for (const [i, value] of given.entries()) {
    const id = canonicalId(String(value));
    ids.push(id);
    const first = id === undefined ? i : firstIndex.getOrInsert(id, i);
    if (first !== i) faults.push(buildIdFault(i, 'duplicate', `is a duplicate of /question_ids/${first}`));
    if (ticker.due()) await ticker.yield();
  }
  return { ids, known: ids.filter((id) => id !== undefined), faults };
}

/** The faults of ids of which there is no question; `unreported` counts those beyond the maximum. */
export function findUnknownFaults(
  ids: (string | undefined)[],
  unknown: string[],
): { faults: Fault[]; unreported: number } {
  const missing = new Set(unknown.slice(0, MAX_FAULTS));
  const faults: Fault[] = [];
  for (const [i, id] of missing.size > 0 ? ids.entries() : [])
    if (id !== undefined && missing.has(id))
      faults.push(buildIdFault(i, 'unknown_question', `is ${id}, but there is no such question`));
  return { faults, unreported: unknown.length - missing.size };
}
