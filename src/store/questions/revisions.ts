/**
 * The history of a question: superseded revisions in `revisions`, and the question itself as the
 * current one.
 */
import { errors } from '../../errors.ts';
import type { RestoreRequest } from '../../schemas/question.ts';
import type { Status } from '../../schemas/status.ts';
import { type Db, defineCommand, type Tx } from '../db.ts';
import { limitBytes } from '../page-bytes.ts';
import { requiredReviewsIn } from '../review-policy.ts';
import { formatTime } from '../time.ts';
import type { Visibility } from '../view.ts';
import { categoriesIn, findCategoryOf } from './categories.ts';
import { requireFreeExternalIds } from './checks.ts';
import { buildSeed, isSound } from './checksums.ts';
import { type ChangeOrigin, renderOrigin } from './origin.ts';
import type { Page } from './pages.ts';
import { changeMany, restoreMany } from './revise.ts';
import {
  lockQuestion,
  parseFields,
  parseId,
  type RevisionRow,
  renderHead,
  type StoredQuestion,
} from './row.ts';
import { isVisibleSql } from './status.ts';
import { membersBytes, NO_MEMBERS, type StoredItem, toStoredItem } from './stored-items.ts';

/**
 * All revisions of a question, the current one included, with the current names of their
 * categories. `contents` gives further columns of a row.
 */
const selectHistory = (contents: (row: string) => string) => `
  SELECT q.id AS question_id, q.revision, q.action, q.updated_at AS at, q.created_slot, q.created_at, q.category_id,
         q.changed_by, q.changed_key, q.change_id, q.status, q.reason, c.name_json AS category, ${contents('q')}
  FROM questions q JOIN categories c ON c.id = q.category_id WHERE q.id = $1
  UNION ALL
  SELECT r.question_id, r.revision, r.action, r.at, r.created_slot, r.created_at, r.category_id,
         r.changed_by, r.changed_key, r.change_id, r.status, r.reason, coalesce(c.name_json, r.category) AS category, ${contents('r')}
  FROM revisions r LEFT JOIN categories c ON c.id = r.category_id WHERE r.question_id = $1`;

const HISTORY = selectHistory((row) => `${row}.public_json, ${row}.answer_json, ${row}.checksum`);
const HISTORY_SIZES = selectHistory(
  (row) => `${membersBytes(row, 'with_answers')} AS bytes, ${row}.checksum`,
);

interface RevisionSize
  extends Omit<RevisionRow, 'question_id' | 'created_slot' | 'created_at' | 'public_json' | 'answer_json'> {
  /** The length of the stored members; null for a deletion. */
  bytes: number | null;
}

/** Lists a page of the revisions, newest first. */
export async function listRevisions(
  db: Db,
  args: { id: string; visibility: Visibility; limit: number; offset: number; maxBytes: number },
): Promise<Page> {
  const { limit, offset, visibility } = args;
  const id = parseId(args.id);
  const visible = isVisibleSql('h', visibility);
  return db.snapshot(async (tx) => {
    const newest = await tx.get<Pick<RevisionRow, 'status'>>(
      `SELECT status FROM (${HISTORY_SIZES}) h ORDER BY revision DESC LIMIT 1`,
      id,
    );
    if (!newest || (visibility === 'approved' && newest.status !== 'approved'))
      throw errors.noSuchQuestion(args.id);
    const counted = await tx.get<{ total: number }>(
      `SELECT count(*) AS total FROM (${HISTORY_SIZES}) h WHERE ${visible}`,
      id,
    );
    const rows = await tx.all<RevisionSize>(
      `SELECT revision, action, at, category, category_id, bytes, checksum, changed_by, changed_key, change_id, status, reason
       FROM (${HISTORY_SIZES}) h WHERE ${visible}
       ORDER BY revision DESC LIMIT $2 OFFSET $3`,
      id,
      limit,
      offset,
    );
    const { total } = counted!;
    const items = rows.map((row) => toItem(id, row));
    const list = limitBytes(items, args.maxBytes);
    return { items: { view: 'with_answers', list }, n: list.length, total, offset, last: undefined };
  });
}

function toItem(id: string, row: RevisionSize): StoredItem {
  const { revision, action, at, category, category_id, status, bytes, checksum } = row;
  const head =
    `{"revision":${revision},"action":"${action}","at":"${formatTime(at)}",${renderOrigin(row)},` +
    `"reason":${JSON.stringify(row.reason)},"question":`;
  const [before, after] =
    bytes === null
      ? [head, 'null}']
      : [`${head}${renderHead({ id, category, status }, 'with_answers')}`, '}}'];
  const members = bytes === null ? NO_MEMBERS : { bytes, seed: buildSeed(id, category_id), checksum };
  return toStoredItem({ before, id, revision, after }, members);
}

/** The JSON of a revision; undefined if it has none. Throws if it is damaged. */
function readContent(row: RevisionRow): { public_json: string; answer_json: string } | undefined {
  const { question_id: id, revision, category_id, public_json, answer_json, checksum } = row;
  if (public_json === null || answer_json === null) return undefined;
  if (!isSound({ id, category_id, public_json, answer_json, checksum }))
    throw errors.damagedData(`Revision ${revision} of question ${id}`);
  return { public_json, answer_json };
}

export interface Restoration extends RestoreRequest, ChangeOrigin {
  id: string;
}

export const restoreQuestion = defineCommand(
  'restoreQuestion',
  async (tx: Tx, { id: given, revision, ...origin }: Restoration): Promise<StoredQuestion> => {
    const id = parseId(given);
    const current = await lockQuestion(tx, id);
    const history = await tx.all<RevisionRow>(
      `SELECT * FROM (${HISTORY}) h WHERE revision = $2 OR action = 'deleted' ORDER BY revision DESC`,
      id,
      revision,
    );
    const newest = history[0];
    if (!current && !newest) throw errors.noSuchQuestion(given);
    const wanted = history.find((row) => row.revision === revision);
    const content = wanted && readContent(wanted);
    if (!content) throw errors.noSuchRevision(given, revision);
    const category = findCategoryOf(wanted, await categoriesIn(tx));
    if (!category) throw errors.categoryDeleted(JSON.parse(wanted.category));
    const fields = parseFields({ ...content, status: current?.status ?? (await chooseRestored(tx, wanted)) });
    if (current?.revision === revision) {
      throw errors.alreadyCurrent(`Revision ${revision} is the current one of question ${given}.`);
    }
    if (fields.external_id)
      await requireFreeExternalIds(tx, [{ external_id: fields.external_id, pointer: '/revision' }], id);
    if (current) {
      const cause = { action: 'restored', complete: true, ...origin } as const;
      const [changed] = await changeMany(tx, [{ row: current, category, fields }], cause);
      return changed!;
    }
    const { created_slot, created_at, revision: last } = newest!;
    const deleted = { created_slot, id, revision: last, created_at };
    const [restored] = await restoreMany(tx, [{ deleted, category, fields }], origin);
    return restored!;
  },
);

/** The status of a restored question: while review is on, an approved one has to be reviewed again. */
async function chooseRestored(tx: Tx, { status }: Pick<RevisionRow, 'status'>): Promise<Status> {
  return status === 'approved' && (await requiredReviewsIn(tx)) > 0 ? 'draft' : status;
}
