/**
 * The inverted index: finds any page of any filtered list without counting rows, with an exact
 * total.
 *
 * Each write allocates a slot from one running number. A question has the slot it was created at,
 * which never changes, and the slot of its last update. For each facet (all questions, a category,
 * a difficulty, a category with a difficulty, a topic, a tag, …) the table `postings` holds the slots
 * in it, in blocks of 8,192: a count and a small bitmap. A total is the sum of the counts; the page
 * at offset k is found by prefix sums and one bitmap; several facets are the intersection of their
 * bitmaps. A facet of a million questions has 122 blocks. A process caches blocks (positions.ts)
 * and reads again only those that have changed.
 *
 * A facet has three sets: the slots its questions were created at, those among them that an update
 * has left, and the slots they moved to. The order of creation is the first; the order of updates
 * is the first without the second and with the third. So a create writes one set, and most
 * questions are never updated. A fourth set has the slots at which questions of the facet were
 * deleted, so that lists of deleted questions are as exact.
 *
 * Writers do not wait for each other here. On SQLite the one writer applies its changes before it
 * commits. On PostgreSQL the newest block of "all questions" would be a row that every writer
 * locks; so a transaction appends its changes to `postings_log`, and a background step folds the
 * log into the blocks. A reader reads blocks and log in one snapshot, and so sees each change once.
 *
 * `bank_state.epoch` counts the folds, and each block carries the epoch of its last change. Within
 * an epoch the log only grows, so (epoch, rows in the log) identifies a state of the index: see
 * positions.ts.
 */
import { hash32 } from '../../bits/hash.ts';
import { errors } from '../../errors.ts';
import { computeChecksum } from '../checksum.ts';
import type { Db, Tx } from '../db.ts';
import { bigint, bytea, defineTable, generated, integer, nullable, type RowOf, text } from '../table.ts';
import { Marks } from './marks.ts';
import {
  type Block,
  changeBlock,
  offsetInBlock,
  packOffsets,
  SlotSet,
  toBlock,
  toSlot,
  unpackOffsets,
} from './slots.ts';

export type Order = 'created' | 'updated';
/** Deleted questions have an order of their own: that of their deletions. */
export type SetOrder = Order | 'deleted';

/** The names of a facet's sets in `postings`. */
export const sets = {
  created: (facet: string) => facet,
  left: (facet: string) => `${facet}/left`,
  moved: (facet: string) => `${facet}/moved`,
  deleted: (facet: string) => `${facet}/deleted`,
};

export const POSTINGS = defineTable(
  'postings',
  {
    facet: text(),
    block: bigint,
    epoch: bigint,
    n: integer,
    members: bytea,
    /** Covers the facet, the block, the count and the members. */
    checksum: nullable(integer),
  },
  'facet',
  'block',
);

const POSTINGS_LOG = defineTable(
  'postings_log',
  { id: generated(bigint), facet: text(), block: bigint, added: bytea, removed: bytea },
  'id',
);

/**
 * The totals of sets that are named by a digest. There may be many: the largest are found here, and
 * by the epoch those that have changed.
 */
export const FACET_TOTALS = defineTable('facet_totals', { facet: text(), n: bigint, epoch: bigint }, 'facet');

export const isCounted = (set: string) => /^[a-z][0-9a-f]{16}(?:\/deleted)?$/.test(set);

type StoredBlock = Block & { checksum: number | null };

export const computeBlockChecksum = (set: string, { block, n, members }: Block): number =>
  computeChecksum(members, hash32(`${set} ${block} ${n}`));

export function requireSoundBlock(set: string, block: StoredBlock): void {
  if (computeBlockChecksum(set, block) !== block.checksum)
    throw errors.damagedData(`Block ${block.block} of the index entry ${set}`);
}

/** Starts a new epoch, which invalidates what readers have cached. */
export async function nextEpoch(tx: Tx): Promise<number> {
  const row = await tx.get<{ epoch: number }>('UPDATE bank_state SET epoch = epoch + 1 RETURNING epoch');
  return row!.epoch;
}

/** Writes changes into the blocks. */
export async function applyMarks(tx: Tx, marks: Marks): Promise<void> {
  const changes = marks.changes();
  if (changes.length === 0) return;
  const rows = await tx.all<StoredBlock & { facet: string }>(
    `SELECT p.facet, p.block, p.n, p.members, p.checksum
     FROM ${tx.dialect.rows('$1', { facet: 'text', block: 'bigint' })} k
     JOIN postings p ON p.facet = k.facet AND p.block = k.block`,
    JSON.stringify(changes.map(({ set, block }) => [set, block])),
  );
  for (const row of rows) requireSoundBlock(row.facet, row);
  const blocks = new Map<string, Block>(rows.map((row) => [`${row.facet}/${row.block}`, row]));
  const epoch = await nextEpoch(tx);
  const growth = new Map<string, number>();
  await tx.insert(
    POSTINGS,
    changes.map(({ set, block, added, removed }) => {
      const old = blocks.get(`${set}/${block}`) ?? { block, n: 0, members: new Uint8Array() };
      const changed = changeBlock(old, added, removed);
      const { n, members } = changed;
      if (isCounted(set)) growth.set(set, (growth.get(set) ?? 0) + n - old.n);
      return { facet: set, block, epoch, n, members, checksum: computeBlockChecksum(set, changed) };
    }),
    `ON CONFLICT (facet, block)
     DO UPDATE SET epoch = excluded.epoch, n = excluded.n, members = excluded.members, checksum = excluded.checksum`,
  );
  await tx.insert(
    FACET_TOTALS,
    Array.from(growth, ([facet, n]) => ({ facet, n, epoch })),
    'ON CONFLICT (facet) DO UPDATE SET n = facet_totals.n + excluded.n, epoch = excluded.epoch',
  );
}

/** Appends changes to the log, which locks no block; false if there are none. */
export async function logMarks(tx: Tx, marks: Marks): Promise<boolean> {
  const rows = marks.changes().map(({ set, block, added, removed }) => ({
    facet: set,
    block,
    added: packOffsets(added),
    removed: packOffsets(removed),
  }));
  await tx.insert(POSTINGS_LOG, rows);
  return rows.length > 0;
}

type LogRow = RowOf<typeof POSTINGS_LOG>;

/** Rows of the log that one step folds in; bounds how long it has the lock. */
const FOLD_BATCH_ROWS = 5000;

/**
 * Moves rows of the log into the blocks; true if there are more. One process folds at a time,
 * others skip.
 */
export async function foldLog(tx: Tx): Promise<boolean> {
  if (!(await tx.tryLock('fold'))) return false;
  const rows = await tx.all<LogRow>(
    `SELECT id, facet, block, added, removed FROM postings_log ORDER BY id LIMIT ${FOLD_BATCH_ROWS}`,
  );
  if (rows.length === 0) return false;
  const marks = toMarks(rows);
  await applyMarks(tx, marks);
  // Changes that cancel out write no block. The epoch must end all the same, because the log gets
  // shorter.
  if (marks.changes().length === 0) await nextEpoch(tx);
  await tx.run(
    `DELETE FROM postings_log WHERE id IN ${tx.dialect.values('$1', 'bigint')}`,
    JSON.stringify(rows.map(({ id }) => id)),
  );
  return rows.length === FOLD_BATCH_ROWS;
}

/** The changes in the log for these sets. */
export async function readPendingMarks(db: Db, sets: string[]): Promise<Marks> {
  return toMarks(
    await db.all<LogRow>(
      `SELECT facet, block, added, removed FROM postings_log
       WHERE facet IN ${db.dialect.values('$1', 'text')}`,
      JSON.stringify(sets),
    ),
  );
}

/** The changes in the log for the sets of a range of names. */
export async function readPendingRange(
  db: Db,
  from: string,
  to: string,
  isWanted: (set: string) => boolean,
): Promise<Marks> {
  const rows = await db.all<LogRow>(
    'SELECT facet, block, added, removed FROM postings_log WHERE facet >= $1 AND facet < $2',
    from,
    to,
  );
  return toMarks(rows.filter(({ facet }) => isWanted(facet)));
}

/** Counts the slots of each set, in blocks and log together. */
export async function countSets(db: Db, names: string[]): Promise<Map<string, number>> {
  const rows = await db.all<{ facet: string; n: number }>(
    `SELECT facet, CAST(sum(n) AS bigint) AS n FROM postings
     WHERE facet IN ${db.dialect.values('$1', 'text')} GROUP BY facet`,
    JSON.stringify(names),
  );
  const totals = new Map(rows.map(({ facet, n }) => [facet, n]));
  for (const { set, added, removed } of (await readPendingMarks(db, names)).changes())
    totals.set(set, (totals.get(set) ?? 0) + added.length - removed.length);
  return totals;
}

/**
 * The sets that contain a slot, in blocks and log together. Reads one block of every set: for
 * repairs only. One statement reads both, because each statement of a PostgreSQL transaction has a
 * snapshot of its own, and a fold between two would hide the slot.
 */
export async function findSetsWith(db: Db, slot: number): Promise<Set<string>> {
  const rows = await db.all<(StoredBlock & { facet: string }) | (LogRow & { members: null })>(
    `SELECT facet, block, n, members, checksum, NULL AS added, NULL AS removed
     FROM postings WHERE block = $1
     UNION ALL
     SELECT facet, block, NULL, NULL, NULL, added, removed FROM postings_log WHERE block = $1`,
    toBlock(slot),
  );
  const found = new Set<string>();
  const logged: LogRow[] = [];
  for (const row of rows)
    if (row.members === null) logged.push(row);
    else if (contains(row, slot)) found.add(row.facet);
  for (const { set, added, removed } of toMarks(logged).changes()) {
    if (added.includes(offsetInBlock(slot))) found.add(set);
    if (removed.includes(offsetInBlock(slot))) found.delete(set);
  }
  return found;
}

function contains(block: Block, slot: number): boolean {
  const set = new SlotSet([block]);
  return set.rank(slot + 1) > set.rank(slot);
}

function toMarks(rows: Pick<LogRow, 'facet' | 'block' | 'added' | 'removed'>[]): Marks {
  const marks = new Marks();
  for (const { facet, block, added, removed } of rows) {
    for (const offset of unpackOffsets(added)) marks.add(facet, toSlot(block, offset));
    for (const offset of unpackOffsets(removed)) marks.remove(facet, toSlot(block, offset));
  }
  return marks;
}
