/**
 * The execution of changes. A process claims one under a lease and advances it chunk by chunk; each
 * chunk renews the lease. After a while it gives way to other changes that wait. A lease that is not
 * renewed expires, and another process continues where the last chunk ended.
 */
import { type Db, defineCommand, type Tx } from '../db.ts';
import { emitChangeEvent } from './events.ts';
import { CHANGE_COLUMNS, type ChangeRow, type Phase } from './row.ts';

/** Where a change stands. */
export interface ChangeState {
  id: string;
  phase: Phase;
  position: number;
  ended: boolean;
}

export const toState = ({ id, phase, next_position, status }: ChangeRow): ChangeState => ({
  id,
  phase,
  position: next_position,
  ended: status !== 'running',
});

/** Imports are executed by runners of their own: they are not divided into turns. */
export type ChangeClass = 'imports' | 'others';

/** A change that no process executes. Without other processes, every lease is that of a dead one. */
const claimable = (now: string, alone: boolean, of: ChangeClass) =>
  `(status = 'queued' OR (status = 'running' AND ${alone ? 'true' : `lease_until < ${now}`}))
   AND kind ${of === 'imports' ? '=' : '<>'} 'import'`;

export async function hasWaitingChange(db: Db, alone: boolean, of: ChangeClass): Promise<boolean> {
  const found = await db.get(
    `SELECT 1 AS found FROM changes WHERE ${claimable(db.dialect.now, alone, of)} LIMIT 1`,
  );
  return found !== undefined;
}

export async function isActive(db: Db, id: string): Promise<boolean> {
  const found = await db.get(
    `SELECT 1 AS found FROM changes WHERE id = $1 AND status IN ('queued', 'running')`,
    id,
  );
  return found !== undefined;
}

export interface ChangeClaim {
  lease: string;
  durationMs: number;
  /** Whether no other process works on the bank, and this one executes no change. */
  alone: boolean;
  of: ChangeClass;
}

/** Claims the change that was claimed longest ago, so that changes take turns. */
export const claimChange = defineCommand(
  'claimChange',
  async (tx: Tx, { lease, durationMs, alone, of }: ChangeClaim): Promise<ChangeState | undefined> => {
    const { now } = tx.dialect;
    const waiting = await tx.get<Pick<ChangeRow, 'id' | 'started_at'>>(
      `SELECT id, started_at FROM changes WHERE ${claimable(now, alone, of)}
       ORDER BY claimed_at NULLS FIRST, id LIMIT 1 ${tx.dialect.skipLocked}`,
    );
    if (!waiting) return undefined;
    const row = await tx.get<ChangeRow>(
      `UPDATE changes SET status = 'running', lease = $2, lease_until = ${now} + CAST($3 AS bigint), claimed_at = ${now},
              started_at = coalesce(started_at, ${now})
       WHERE id = $1 RETURNING ${CHANGE_COLUMNS}`,
      waiting.id,
      lease,
      durationMs,
    );
    // Later claims continue a change after the turn of another one, or after an interruption.
    if (waiting.started_at === null) await emitChangeEvent(tx, 'change.started', row!);
    return toState(row!);
  },
);

export interface ChangeRelease {
  id: string;
  lease: string;
  /** Fails the change; without it, the change is queued again. */
  error?: { code: string; detail: string } | undefined;
}

export const releaseChange = defineCommand(
  'releaseChange',
  async (tx: Tx, { id, lease, error }: ChangeRelease): Promise<null> => {
    const row = await tx.get<ChangeRow>(
      `UPDATE changes SET status = $3, lease = NULL, lease_until = NULL, error = $4,
              finished_at = ${error ? tx.dialect.now : 'NULL'}
       WHERE id = $1 AND lease = $2 AND status = 'running' RETURNING ${CHANGE_COLUMNS}`,
      id,
      lease,
      error ? 'failed' : 'queued',
      error ? JSON.stringify(error) : null,
    );
    tx.notify('changes');
    if (row && error) await emitChangeEvent(tx, 'change.failed', row);
    return null;
  },
);
