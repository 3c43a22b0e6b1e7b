/**
 * Changes of approved questions that wait for approval. A question has at most one; the row of the
 * question stays what readers see. Each change gets a new number, also after a withdrawal, so that a
 * review is of the content that the reviewer has read. An approved change becomes the revision of its
 * number.
 */
import { errors } from '../../errors.ts';
import { type Db, defineCommand, type Tx } from '../db.ts';
import { emit } from '../events.ts';
import { joinTexts, limitBytes, toSized } from '../page-bytes.ts';
import { requireMatch } from '../preconditions.ts';
import { requiredReviewsIn } from '../review-policy.ts';
import type { RowOf } from '../table.ts';
import type { CategoryRow } from './category-row.ts';
import { computeChecksums, isSound } from './checksums.ts';
import type { QuestionFields } from './fields.ts';
import { type ChangeOrigin, toOriginColumns } from './origin.ts';
import { clearPending, PENDING_REVISIONS } from './pending-row.ts';
import {
  etagWithAnswers,
  formatEtag,
  type LockedQuestion,
  lockQuestion,
  parseFields,
  parseId,
  type QuestionRow,
  renderColumns,
  renderQuestion,
  requireKnownQuestion,
  type StoredQuestion,
} from './row.ts';

type Row = RowOf<typeof PENDING_REVISIONS>;

/** A change that has not been withdrawn. */
export interface PendingRevision extends Row {
  public_json: string;
  answer_json: string;
}

const isPresent = (row: Row | undefined): row is PendingRevision => row != null && row.public_json !== null;

/** Finds the change that waits for a question. */
export async function findPending(db: Db, questionId: string): Promise<PendingRevision | undefined> {
  const row = await db.get<Row>('SELECT * FROM pending_revisions WHERE question_id = $1', questionId);
  if (!isPresent(row)) return undefined;
  if (!isSound({ ...row, id: row.question_id }))
    throw errors.damagedData(`The pending change of question ${questionId}`);
  return row;
}

export const parsePending = (row: PendingRevision): QuestionFields =>
  parseFields({ ...row, status: 'approved' });

export const toStoredPending = (
  row: PendingRevision,
  category: Pick<CategoryRow, 'name_json' | 'name_version'>,
): StoredQuestion => ({
  id: row.question_id,
  revision: row.revision,
  status: 'approved',
  category: category.name_json,
  category_version: category.name_version,
  public_json: row.public_json,
  answer_json: row.answer_json,
  pending: { base_revision: row.base_revision, state: row.state, authors: JSON.parse(row.authors) },
});

/** Whether a change from one set of fields to another has to wait for approval. */
export async function waitsForApproval(
  tx: Tx,
  from: Pick<QuestionFields, 'status'>,
  to: Pick<QuestionFields, 'status'>,
): Promise<boolean> {
  return from.status === 'approved' && to.status === 'approved' && (await requiredReviewsIn(tx)) > 0;
}

/** What the next change of a question starts from: the question, or the change that waits. */
export async function readEditable(
  tx: Tx,
  row: LockedQuestion,
  proposes: boolean,
): Promise<{ base: LockedQuestion; pending: PendingRevision | undefined }> {
  const isHeld = proposes ? row.status === 'approved' : await waitsForApproval(tx, row, row);
  const pending = isHeld ? await findPending(tx, row.id) : undefined;
  if (!pending) return { base: row, pending };
  const { revision, category_id, public_json, answer_json, checksum } = pending;
  const category = await findCategoryById(tx, category_id);
  const { name_json = pending.category, name_version = 0 } = category ?? {};
  const content = { revision, category_id, public_json, answer_json, checksum };
  return { base: { ...row, ...content, category: name_json, category_version: name_version }, pending };
}

/** The ETag of a change that waits. */
export const etagOfPending = ({ revision, category_version }: LockedQuestion) =>
  formatEtag(revision, category_version, true);

interface Held {
  row: QuestionRow;
  category: CategoryRow;
  fields: QuestionFields;
  /** The fields are complete. Otherwise they are a change of the question's own. */
  complete: boolean;
  origin: ChangeOrigin;
}

/** Keeps a change until it is approved. A change of the question is merged with one that waits. */
export async function holdRevision(tx: Tx, change: Held): Promise<StoredQuestion> {
  const { row, origin } = change;
  const last = await tx.get<Row>('SELECT * FROM pending_revisions WHERE question_id = $1', row.id);
  const pending = isPresent(last) ? last : undefined;
  const fields =
    pending && !change.complete
      ? applyDifference(parseFields(row), change.fields, parsePending(pending))
      : change.fields;
  // A change that is not complete, of a question that keeps its category, leaves that of the pending one.
  const kept = pending && !change.complete && change.category.id === row.category_id;
  const category = (kept && (await findCategoryById(tx, pending.category_id))) || change.category;
  const revision = Math.max(row.revision, last?.revision ?? 0) + 1;
  const at = Math.max(Date.now(), row.updated_at);
  const parts = renderColumns(row.id, fields, { revision, created_at: row.created_at, updated_at: at });
  const before: string[] = pending ? JSON.parse(pending.authors) : [];
  const authors = [...new Set([...before, ...(origin.by ? [origin.by.client] : [])])];
  const next: PendingRevision = {
    question_id: row.id,
    revision,
    base_revision: row.revision,
    state: 'waiting',
    category_id: category.id,
    category: category.name_json,
    ...parts,
    checksum: computeChecksums({ id: row.id, category_id: category.id, ...parts }).checksum,
    authors: JSON.stringify(authors),
    ...toOriginColumns(origin),
    created_at: pending?.created_at ?? at,
    updated_at: at,
  };
  const columns = Object.keys(PENDING_REVISIONS.columns).filter((name) => name !== 'question_id');
  await tx.insert(
    PENDING_REVISIONS,
    [next],
    `ON CONFLICT (question_id) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}`,
  );
  await emit(tx, {
    kind: 'question.pending',
    at,
    subjects: [row.id],
    audience: 'editors',
    reveals_answers: true,
  });
  return toStoredPending(next, category);
}

async function findCategoryById(tx: Tx, id: number): Promise<CategoryRow | undefined> {
  return tx.get<CategoryRow>('SELECT * FROM categories WHERE id = $1', id);
}

/** Applies the difference of two sets of fields to a third one. */
function applyDifference(from: QuestionFields, to: QuestionFields, onto: QuestionFields): QuestionFields {
  const [before, after, result] = [{ ...from }, { ...to }, { ...onto }] as Record<string, unknown>[];
  for (const name of new Set([...Object.keys(before!), ...Object.keys(after!)])) {
    if (JSON.stringify(before![name]) === JSON.stringify(after![name])) continue;
    if (name in after!) result![name] = after![name];
    else delete result![name];
  }
  return result as unknown as QuestionFields;
}

/** Withdraws the change that waits, if there is one. */
export const withdrawPending = defineCommand(
  'withdrawPending',
  async (tx: Tx, { id: given, ifMatch }: { id: string; ifMatch: string[] | undefined }): Promise<null> => {
    const id = parseId(given);
    await lockQuestion(tx, id);
    await requireKnownQuestion(tx, id);
    if (ifMatch) requireMatch(etagWithAnswers(await getPending(tx, id)), ifMatch);
    await clearPending(tx, [id]);
    return null;
  },
);

/** The change that waits for a question. */
export async function getPending(db: Db, id: string): Promise<StoredQuestion> {
  const pending = await findPending(db, parseId(id));
  if (!pending) throw errors.noPendingChange(id);
  const category = await db.get<Pick<CategoryRow, 'name_json' | 'name_version'>>(
    'SELECT name_json, name_version FROM categories WHERE id = $1',
    pending.category_id,
  );
  return toStoredPending(pending, category ?? { name_json: pending.category, name_version: 0 });
}

interface ListedPending extends PendingRevision {
  present_category: string | null;
}

/** Lists the changes that wait, the oldest first. */
export function listPending(
  db: Db,
  { limit, offset, maxBytes }: { limit: number; offset: number; maxBytes: number },
) {
  return db.snapshot(async (tx) => {
    const counted = await tx.get<{ n: number }>(
      'SELECT count(*) AS n FROM pending_revisions WHERE public_json IS NOT NULL',
    );
    const rows = await tx.all<ListedPending>(
      `SELECT p.*, c.name_json AS present_category
       FROM pending_revisions p LEFT JOIN categories c ON c.id = p.category_id
       WHERE p.public_json IS NOT NULL ORDER BY p.updated_at, p.question_id LIMIT $1 OFFSET $2`,
      limit,
      offset,
    );
    const items = limitBytes(
      rows.map((row) => {
        const category = { name_json: row.present_category ?? row.category, name_version: 0 };
        return toSized(renderQuestion(toStoredPending(row, category), 'with_answers'));
      }),
      maxBytes,
    );
    return { items: joinTexts(items), n: items.length, total: counted!.n, offset, last: undefined };
  });
}
