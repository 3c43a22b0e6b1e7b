/**
 * How any page of any filtered list is found without counting, and how every total is exact.
 *
 * Each write takes a slot from one running number. A question stands at the slot it was created at, which never changes,
 * and, once it was updated, at the slot of its last update. For each facet (all questions, a category, a difficulty, a
 * category with a difficulty, a topic, a tag) the table `postings` holds which slots are in it, in blocks of 8,192 slots:
 * a count and a small bitmap. A total is the sum of the counts; the page at offset k is found by the running counts and
 * one look into a bitmap; several facets are the intersection of their bitmaps. A million questions have 122 blocks in a
 * facet. This process remembers blocks it has read (positions.ts) and reads again only what has changed since.
 *
 * A facet has three sets: the slots its questions were created at, those among them that were left by an update, and the
 * slots they moved to. The order of creation is the first; the order of updates is the first without the second and
 * with the third. So a create writes one set, and most questions are never updated.
 *
 * Writes never wait for one another over this. On SQLite the one writer folds its changes in before it commits. On
 * PostgreSQL, where many write at once and the newest block of "all questions" would be the row that everybody
 * waits for, a transaction appends its changes to `postings_log` and a short background step folds the log in. A
 * reader takes blocks and log in one snapshot, so that it sees each change once, wherever it stands.
 *
 * `bank_state.epoch` counts the folds, and each block carries the epoch it was last changed in. Within an epoch the log only
 * grows, so (epoch, rows in the log) names a state of the index exactly: see positions.ts for what that is good for.
 */
import type { Db, Table, Tx } from '../db.ts';
import { type Block, blockOf, changed, packPlaces, placeOf, slotAt, unpackPlaces } from './slots.ts';

export type Order = 'created' | 'updated';

/** The names under which a facet's sets are kept. */
export const sets = {
  created: (facet: string) => facet,
  left: (facet: string) => `${facet}/left`,
  moved: (facet: string) => `${facet}/moved`,
};

/**
 * Changes to the postings, gathered by set: a slot where it is added, its negative where it is removed. Sums need no
 * order, so it does not matter in which order transactions are read back from the log.
 */
export class Marks {
  readonly #bySet = new Map<string, number[]>();

  add(set: string, slot: number): void {
    this.#bySet.getOrInsertComputed(set, () => []).push(slot);
  }

  remove(set: string, slot: number): void {
    this.#bySet.getOrInsertComputed(set, () => []).push(-slot);
  }

  merge(others: Marks): void {
    for (const [set, slots] of others.#bySet) {
      const known = this.#bySet.get(set);
      if (known) for (const slot of slots) known.push(slot);
      else this.#bySet.set(set, slots);
    }
  }

  /** What is left after sums that come to nothing. */
  changes(): Change[] {
    const changes: Change[] = [];
    for (const [set, slots] of this.#bySet) {
      const blocks = new Map<number, Change>();
      for (const slot of summed(slots)) {
        const block = blockOf(Math.abs(slot));
        const change = blocks.getOrInsertComputed(block, () => ({ set, block, added: [], removed: [] }));
        if (slot > 0) change.added.push(placeOf(slot));
        else change.removed.push(placeOf(-slot));
      }
      changes.push(...blocks.values());
    }
    return changes;
  }
}

/** Adding and removing the same slot cancel out. */
function summed(slots: number[]): number[] {
  if (slots.every((slot) => slot > 0)) return slots;
  const sums = new Map<number, number>();
  for (const slot of slots) sums.set(Math.abs(slot), (sums.get(Math.abs(slot)) ?? 0) + Math.sign(slot));
  return [...sums].filter(([, sum]) => sum !== 0).map(([slot, sum]) => slot * sum);
}

interface Change {
  set: string;
  block: number;
  added: number[];
  removed: number[];
}

export const POSTINGS: Table = {
  name: 'postings',
  columns: { facet: 'text', block: 'bigint', epoch: 'bigint', n: 'integer', members: 'bytea' },
  onConflict: `ON CONFLICT (facet, block)
         DO UPDATE SET epoch = excluded.epoch, n = excluded.n, members = excluded.members`,
};

const LOG: Table = {
  name: 'postings_log',
  columns: { facet: 'text', block: 'bigint', added: 'bytea', removed: 'bytea' },
};

/** Tells every reader that what it remembers is old. */
export async function nextEpoch(tx: Tx): Promise<number> {
  const row = await tx.get<{ epoch: number }>('UPDATE bank_state SET epoch = epoch + 1 RETURNING epoch');
  return row!.epoch;
}

/** Writes the changes into the blocks themselves. */
export async function applyMarks(tx: Tx, marks: Marks): Promise<void> {
  const changes = marks.changes();
  if (changes.length === 0) return;
  const before = await tx.all<Block & { facet: string }>(
    `SELECT p.facet, p.block, p.n, p.members
     FROM (SELECT value->>0 AS facet, CAST(value->>1 AS bigint) AS block FROM ${tx.dialect.each('$1')}) k
     JOIN postings p ON p.facet = k.facet AND p.block = k.block`,
    JSON.stringify(changes.map(({ set, block }) => [set, block])),
  );
  const blocks = new Map(before.map((each) => [`${each.facet}/${each.block}`, each]));
  const epoch = await nextEpoch(tx);
  await tx.insert(
    POSTINGS,
    changes.map(({ set, block, added, removed }) => {
      const old = blocks.get(`${set}/${block}`) ?? { block, n: 0, members: new Uint8Array() };
      const { n, members } = changed(old, added, removed);
      return [set, block, epoch, n, members];
    }),
  );
}

/** Leaves the changes in the log, where nobody waits for anybody; false if there are none. */
export async function logMarks(tx: Tx, marks: Marks): Promise<boolean> {
  const rows = marks
    .changes()
    .map(({ set, block, added, removed }) => [set, block, packPlaces(added), packPlaces(removed)]);
  if (rows.length > 0) await tx.insert(LOG, rows);
  return rows.length > 0;
}

interface LogRow {
  id: number;
  facet: string;
  block: number;
  added: Uint8Array;
  removed: Uint8Array;
}

/** As much of the log as one step takes: it bounds how long a fold keeps its lock. */
const MOST_FOLDED = 5000;

/** Moves the log into the blocks; true if there is more. One at a time: whoever comes second leaves it to the first. */
export async function foldLog(tx: Tx): Promise<boolean> {
  if (!(await tx.tryLock('fold'))) return false;
  const rows = await tx.all<LogRow>(
    `SELECT id, facet, block, added, removed FROM postings_log ORDER BY id LIMIT ${MOST_FOLDED}`,
  );
  if (rows.length === 0) return false;
  const marks = marksOf(rows);
  await applyMarks(tx, marks);
  // Changes that cancel out leave no block to write, but what leaves the log must still end the epoch.
  if (marks.changes().length === 0) await nextEpoch(tx);
  await tx.run(
    `DELETE FROM postings_log WHERE id IN (SELECT CAST(value AS bigint) FROM ${tx.dialect.each('$1')})`,
    JSON.stringify(rows.map(({ id }) => id)),
  );
  return rows.length === MOST_FOLDED;
}

/** What the log holds for these sets. */
export async function pendingMarks(db: Db, sets: string[]): Promise<Marks> {
  return marksOf(
    await db.all<LogRow>(
      `SELECT facet, block, added, removed FROM postings_log
       WHERE facet IN (SELECT value->>0 FROM ${db.dialect.each('$1')})`,
      JSON.stringify(sets.map((set) => [set])),
    ),
  );
}

/** How many slots each set holds, blocks and log together. */
export async function countSets(db: Db, names: string[]): Promise<Map<string, number>> {
  const list = JSON.stringify(names.map((name) => [name]));
  const rows = await db.all<{ facet: string; n: number }>(
    `SELECT facet, CAST(sum(n) AS bigint) AS n FROM postings
     WHERE facet IN (SELECT value->>0 FROM ${db.dialect.each('$1')}) GROUP BY facet`,
    list,
  );
  const totals = new Map(rows.map(({ facet, n }) => [facet, n]));
  for (const { set, added, removed } of (await pendingMarks(db, names)).changes()) {
    totals.set(set, (totals.get(set) ?? 0) + added.length - removed.length);
  }
  return totals;
}

function marksOf(rows: LogRow[]): Marks {
  const marks = new Marks();
  for (const { facet, block, added, removed } of rows) {
    for (const place of unpackPlaces(added)) marks.add(facet, slotAt(block, place));
    for (const place of unpackPlaces(removed)) marks.remove(facet, slotAt(block, place));
  }
  return marks;
}
