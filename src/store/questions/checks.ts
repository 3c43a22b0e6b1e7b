/** Checks that an `external_id` is the id of at most one question. */
import { errors, type Fault } from '../../errors.ts';
import type { Db } from '../db.ts';

/** The ids of the questions that have these `external_id`s. */
export async function findExternalIds(db: Db, external_ids: readonly string[]): Promise<Map<string, string>> {
  if (external_ids.length === 0) return new Map();
  const rows = await db.all<{ external_id: string; id: string }>(
    `SELECT external_id, id FROM questions
     WHERE external_id IN ${db.dialect.values('$1', 'text')}`,
    JSON.stringify(external_ids),
  );
  return new Map(rows.map(({ external_id, id }) => [external_id, id]));
}

/** Throws if questions other than `by` have these `external_id`s, or two of them are equal. */
export async function requireFreeExternalIds(
  db: Db,
  wanted: { external_id: string; pointer: string }[],
  by?: string,
): Promise<void> {
  const found = await findExternalIds(
    db,
    wanted.map(({ external_id }) => external_id),
  );
  const owners = new Map(
    [...found].filter(([, id]) => id !== by).map(([external_id, id]) => [external_id, `question ${id}`]),
  );
  const faults: Fault[] = [];
  for (const { external_id, pointer } of wanted) {
    const owner = owners.get(external_id);
    if (owner) faults.push({ pointer, code: 'external_id_taken', detail: `is the external_id of ${owner}` });
    else owners.set(external_id, `the item at ${pointer.replace('/external_id', '') || '/'}`);
  }
  if (faults.length > 0) throw errors.externalIdTaken(faults);
}
