/**
 * What happened, in the order it became visible. An event is written in the transaction of what it tells, so that there is
 * never the one without the other. On PostgreSQL ids are given out before the commit and a later one may be seen first; so events
 * are read in the order of their transactions, and only those that no open transaction can come before any more.
 */
import { CLEANUP_BATCH_SIZE, type Db, type Tx } from './db.ts';
import type { Topic } from './notifications.ts';
import { bigint, defineTable, generated, integer, type RowOf, text } from './table.ts';

export type EventKind =
  | `question.${'created' | 'updated' | 'deleted'}`
  | `analysis.${'queued' | 'started' | 'progress' | 'succeeded' | 'failed' | 'cancelled' | 'deleted'}`;

/** Where a reader stands: behind this event. */
export interface Place {
  tx: number;
  id: number;
}

interface Happening {
  kind: EventKind;
  at: number;
  subjects: readonly unknown[];
  reveals_answers?: boolean;
}

export const EVENTS = defineTable(
  'events',
  {
    id: generated(bigint),
    /** The number of the transaction, on PostgreSQL. */
    tx: generated(bigint),
    at: bigint,
    kind: text<EventKind>(),
    reveals_answers: integer,
    /** A JSON array: many questions can be created by one transaction. */
    subjects: text(),
  },
  'id',
);

export type EventRow = RowOf<typeof EVENTS>;

/** What else an event is news of. */
const TOPICS: Partial<Record<EventKind, Topic>> = {
  'analysis.queued': 'queue',
  'analysis.succeeded': 'ends',
  'analysis.failed': 'ends',
  'analysis.cancelled': 'ends',
};

export async function emit(
  tx: Tx,
  { kind, at, subjects, reveals_answers = false }: Happening,
): Promise<void> {
  tx.notify('events');
  const topic = TOPICS[kind];
  if (topic) tx.notify(topic);
  const row = { at, kind, reveals_answers: reveals_answers ? 1 : 0, subjects: JSON.stringify(subjects) };
  await tx.insert(EVENTS, [row]);
}

/** The events behind a place. */
export async function readEvents(db: Db, after: Place, limit: number): Promise<EventRow[]> {
  return db.all<EventRow>(
    `SELECT tx, id, at, kind, reveals_answers, subjects FROM events
     WHERE (tx, id) > ($1, $2) AND ${db.dialect.settled} ORDER BY tx, id LIMIT $3`,
    after.tx,
    after.id,
    limit,
  );
}

/** Whether there are events behind a place that cannot be told yet. */
export async function isUnsettled(db: Db, { tx, id }: Place): Promise<boolean> {
  const more = await db.get('SELECT 1 AS more FROM events WHERE (tx, id) > ($1, $2) LIMIT 1', tx, id);
  return more !== undefined;
}

/** What a reader hears of. */
export interface Hearing {
  questions: boolean;
  analyses: boolean;
  /** Also what only those may know who see answers. */
  secrets: boolean;
}
export const EVERYTHING: Hearing = { questions: true, analyses: true, secrets: true };

/** Behind the last event that is heard of. Another one than that would tell that there were others. */
export async function lastPlace(db: Db, { questions, analyses, secrets }: Hearing): Promise<Place> {
  const kinds = [questions && 'question', analyses && 'analysis'].filter(Boolean);
  const row = await db.get<Place>(
    `SELECT tx, id FROM events
     WHERE ${db.dialect.settled} AND reveals_answers <= $1 AND (${kinds.map((kind) => `kind LIKE '${kind}.%'`).join(' OR ')})
     ORDER BY tx DESC, id DESC LIMIT 1`,
    secrets ? 1 : 0,
  );
  return row ?? BEGINNING;
}

const BEGINNING: Place = { tx: 0, id: 0 };

/** Whether everything behind the place is still there: an event that is gone may have taken others with it. */
export async function isKept(db: Db, { tx, id }: Place): Promise<boolean> {
  if (id === 0) {
    const first = await db.get<{ id: number | null }>('SELECT min(id) AS id FROM events');
    return (first?.id ?? 1) === 1;
  }
  return (await db.get('SELECT 1 AS kept FROM events WHERE tx = $1 AND id = $2', tx, id)) !== undefined;
}

const RETENTION_MS = 24 * 60 * 60 * 1000;

export async function deleteOldEvents(tx: Tx, now: number): Promise<number> {
  // A bank that came from another cluster may hold numbers of transactions that this one has yet to reach.
  const mended = await tx.run(
    `UPDATE events SET tx = 0
     WHERE id IN (SELECT id FROM events WHERE NOT ${tx.dialect.reached} ORDER BY id LIMIT ${CLEANUP_BATCH_SIZE})`,
  );
  // The last one stays: then a table without any has never had one.
  const gone = await tx.run(
    `DELETE FROM events
     WHERE id IN (SELECT id FROM events WHERE at <= $1 AND id < (SELECT max(id) FROM events) LIMIT ${CLEANUP_BATCH_SIZE})`,
    now - RETENTION_MS,
  );
  return Math.max(mended, gone);
}
