import { CLEANUP_BATCH_SIZE, type Db, defineCommand, type Tx } from './db.ts';
import type { Topic } from './notifications.ts';
import { bigint, defineTable, generated, integer, type RowOf, text } from './table.ts';

export type EventKind =
  | `question.${'created' | 'updated' | 'deleted' | 'pending' | 'reported'}`
  | `analysis.${'queued' | 'started' | 'progress' | 'succeeded' | 'failed' | 'cancelled' | 'deleted'}`
  | `change.${'queued' | 'started' | 'progress' | 'succeeded' | 'failed' | 'cancelled'}`;

/** The position of an event in the log. A reader continues after the last event it has read. */
export interface EventPosition {
  tx: number;
  id: number;
}

/**
 * The callers that an event is for. `editors` see questions of every status, `readers` approved ones
 * only; `maintainers` read answers and write questions.
 */
export type Audience = 'all' | 'editors' | 'readers' | 'maintainers';

interface NewEvent {
  kind: EventKind;
  at: number;
  subjects: readonly unknown[];
  reveals_answers?: boolean | undefined;
  audience?: Audience | undefined;
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
    audience: text<Audience>(),
  },
  'id',
);

export type EventRow = RowOf<typeof EVENTS>;

/** The topics that are notified besides `events`. */
const TOPICS: Partial<Record<EventKind, Topic>> = {
  'analysis.queued': 'queue',
  'analysis.succeeded': 'ended',
  'analysis.failed': 'ended',
  'analysis.cancelled': 'ended',
};

export async function emit(tx: Tx, event: NewEvent): Promise<void> {
  const { kind, at, subjects, reveals_answers = false, audience = 'all' } = event;
  tx.notify('events');
  const topic = TOPICS[kind];
  if (topic) tx.notify(topic);
  await tx.insert(EVENTS, [
    {
      at,
      kind,
      reveals_answers: reveals_answers ? 1 : 0,
      subjects: JSON.stringify(subjects),
      audience,
    },
  ]);
}

export async function readEvents(db: Db, after: EventPosition, limit: number): Promise<EventRow[]> {
  return db.all<EventRow>(
    `SELECT tx, id, at, kind, reveals_answers, subjects, audience FROM events
     WHERE (tx, id) > ($1, $2) AND ${db.dialect.settled} ORDER BY tx, id LIMIT $3`,
    after.tx,
    after.id,
    limit,
  );
}

/**
 * Whether there are events after the position that are not settled yet. Call it after `readEvents`.
 */
export async function hasUnsettledAfter(db: Db, { tx, id }: EventPosition): Promise<boolean> {
  const more = await db.get('SELECT 1 AS more FROM events WHERE (tx, id) > ($1, $2) LIMIT 1', tx, id);
  return more !== undefined;
}

/** The events that a reader may see. */
export interface EventFilter {
  questions: boolean;
  analyses: boolean;
  changes: boolean;
  /** Also those that reveal answers. */
  answers: boolean;
  audiences: readonly Audience[];
}
export const ALL_EVENTS: EventFilter = {
  questions: true,
  analyses: true,
  changes: true,
  answers: true,
  audiences: ['all', 'editors', 'readers', 'maintainers'],
};

/** The last event that the reader may see. A later position would reveal that there are others. */
export async function findLastPosition(
  db: Db,
  { questions, analyses, changes, answers, audiences }: EventFilter,
): Promise<EventPosition> {
  const kinds = [questions && 'question', analyses && 'analysis', changes && 'change'].filter(Boolean);
  const row = await db.get<EventPosition>(
    `SELECT tx, id FROM events
     WHERE ${db.dialect.settled} AND reveals_answers <= $1 AND audience IN ${db.dialect.values('$2', 'text')}
       AND (${kinds.map((kind) => `kind LIKE '${kind}.%'`).join(' OR ')})
     ORDER BY tx DESC, id DESC LIMIT 1`,
    answers ? 1 : 0,
    JSON.stringify(audiences),
  );
  return row ?? START;
}

const START: EventPosition = { tx: 0, id: 0 };

/**
 * Whether the event at the position is still stored. If it was deleted, later ones may have been,
 * too.
 */
export async function isRetained(db: Db, { tx, id }: EventPosition): Promise<boolean> {
  if (id === 0) {
    const first = await db.get<{ id: number | null }>('SELECT min(id) AS id FROM events');
    return (first?.id ?? 1) === 1;
  }
  return (await db.get('SELECT 1 AS kept FROM events WHERE tx = $1 AND id = $2', tx, id)) !== undefined;
}

const RETENTION_MS = 24 * 60 * 60 * 1000;

export const deleteOldEvents = defineCommand(
  'deleteOldEvents',
  async (tx: Tx, now: number): Promise<number> => {
    // A bank migrated from another cluster may hold transaction ids that this cluster has yet to
    // reach.
    const corrected = await tx.run(
      `UPDATE events SET tx = 0
     WHERE id IN (SELECT id FROM events WHERE NOT ${tx.dialect.reached} ORDER BY id LIMIT ${CLEANUP_BATCH_SIZE})`,
    );
    // The last event is kept: an empty table has then never had one.
    const deleted = await tx.run(
      `DELETE FROM events
     WHERE id IN (SELECT id FROM events WHERE at <= $1 AND id < (SELECT max(id) FROM events) LIMIT ${CLEANUP_BATCH_SIZE})`,
      now - RETENTION_MS,
    );
    return Math.max(corrected, deleted);
  },
);
