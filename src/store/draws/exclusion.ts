/** The questions that a draw leaves out. */
import { errors, type Fault } from '../../errors.ts';
import type { Db } from '../db.ts';
import { canonicalId } from '../ids.ts';
import { type SittingRow, unpack } from '../responses/sittings.ts';
import { type DrawRow, readHandedOut } from './row.ts';

export interface Exclusion {
  question_ids?: string[];
  /** Questions that the respondent has answered, or that were handed out to them. */
  respondent?: string;
  draws?: string[];
}

export interface Excluded {
  slots: ReadonlySet<number>;
  /** The number of draws of the respondent; null without one. */
  drawsBefore: number | null;
}

/** Ids looked up by one statement. */
const LOOKUP_BATCH_SIZE = 5000;

interface Drawer {
  exclude: Exclusion;
  client: string;
  readsAll: boolean;
}

/** Runs within a snapshot. Unknown questions are ignored: there is nothing to leave out. */
export async function readExcluded(db: Db, { exclude, client, readsAll }: Drawer): Promise<Excluded> {
  const slots = new Set<number>();
  const add = (some: Iterable<number>) => {
    for (const slot of some) slots.add(slot);
  };
  const ids = (exclude.question_ids ?? []).flatMap((id) => canonicalId(id) ?? []);
  for (let i = 0; i < ids.length; i += LOOKUP_BATCH_SIZE) {
    const rows = await db.all<{ created_slot: number }>(
      `SELECT created_slot FROM questions WHERE id IN ${db.dialect.values('$1', 'uuid')}`,
      JSON.stringify(ids.slice(i, i + LOOKUP_BATCH_SIZE)),
    );
    add(rows.map(({ created_slot }) => created_slot));
  }
  add(await readSlotsOfDraws(db, exclude.draws ?? [], { client, readsAll }));
  if (exclude.respondent === undefined) return { slots, drawsBefore: null };
  const sittings = await db.all<Pick<SittingRow, 'responses'>>(
    'SELECT responses FROM sittings WHERE respondent = $1',
    exclude.respondent,
  );
  for (const { responses } of sittings) add(unpack(responses).map(({ slot }) => slot));
  const handedOut = await readHandedOut(db, exclude.respondent);
  add(handedOut.slots);
  return { slots, drawsBefore: handedOut.draws };
}

async function readSlotsOfDraws(
  db: Db,
  given: string[],
  { client, readsAll }: Pick<Drawer, 'client' | 'readsAll'>,
): Promise<number[]> {
  if (given.length === 0) return [];
  const rows = await db.all<Pick<DrawRow, 'id' | 'slots'>>(
    `SELECT id, slots FROM draws
     WHERE id IN ${db.dialect.values('$1', 'uuid')} AND (client_id = $2 OR $3 = 1)`,
    JSON.stringify(given.flatMap((id) => canonicalId(id) ?? [])),
    client,
    readsAll ? 1 : 0,
  );
  const known = new Set(rows.map(({ id }) => id));
  const faults = given.flatMap((id, i): Fault[] =>
    known.has(canonicalId(id) ?? '')
      ? []
      : [{ pointer: `/exclude/draws/${i}`, code: 'unknown_draw', detail: `is ${id}, which no draw has` }],
  );
  if (faults.length > 0) throw errors.invalidBody(faults);
  return rows.flatMap(({ slots }): number[] => JSON.parse(slots));
}
