/**
 * The history of a question: superseded revisions in `revisions`, and the question itself as the
 * current one.
 */
import { errors } from '../../errors.ts';
import type { RestoreRequest } from '../../schemas/question.ts';
import { type Db, defineCommand, type Tx } from '../db.ts';
import { limitBytes } from '../page-bytes.ts';
import { formatTime } from '../time.ts';
import { categoriesIn, findCategoryOf } from './categories.ts';
import { requireFreeExternalIds } from './checks.ts';
import { buildSeed, isSound } from './checksums.ts';
import { type ChangeOrigin, renderOrigin } from './origin.ts';
import type { Page } from './pages.ts';
import { restoreMany, reviseMany } from './revise.ts';
import {
  lockQuestion,
  parseFields,
  parseId,
  type RevisionRow,
  renderHead,
  type StoredQuestion,
} from './row.ts';
import { membersBytes, NO_MEMBERS, type StoredItem, toStoredItem } from './stored-items.ts';

/**
 * All revisions of a question, the current one included, with the current names of their
 * categories. `contents` gives further columns of a row.
 */
const selectHistory = (contents: (row: string) => string) => `
  SELECT q.id AS question_id, q.revision, q.action, q.updated_at AS at, q.created_slot, q.created_at, q.category_id,
         q.changed_by, q.changed_key, q.change_id, c.name_json AS category, ${contents('q')}
  FROM questions q JOIN categories c ON c.id = q.category_id WHERE q.id = $1
  UNION ALL
  SELECT r.question_id, r.revision, r.action, r.at, r.created_slot, r.created_at, r.category_id,
         r.changed_by, r.changed_key, r.change_id, coalesce(c.name_json, r.category) AS category, ${contents('r')}
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
  args: { id: string; limit: number; offset: number; maxBytes: number },
): Promise<Page> {
  const { limit, offset } = args;
  const id = parseId(args.id);
  return db.snapshot(async (tx) => {
    const counted = await tx.get<{ total: number }>(`SELECT count(*) AS total FROM (${HISTORY_SIZES}) h`, id);
    const rows = await tx.all<RevisionSize>(
      `SELECT revision, action, at, category, category_id, bytes, checksum, changed_by, changed_key, change_id
       FROM (${HISTORY_SIZES}) h
       ORDER BY revision DESC LIMIT $2 OFFSET $3`,
      id,
      limit,
      offset,
    );
    const { total } = counted!;
    if (total === 0) throw errors.noSuchQuestion(args.id);
    const items = rows.map((row) => toItem(id, row));
    const list = limitBytes(items, args.maxBytes);
    return { items: { view: 'with_answers', list }, n: list.length, total, offset, last: undefined };
  });
}

function toItem(id: string, row: RevisionSize): StoredItem {
  const { revision, action, at, category, category_id, bytes, checksum } = row;
  const head = `{"revision":${revision},"action":"${action}","at":"${formatTime(at)}",${renderOrigin(row)},"question":`;
  const [before, after] = bytes === null ? [head, 'null}'] : [`${head}${renderHead({ id, category })}`, '}}'];
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
    const fields = parseFields(content);
    if (current?.revision === revision) {
      throw errors.alreadyCurrent(`Revision ${revision} is the current one of question ${given}.`);
    }
    if (fields.external_id)
      await requireFreeExternalIds(tx, [{ external_id: fields.external_id, pointer: '/revision' }], id);
    if (current) {
      const next = { row: current, category, fields };
      const [revised] = await reviseMany(tx, [next], { action: 'restored', ...origin });
      return revised!;
    }
    const { created_slot, created_at, revision: last } = newest!;
    const deleted = { created_slot, id, revision: last, created_at };
    const [restored] = await restoreMany(tx, [{ deleted, category, fields }], origin);
    return restored!;
  },
);
