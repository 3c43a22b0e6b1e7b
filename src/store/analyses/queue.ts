import { type Db, defineCommand, type Tx } from '../db.ts';
import { type FoundSet, lockFindings, readCovered, recordFindings } from '../findings/finding-sets.ts';
import { type BitmapBlock, fromBitmapBlocks } from '../index/bitmaps.ts';
import type { View } from '../view.ts';
import {
  ANALYSIS_COLUMNS,
  ANALYSIS_ITEMS,
  ANALYSIS_QUESTIONS,
  ANALYSIS_RESULTS,
  ANALYSIS_REVISIONS,
  type AnalysisRow,
  emitAnalysisEvent,
  type Run,
  toRun,
} from './row.ts';
import { ANALYSIS_ROW_INDEX, type RowIndexPart } from './row-index.ts';

/** How often a run is attempted again after its first attempt. */
const MAX_RETRIES = 3;

const claimable = (now: string) =>
  `(a.status = 'queued' OR (a.status = 'running' AND a.lease_until < ${now}))`;

/** Much cheaper than an attempt to claim: it only reads. */
export async function hasClaimable(db: Db): Promise<boolean> {
  const found = await db.get(`SELECT 1 AS found FROM analyses a WHERE ${claimable(db.dialect.now)} LIMIT 1`);
  return found !== undefined;
}

/** Of the whole bank, whichever process runs them. */
export async function countAnalyses(db: Db): Promise<{ queued: number; running: number }> {
  const rows = await db.all<{ status: string; n: number }>(
    `SELECT status, count(*) AS n FROM analyses WHERE status IN ('queued', 'running') GROUP BY status`,
  );
  return { queued: 0, running: 0, ...Object.fromEntries(rows.map(({ status, n }) => [status, n])) };
}

export interface Claim {
  lease: string;
  durationMs: number;
  /** The same claim failed before but may have been committed: then its run is returned. */
  repeated?: boolean;
}

/**
 * Claims the next run, fairly: of the client with the fewest running, then of the client served
 * longest ago, then the oldest. So a client does not wait for all that another has queued.
 */
export const claimAnalysis = defineCommand(
  'claimAnalysis',
  async (tx: Tx, { lease, durationMs, repeated }: Claim): Promise<Run | undefined> => {
    const { now } = tx.dialect;
    const claimed = repeated && (await tx.get<AnalysisRow>(SELECT_BY_LEASE, lease));
    if (claimed) return toRun(claimed);
    await failExhausted(tx);
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
      durationMs,
    );
    if (!row) return undefined;
    await emitAnalysisEvent(tx, 'analysis.started', row.started_at!, row);
    return toRun(row);
  },
);

/**
 * The lease of the run to stop in favour of a client that has waited this long with no run of its
 * own: the youngest run of the client with the most running. A client keeps one run, so that its
 * runs end one after the other. Undefined if no client has to give way.
 */
export async function findPreemptible(db: Db, waitMs: number): Promise<string | undefined> {
  const { now } = db.dialect;
  const countRunning = (client: string) =>
    `(SELECT count(*) FROM analyses o WHERE o.client_id = ${client} AND o.status = 'running' AND o.lease_until >= ${now})`;
  const found = await db.get<{ lease: string }>(
    `SELECT r.lease FROM analyses r
     WHERE r.status = 'running' AND r.lease_until >= ${now} AND ${countRunning('r.client_id')} > 1
       AND EXISTS (SELECT 1 FROM analyses w WHERE w.status = 'queued' AND w.created_at <= ${now} - CAST($1 AS bigint)
                   AND ${countRunning('w.client_id')} = 0)
     ORDER BY ${countRunning('r.client_id')} DESC, r.started_at DESC, r.id DESC LIMIT 1`,
    waitMs,
  );
  return found?.lease;
}

const SELECT_BY_LEASE = `SELECT ${ANALYSIS_COLUMNS} FROM analyses WHERE status = 'running' AND lease = $1`;

const EXHAUSTED = 'The process that executed the run ended before the run did, at every attempt.';

/** Fails the runs whose last attempt has lost its lease. */
async function failExhausted(tx: Tx): Promise<void> {
  const rows = await tx.all<AnalysisRow>(
    `UPDATE analyses AS a SET status = 'failed', version = version + 1, lease = NULL, lease_until = NULL, error = $1,
            finished_at = ${tx.dialect.now}
     WHERE status = 'running' AND lease_until < ${tx.dialect.now} AND attempts > ${MAX_RETRIES}
     RETURNING ${ANALYSIS_COLUMNS}`,
    JSON.stringify({ code: 'interrupted', detail: EXHAUSTED }),
  );
  for (const row of rows) await emitAnalysisEvent(tx, 'analysis.failed', row.finished_at!, row);
}

/** At the start of the only process on a bank: the leases are those of a process that died. */
export const expireLeases = defineCommand('expireLeases', async (tx: Tx): Promise<number> => {
  return tx.run(`UPDATE analyses SET lease_until = 0 WHERE status = 'running'`);
});

/** Identifies an attempt: the run, and the lease it was claimed under. */
interface LeaseKey {
  id: string;
  lease: string;
}

const LEASE_IS_VALID = `id = $1 AND lease = $2 AND status = 'running'`;

export interface Renewal extends LeaseKey {
  durationMs: number;
  /** In thousandths. */
  progress: number;
  question_count: number | undefined;
}

/**
 * Renews the lease and stores the progress; false if the lease is lost: the run was cancelled, or
 * claimed by another process.
 */
export const renewLease = defineCommand('renewLease', async (tx: Tx, renewal: Renewal): Promise<boolean> => {
  const { id, lease, durationMs, progress, question_count } = renewal;
  const before = await tx.get<AnalysisRow>(
    `SELECT ${ANALYSIS_COLUMNS} FROM analyses WHERE ${LEASE_IS_VALID} ${tx.dialect.forUpdate}`,
    id,
    lease,
  );
  if (!before) return false;
  const count = question_count ?? before.question_count;
  const changed = progress !== before.progress || count !== before.question_count;
  await tx.run(
    `UPDATE analyses SET lease_until = ${tx.dialect.now} + CAST($2 AS bigint), progress = $3, question_count = $4, version = $5
     WHERE id = $1`,
    id,
    durationMs,
    progress,
    count,
    before.version + (changed ? 1 : 0),
  );
  if (changed) await emitAnalysisEvent(tx, 'analysis.progress', Date.now(), { ...before, progress });
  return true;
});

/** The leases among these that are not lost. */
export async function findValidLeases(db: Db, keys: LeaseKey[]): Promise<Set<string>> {
  const rows = await db.all<{ id: string; lease: string }>(
    `SELECT id, lease FROM analyses WHERE status = 'running'
       AND id IN ${db.dialect.values('$1', 'uuid')}`,
    JSON.stringify(keys.map(({ id }) => id)),
  );
  const leases = new Map(rows.map(({ id, lease }) => [id, lease]));
  return new Set(keys.filter(({ id, lease }) => leases.get(id) === lease).map(({ lease }) => lease));
}

/**
 * The result for one view, or the abilities of the respondents. Items are stored in blocks of
 * compressed JSON lines.
 */
export interface StoredResult {
  view: View | 'abilities';
  head: string;
  summary: string;
  items: number;
  figure: string;
  /** The additional figures, as a JSON object by name. */
  figures: string;
  blocks: Uint8Array[];
  /** Empty for abilities. */
  index: RowIndexPart[];
}

export interface Finish extends LeaseKey {
  question_count: number;
  /** The questions of the run, where a filter selected them. */
  members: BitmapBlock[] | undefined;
  /** The slots at which they were last updated, where that is not their first slot. */
  updated: BitmapBlock[];
  /** The version of the analysis. */
  version: number;
  found: FoundSet[];
  results: StoredResult[];
}

/** Blocks inserted by one statement: encoding many at once would block the event loop. */
const BATCH_BLOCKS = 8;
const BATCH_INDEX_PARTS = 32;

/** Stores the result and marks the run as succeeded; false if the lease is lost. */
export const finishAnalysis = defineCommand(
  'finishAnalysis',
  async (tx: Tx, finish: Finish): Promise<boolean> => {
    const { id, lease, question_count, members, updated, version, found, results } = finish;
    await lockFindings(tx);
    const row = await tx.get<AnalysisRow>(
      `UPDATE analyses SET status = 'succeeded', version = version + 1, progress = 1000, lease = NULL, lease_until = NULL,
            question_count = $3, definition_version = CASE WHEN unapproved = 0 THEN CAST($4 AS integer) END,
            finished_at = ${tx.dialect.now}
     WHERE ${LEASE_IS_VALID} RETURNING ${ANALYSIS_COLUMNS}`,
      id,
      lease,
      question_count,
      version,
    );
    if (!row) return false;
    for (const { view, head, summary, items, figure, figures, blocks, index } of results) {
      await tx.insert(ANALYSIS_RESULTS, [{ analysis_id: id, view, head, summary, items, figure, figures }]);
      for (let i = 0; i < blocks.length; i += BATCH_BLOCKS)
        await tx.insert(
          ANALYSIS_ITEMS,
          blocks
            .slice(i, i + BATCH_BLOCKS)
            .map((lines, j) => ({ analysis_id: id, view, block: i + j, lines })),
        );
      if (view === 'abilities') continue;
      for (let i = 0; i < index.length; i += BATCH_INDEX_PARTS)
        await tx.insert(
          ANALYSIS_ROW_INDEX,
          index.slice(i, i + BATCH_INDEX_PARTS).map((part) => ({ analysis_id: id, view, ...part })),
        );
    }
    if (members && members.length > 0)
      await tx.insert(
        ANALYSIS_QUESTIONS,
        members.map((block) => ({ analysis_id: id, ...block })),
      );
    await tx.insert(
      ANALYSIS_REVISIONS,
      updated.map((block) => ({ analysis_id: id, ...block })),
    );
    // Findings of approved questions must not depend on others, which not every reader sees.
    if (row.unapproved === 0) {
      const covered = members ? fromBitmapBlocks(members) : await readCovered(tx, id);
      await recordFindings(tx, { ...row, version }, covered, found);
    }
    await emitAnalysisEvent(tx, 'analysis.succeeded', row.finished_at!, row);
    return true;
  },
);

export interface Release extends LeaseKey {
  /**
   * `failed`: another attempt would fail, too. `interrupted`: the worker process ended, and another
   * attempt may succeed. `released`: the process stops or cannot go on; this does not count as an
   * attempt.
   */
  reason: 'failed' | 'interrupted' | 'released';
  error: { code: string; detail: string };
}

/**
 * Ends an attempt without a result: the run fails or is queued again. False if the lease is lost.
 */
export const releaseAnalysis = defineCommand(
  'releaseAnalysis',
  async (tx: Tx, { id, lease, reason, error }: Release): Promise<boolean> => {
    const fails = { failed: 'true', interrupted: `attempts > ${MAX_RETRIES}`, released: 'false' }[reason];
    const row = await tx.get<AnalysisRow>(
      `UPDATE analyses SET status = CASE WHEN ${fails} THEN 'failed' ELSE 'queued' END, version = version + 1,
            lease = NULL, lease_until = NULL, error = CASE WHEN ${fails} THEN $3 END, progress = CASE WHEN ${fails} THEN progress ELSE 0 END,
            finished_at = CASE WHEN ${fails} THEN ${tx.dialect.now} END,
            started_at = CASE WHEN ${fails} THEN started_at END,
            attempts = attempts - ${reason === 'released' ? 1 : 0}
     WHERE ${LEASE_IS_VALID} RETURNING ${ANALYSIS_COLUMNS}`,
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
  },
);
