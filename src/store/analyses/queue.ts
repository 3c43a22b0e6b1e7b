/**
 * How runs are worked off. The row is the job: a runner claims it under a lease, renews the lease while its worker is at
 * work, and writes what came of it only if the lease is still its own. A run whose lease has lapsed, because its
 * process died, is claimed again like one that waits. All by the database's clock.
 */

import type { Db, Tx } from '../db.ts';
import { ANALYSIS_QUESTIONS, type Members } from '../questions/selection.ts';
import { bigint, bytea, defineTable, integer, text, uuid } from '../table.ts';
import type { View } from '../view.ts';
import { ANALYSIS_COLUMNS, type AnalysisRow, emitAnalysisEvent, type Run, runOf } from './row.ts';

/** How often a run is taken up again. */
const MOST_REPETITIONS = 3;

const claimable = (now: string) =>
  `(a.status = 'queued' OR (a.status = 'running' AND a.lease_until < ${now}))`;

/** Whether there is something to claim: much cheaper than trying to. */
export async function isWaiting(db: Db): Promise<boolean> {
  return (
    (await db.get(`SELECT 1 AS waiting FROM analyses a WHERE ${claimable(db.dialect.now)} LIMIT 1`)) !==
    undefined
  );
}

/** How many runs wait and how many are under way, in the whole bank. */
export async function countAnalyses(db: Db): Promise<{ queued: number; running: number }> {
  const rows = await db.all<{ status: string; n: number }>(
    `SELECT status, count(*) AS n FROM analyses WHERE status IN ('queued', 'running') GROUP BY status`,
  );
  return { queued: 0, running: 0, ...Object.fromEntries(rows.map(({ status, n }) => [status, n])) };
}

export interface Claim {
  lease: string;
  /** For how many milliseconds, unless it is renewed. */
  duration: number;
  /** The answer to the same claim was lost: what it took is the caller's already. */
  again?: boolean;
}

/**
 * Takes the next run: of the client with the fewest under way, then of whoever was served longest ago, then the oldest. So
 * nobody waits for all that somebody else has asked for.
 */
export async function claimAnalysis(tx: Tx, { lease, duration, again }: Claim): Promise<Run | undefined> {
  const { now } = tx.dialect;
  const own = again && (await tx.get<AnalysisRow>(OF_LEASE, lease));
  if (own) return runOf(own);
  await failLost(tx);
  const row = await tx.get<AnalysisRow>(
    `UPDATE analyses AS a SET status = 'running', version = version + 1, progress = 0, attempts = attempts + 1, lease = $1,
            lease_until = ${now} + CAST($2 AS bigint), started_at = ${now}
     WHERE id = (
       SELECT a.id FROM analyses a WHERE ${claimable(now)}
       ORDER BY (SELECT count(*) FROM analyses r
                 WHERE r.client_id = a.client_id AND r.status = 'running' AND r.lease_until >= ${now}),
                (SELECT max(r.started_at) FROM analyses r WHERE r.client_id = a.client_id) NULLS FIRST, a.id
       LIMIT 1 ${tx.dialect.skipLocked})
     RETURNING ${ANALYSIS_COLUMNS}`,
    lease,
    duration,
  );
  if (!row) return undefined;
  await emitAnalysisEvent(tx, 'analysis.started', row.started_at!, row);
  return runOf(row);
}

const OF_LEASE = `SELECT ${ANALYSIS_COLUMNS} FROM analyses WHERE status = 'running' AND lease = $1`;

const LOST = 'The process that ran it ended before it was done, time and again.';

/** What was taken up again too often goes no further. */
async function failLost(tx: Tx): Promise<void> {
  const rows = await tx.all<AnalysisRow>(
    `UPDATE analyses AS a SET status = 'failed', version = version + 1, lease = NULL, lease_until = NULL, error = $1,
            finished_at = ${tx.dialect.now}
     WHERE status = 'running' AND lease_until < ${tx.dialect.now} AND attempts > ${MOST_REPETITIONS}
     RETURNING ${ANALYSIS_COLUMNS}`,
    JSON.stringify({ code: 'interrupted', detail: LOST }),
  );
  for (const row of rows) await emitAnalysisEvent(tx, 'analysis.failed', row.finished_at!, row);
}

/** At the start of the only process on a bank: whatever is said to be running is not. */
export async function releaseAll(tx: Tx): Promise<number> {
  return tx.run(`UPDATE analyses SET lease_until = 0 WHERE status = 'running'`);
}

interface Held {
  id: string;
  lease: string;
}

const HELD = `id = $1 AND lease = $2 AND status = 'running'`;

export interface Advance extends Held {
  duration: number;
  /** In thousandths. */
  progress: number;
  question_count: number | undefined;
}

/** Renews the lease and tells how far it is; false if the run is no longer the caller's: cancelled, or taken by another. */
export async function advanceAnalysis(tx: Tx, advance: Advance): Promise<boolean> {
  const { id, lease, duration, progress, question_count } = advance;
  const before = await tx.get<AnalysisRow>(
    `SELECT ${ANALYSIS_COLUMNS} FROM analyses WHERE ${HELD} ${tx.dialect.forUpdate}`,
    id,
    lease,
  );
  if (!before) return false;
  const count = question_count ?? before.question_count;
  const moved = progress !== before.progress || count !== before.question_count;
  await tx.run(
    `UPDATE analyses SET lease_until = ${tx.dialect.now} + CAST($2 AS bigint), progress = $3, question_count = $4, version = $5
     WHERE id = $1`,
    id,
    duration,
    progress,
    count,
    before.version + (moved ? 1 : 0),
  );
  if (moved) await emitAnalysisEvent(tx, 'analysis.progress', Date.now(), { ...before, progress });
  return true;
}

/** Which of these leases are still good: what is done under the others is to be stopped. */
export async function stillHeld(db: Db, held: Held[]): Promise<Set<string>> {
  const rows = await db.all<{ id: string; lease: string }>(
    `SELECT id, lease FROM analyses WHERE status = 'running'
       AND id IN ${db.dialect.values('$1', 'uuid')}`,
    JSON.stringify(held.map(({ id }) => id)),
  );
  const leases = new Map(rows.map(({ id, lease }) => [id, lease]));
  return new Set(held.filter(({ id, lease }) => leases.get(id) === lease).map(({ lease }) => lease));
}

/** A result as it is shown to one kind of caller, or what it says of people; items come in blocks of packed lines. */
export interface StoredResult {
  view: View | 'abilities';
  head: string;
  summary: string;
  items: number;
  figure: string;
  /** Further pictures: a JSON object, by their names. */
  figures: string;
  blocks: Uint8Array[];
}

export interface Finish extends Held {
  question_count: number;
  /** The questions it ran on, where criteria chose them. */
  members: Members[] | undefined;
  results: StoredResult[];
}

export const ANALYSIS_RESULTS = defineTable(
  'analysis_results',
  {
    analysis_id: uuid,
    view: text<View | 'abilities'>(),
    /** JSON. */
    head: text(),
    summary: text(),
    items: bigint,
    figure: text(),
    figures: text(),
  },
  'analysis_id',
  'view',
);

export const ANALYSIS_ITEMS = defineTable(
  'analysis_items',
  { analysis_id: uuid, view: text<View | 'abilities'>(), block: integer, lines: bytea },
  'analysis_id',
  'view',
  'block',
);

/** Blocks sent to the database at once: a large result must not stop the loop while it is being encoded. */
const AT_ONCE = 8;

/** Stores the result and marks the run succeeded, both or neither; false if the run is no longer the caller's. */
export async function finishAnalysis(tx: Tx, finish: Finish): Promise<boolean> {
  const { id, lease, question_count, members, results } = finish;
  const row = await tx.get<AnalysisRow>(
    `UPDATE analyses SET status = 'succeeded', version = version + 1, progress = 1000, lease = NULL, lease_until = NULL,
            question_count = $3, finished_at = ${tx.dialect.now}
     WHERE ${HELD} RETURNING ${ANALYSIS_COLUMNS}`,
    id,
    lease,
    question_count,
  );
  if (!row) return false;
  for (const { view, head, summary, items, figure, figures, blocks } of results) {
    await tx.insert(ANALYSIS_RESULTS, [{ analysis_id: id, view, head, summary, items, figure, figures }]);
    for (let i = 0; i < blocks.length; i += AT_ONCE)
      await tx.insert(
        ANALYSIS_ITEMS,
        blocks.slice(i, i + AT_ONCE).map((lines, j) => ({ analysis_id: id, view, block: i + j, lines })),
      );
  }
  if (members && members.length > 0)
    await tx.insert(
      ANALYSIS_QUESTIONS,
      members.map((block) => ({ analysis_id: id, ...block })),
    );
  await emitAnalysisEvent(tx, 'analysis.succeeded', row.finished_at!, row);
  return true;
}

/** What became of a run that did not succeed. */
export interface Drop extends Held {
  /**
   * `failed`: it would fail again. `interrupted`: its worker ended, which may have been chance. `handed back`: it was stopped
   * to be taken up by another process, which does not count.
   */
  why: 'failed' | 'interrupted' | 'handed back';
  error: { code: string; detail: string };
}

export async function dropAnalysis(tx: Tx, { id, lease, why, error }: Drop): Promise<boolean> {
  const ends = why === 'failed' ? 'true' : why === 'interrupted' ? `attempts > ${MOST_REPETITIONS}` : 'false';
  const row = await tx.get<AnalysisRow>(
    `UPDATE analyses SET status = CASE WHEN ${ends} THEN 'failed' ELSE 'queued' END, version = version + 1,
            lease = NULL, lease_until = NULL, error = CASE WHEN ${ends} THEN $3 END, progress = CASE WHEN ${ends} THEN progress ELSE 0 END,
            finished_at = CASE WHEN ${ends} THEN ${tx.dialect.now} END,
            started_at = CASE WHEN ${ends} THEN started_at END,
            attempts = attempts - ${why === 'handed back' ? 1 : 0}
     WHERE ${HELD} RETURNING ${ANALYSIS_COLUMNS}`,
    id,
    lease,
    JSON.stringify(error),
  );
  if (!row) return false;
  await emitAnalysisEvent(
    tx,
    row.status === 'failed' ? 'analysis.failed' : 'analysis.queued',
    Date.now(),
    row,
  );
  return true;
}
