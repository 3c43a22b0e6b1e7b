/** The events of bulk changes, for callers that may read changes. */
import type { Tx } from '../db.ts';
import { type EventKind, emit } from '../events.ts';
import { type ChangeRow, computeProgress } from './row.ts';

export async function emitChangeEvent(
  tx: Tx,
  kind: Extract<EventKind, `change.${string}`>,
  row: Pick<ChangeRow, 'id' | 'kind' | 'status' | 'processed' | 'question_count'>,
): Promise<void> {
  const subject = {
    change_id: row.id,
    change_kind: row.kind,
    status: row.status,
    progress: computeProgress(row),
  };
  await emit(tx, { kind, at: Date.now(), subjects: [subject], audience: 'maintainers' });
}

/** Emits the event of a chunk: the end of the change, or its progress in steps of 1 %. */
export async function emitAdvance(tx: Tx, before: ChangeRow, after: ChangeRow): Promise<void> {
  if (after.status !== 'running' && after.status !== 'queued')
    return emitChangeEvent(tx, `change.${after.status}`, after);
  if (computeProgress(after) !== computeProgress(before)) await emitChangeEvent(tx, 'change.progress', after);
}
