/** Creates, lists, reads, cancels and undoes changes. Their execution is in advance.ts. */
import { errors } from '../../errors.ts';
import { type Db, defineCommand, type Tx } from '../db.ts';
import { canonicalId, uuidv7 } from '../ids.ts';
import type { BitmapBlock } from '../index/bitmaps.ts';
import { joinTexts, limitBytes, toSized } from '../page-bytes.ts';
import { restoreCategory } from '../questions/categories.ts';
import type { ChangedBy } from '../questions/origin.ts';
import type { Page } from '../questions/pages.ts';
import { changeErrors } from './errors.ts';
import { emitChangeEvent } from './events.ts';
import {
  CHANGE_COLUMNS,
  CHANGE_QUESTIONS,
  CHANGES,
  type ChangeKind,
  type ChangeRow,
  type ChangeStatus,
  type Effect,
  type Phase,
  type Plan,
  presentChange,
} from './row.ts';

export type PresentedChange = ReturnType<typeof presentChange>;

/** Changes of a client that have not ended, imports and others. */
const MAX_ACTIVE_PER_CLIENT = 5;

interface NewRow {
  by: ChangedBy;
  kind: ChangeKind;
  request: object;
  plan: Plan;
  phase: Phase;
  question_count: number;
}

/** Inserts a queued change. Refuses it if the client has too many that have not ended. */
export async function insertChange(tx: Tx, given: NewRow, done: Partial<ChangeRow> = {}): Promise<ChangeRow> {
  // Locks the client: concurrent requests of one client could otherwise exceed the limit.
  await tx.get(`SELECT id FROM clients WHERE id = $1 ${tx.dialect.forUpdate}`, given.by.client);
  const active = await tx.get<{ n: number }>(
    `SELECT count(*) AS n FROM changes WHERE status IN ('queued', 'running') AND client_id = $1
       AND kind ${given.kind === 'import' ? '=' : '<>'} 'import'`,
    given.by.client,
  );
  if (active!.n >= MAX_ACTIVE_PER_CLIENT) throw errors.tooManyChanges(MAX_ACTIVE_PER_CLIENT);
  const at = Date.now();
  const row: ChangeRow = {
    id: uuidv7(at),
    client_id: given.by.client,
    key_id: given.by.key,
    kind: given.kind,
    request: JSON.stringify(given.request),
    plan: JSON.stringify(given.plan),
    status: 'queued',
    phase: given.phase,
    next_position: 0,
    question_count: given.question_count,
    processed: 0,
    changed: 0,
    unchanged: 0,
    refused: 0,
    responses: 0,
    reasons: '{}',
    result_blocks: 0,
    lease: null,
    lease_until: null,
    error: null,
    created_at: at,
    claimed_at: null,
    started_at: null,
    finished_at: null,
    ...done,
  };
  await tx.insert(CHANGES, [row]);
  tx.notify('changes');
  await emitChangeEvent(tx, 'change.queued', row);
  return row;
}

export interface NewChange {
  by: ChangedBy;
  kind: ChangeKind;
  request: object;
  plan: Plan;
  members: BitmapBlock[];
  question_count: number;
}

export const createChange = defineCommand(
  'createChange',
  async (tx: Tx, { members, ...given }: NewChange): Promise<PresentedChange> => {
    const row = await insertChange(tx, { ...given, phase: 'questions' });
    await tx.insert(
      CHANGE_QUESTIONS,
      members.map((block) => ({ change_id: row.id, ...block })),
    );
    return presentChange(row);
  },
);

async function findRow(db: Db, id: string, lock = ''): Promise<ChangeRow> {
  const canonical = canonicalId(id);
  const row =
    canonical &&
    (await db.get<ChangeRow>(`SELECT ${CHANGE_COLUMNS} FROM changes WHERE id = $1 ${lock}`, canonical));
  if (!row) throw errors.noSuchChange(id);
  return row;
}

export async function getChange(db: Db, id: string): Promise<PresentedChange> {
  return presentChange(await findRow(db, id));
}

export interface ChangeQuery {
  status?: ChangeStatus | undefined;
  limit: number;
  offset: number;
  maxBytes: number;
}

/** Lists a page of the changes, newest first. */
export async function listChanges(db: Db, query: ChangeQuery): Promise<Page & { items: string }> {
  const { status, limit, offset, maxBytes } = query;
  const where = status === undefined ? 'true' : 'status = $1';
  const params = status === undefined ? [] : [status];
  return db.snapshot(async (tx) => {
    const counted = await tx.get<{ n: number }>(
      `SELECT count(*) AS n FROM changes WHERE ${where}`,
      ...params,
    );
    const rows = await tx.all<ChangeRow>(
      `SELECT ${CHANGE_COLUMNS} FROM changes WHERE ${where} ORDER BY id DESC
       LIMIT $${params.length + 1} OFFSET $${params.length + 2}`,
      ...params,
      limit,
      offset,
    );
    const items = limitBytes(
      rows.map((row) => toSized(JSON.stringify(presentChange(row)))),
      maxBytes,
    );
    return { items: joinTexts(items), n: items.length, total: counted!.n, offset, last: undefined };
  });
}

/** Ends a change after its current chunk; one that has ended stays as it is. */
export const cancelChange = defineCommand(
  'cancelChange',
  async (tx: Tx, { id }: { id: string }): Promise<PresentedChange> => {
    const row = await findRow(tx, id, tx.dialect.forUpdate);
    if (row.status !== 'queued' && row.status !== 'running') return presentChange(row);
    const cancelled = await tx.get<ChangeRow>(
      `UPDATE changes SET status = 'cancelled', lease = NULL, lease_until = NULL, finished_at = ${tx.dialect.now}
       WHERE id = $1 RETURNING ${CHANGE_COLUMNS}`,
      row.id,
    );
    tx.notify('changes');
    await emitChangeEvent(tx, 'change.cancelled', cancelled!);
    return presentChange(cancelled!);
  },
);

export interface Undo {
  id: string;
  by: ChangedBy;
  mayWriteCategories: boolean;
}

/** Creates a change that reverts another one. */
export const undoChange = defineCommand(
  'undoChange',
  async (tx: Tx, { id, by, mayWriteCategories }: Undo): Promise<PresentedChange> => {
    const row = await findRow(tx, id, tx.dialect.forUpdate);
    if (row.status === 'queued' || row.status === 'running') throw errors.changeRunning(id, row.status);
    if (row.kind === 'import' && (await importsResponses(tx, row.id))) throw changeErrors.notUndoable(id);
    const { effect }: Plan = JSON.parse(row.plan);
    if (effect && effect.type !== 'responses' && !mayWriteCategories)
      throw errors.insufficientScope(['categories:write'], 'Undoing a change of categories');
    const reverse: Effect | null = effect && { ...effect, joined: !effect.joined };
    if (reverse?.type === 'responses') reverse.of = row.id;
    // Before the questions return to them.
    if (reverse && restoresCategories(reverse))
      for (const category of reverse.categories) await restoreCategory(tx, category);
    return presentChange(
      await insertChange(tx, {
        by,
        kind: 'undo',
        request: { undo_of: row.id },
        plan: { step: { type: 'revert', of: row.id }, effect: reverse },
        phase: 'questions',
        question_count: row.changed,
      }),
    );
  },
);

const importsResponses = async (tx: Tx, id: string) =>
  (await tx.get(`SELECT id FROM imports WHERE id = $1 AND kind = 'responses'`, id)) !== undefined;

/** Whether the effect needs categories that have been deleted. */
const restoresCategories = (effect: Effect): effect is Exclude<Effect, { type: 'responses' }> =>
  effect.type === 'categories' ? !effect.joined : effect.type === 'new_categories' && effect.joined;
