/** Executes one chunk of a change, in one transaction with the position after it. */
import { defineCommand, type Tx } from '../db.ts';
import { packRevisions } from '../questions/packed-revisions.ts';
import { type Chunk, emptyChunk } from './chunk.ts';
import { emitAdvance } from './events.ts';
import { joinResponses, splitResponses } from './merge-responses.ts';
import { changeNextSlots, mergeNextCategory, remedyNextRows, removeEmptyCategories } from './questions.ts';
import { type ChangeState, toState } from './queue.ts';
import { revertNextBlock } from './revert.ts';
import { addReason, CHANGE_COLUMNS, CHANGE_RESULTS, type ChangeRow, type Plan, type Reasons } from './row.ts';

export interface Advance {
  id: string;
  lease: string;
  durationMs: number;
  /** Where the change stands as far as the process knows. */
  from: Pick<ChangeState, 'phase' | 'position'>;
}

/**
 * Executes the next chunk. Undefined if the lease is lost: the change was cancelled, or another
 * process has it. If the change stands elsewhere, an earlier attempt at this chunk was committed
 * though its caller did not learn of it, and nothing is done.
 */
export const advanceChange = defineCommand(
  'advanceChange',
  async (tx: Tx, { id, lease, durationMs, from }: Advance): Promise<ChangeState | undefined> => {
    const row = await tx.get<ChangeRow>(
      `SELECT ${CHANGE_COLUMNS} FROM changes WHERE id = $1 AND lease = $2 AND status = 'running' ${tx.dialect.forUpdate}`,
      id,
      lease,
    );
    if (!row) return undefined;
    if (row.phase !== from.phase || row.next_position !== from.position) return toState(row);
    const plan: Plan = JSON.parse(row.plan);
    const chunk = await (row.phase === 'effect' ? advanceEffect : advanceQuestions)(tx, row, plan);
    return toState(await store(tx, row, plan, chunk, durationMs));
  },
);

async function advanceQuestions(tx: Tx, row: ChangeRow, { step }: Plan): Promise<Chunk> {
  const origin = { by: { client: row.client_id, key: row.key_id }, change_id: row.id };
  const at = { id: row.id, from: row.next_position };
  if (!step) return emptyChunk();
  if (step.type === 'revert') return revertNextBlock(tx, { of: step.of, block: row.next_position }, origin);
  if (step.type === 'apply_remedy') return remedyNextRows(tx, at, step, origin);
  return changeNextSlots(tx, at, step, origin);
}

/** Deletes merged categories, or moves responses. */
async function advanceEffect(tx: Tx, row: ChangeRow, { effect }: Plan): Promise<Chunk> {
  if (effect?.type === 'categories') return effect.joined ? mergeNextCategory(tx, row, effect) : emptyChunk();
  if (effect?.type === 'new_categories')
    return effect.joined ? emptyChunk() : removeEmptyCategories(tx, effect.categories);
  if (effect?.type !== 'responses') return emptyChunk();
  return effect.joined ? joinResponses(tx, row, effect) : splitResponses(tx, row, effect);
}

type Draft = { -readonly [K in keyof ChangeRow]: ChangeRow[K] };

/** Stores the outcome of a chunk, and ends the change after the last one. */
async function store(
  tx: Tx,
  row: ChangeRow,
  plan: Plan,
  chunk: Chunk,
  durationMs: number,
): Promise<ChangeRow> {
  const reasons: Reasons = JSON.parse(row.reasons);
  for (const { code, id } of [...chunk.refused, ...chunk.notes]) addReason(reasons, code, id);
  const next: Draft = {
    ...row,
    next_position: chunk.next ?? 0,
    processed: row.processed + chunk.made.length + chunk.unchanged + chunk.refused.length,
    changed: row.changed + chunk.made.length,
    unchanged: row.unchanged + chunk.unchanged,
    refused: row.refused + chunk.refused.length,
    responses: row.responses + chunk.responses,
  };
  // A category that is merged may receive questions meanwhile.
  next.question_count = Math.max(row.question_count, next.processed);
  if (chunk.made.length > 0) {
    await tx.insert(CHANGE_RESULTS, [
      { change_id: row.id, block: row.result_blocks, revisions: packRevisions(chunk.made) },
    ]);
    next.result_blocks++;
  }
  if (chunk.next === undefined) endPhase(next, plan, reasons);
  await tx.run(
    `UPDATE changes SET status = $2, phase = $3, next_position = $4, question_count = $5, processed = $6, changed = $7,
            unchanged = $8, refused = $9, responses = $10, reasons = $11, result_blocks = $12,
            lease = CASE WHEN CAST($13 AS bigint) > 0 THEN lease END,
            lease_until = CASE WHEN CAST($13 AS bigint) > 0 THEN ${tx.dialect.now} + CAST($13 AS bigint) END,
            finished_at = CASE WHEN CAST($13 AS bigint) > 0 THEN finished_at ELSE ${tx.dialect.now} END
     WHERE id = $1`,
    row.id,
    next.status,
    next.phase,
    next.next_position,
    next.question_count,
    next.processed,
    next.changed,
    next.unchanged,
    next.refused,
    next.responses,
    JSON.stringify(reasons),
    next.result_blocks,
    next.status === 'running' ? durationMs : 0,
  );
  if (next.status !== 'running') tx.notify('changes');
  await emitAdvance(tx, row, next);
  return next;
}

function endPhase(next: Draft, { effect }: Plan, reasons: Reasons): void {
  // Questions that no chunk has found were deleted after the request.
  const missing = next.question_count - next.processed;
  if (next.phase === 'questions' && missing > 0) {
    next.processed += missing;
    next.refused += missing;
    reasons.no_such_question = {
      count: (reasons.no_such_question?.count ?? 0) + missing,
      ids: reasons.no_such_question?.ids ?? [],
    };
  }
  if (next.phase === 'questions' && effect) next.phase = 'effect';
  else next.status = 'succeeded';
}
