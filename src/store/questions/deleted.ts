/**
 * Deleted questions. The last content of each is a revision; a row here makes it an item of a list,
 * at the slot of its deletion, and its facets and words are in the index under that slot.
 */
import type { Db, Tx } from '../db.ts';
import { findSetsWith, sets } from '../index/postings.ts';
import { bigint, defineTable, integer, nullable, type RowOf, text, uuid } from '../table.ts';
import { isSound } from './checksums.ts';
import { buildTerms, listFacets, term } from './facets.ts';
import { parseFields, type QuestionRow, type RevisionRow } from './row.ts';

export const DELETED_QUESTIONS = defineTable(
  'deleted_questions',
  {
    deleted_slot: bigint,
    id: uuid,
    /** The last revision with content. */
    revision: integer,
    deleted_at: bigint,
    external_id: nullable(text()),
    /** The client that created the question; null where it is not known. */
    created_by: nullable(text()),
  },
  'deleted_slot',
);

export type DeletedRow = RowOf<typeof DELETED_QUESTIONS>;

/** The last content of a deleted question. */
export type LastContent = Pick<
  QuestionRow,
  'category_id' | 'public_json' | 'answer_json' | 'revision' | 'status'
>;

/** The slot and the time of a deletion, and who created the question. */
export type DeletionMark = Pick<DeletedRow, 'deleted_slot' | 'id' | 'deleted_at' | 'created_by'>;

/** Lists questions that have just been deleted. Those of which no content can be read are left out. */
export async function addDeleted(
  tx: Tx,
  list: readonly { mark: DeletionMark; content: LastContent | undefined }[],
): Promise<void> {
  const rows: DeletedRow[] = [];
  for (const { mark, content } of list) {
    const last = content ?? (await readLastContent(tx, mark.id));
    if (!last) continue;
    rows.push({ ...mark, revision: last.revision, external_id: parseFields(last).external_id });
    const facets = indexDeletedTerms(tx, mark.deleted_slot, last);
    for (const name of facets) tx.index.add(sets.deleted(name), mark.deleted_slot);
  }
  await tx.insert(DELETED_QUESTIONS, rows);
}

/** Indexes the words of a deleted question; returns its facets. */
export function indexDeletedTerms(tx: Tx, slot: number, content: Omit<LastContent, 'revision'>): string[] {
  const { facets, terms } = listDeletedEntries(content);
  tx.index.putTerms(slot, terms);
  return facets;
}

/** The facets of a deleted question, and its terms, separated by spaces. */
export function listDeletedEntries(content: Omit<LastContent, 'revision'>): {
  facets: string[];
  terms: string;
} {
  const fields = parseFields(content);
  const facets = listFacets(content.category_id, fields);
  const terms = buildTerms(facets, fields).split(' ').map(term.deleted).join(' ');
  return { facets, terms };
}

async function readLastContent(db: Db, id: string): Promise<LastContent | undefined> {
  const row = await db.get<RevisionRow>(
    `SELECT * FROM revisions WHERE question_id = $1 AND public_json IS NOT NULL
     ORDER BY revision DESC LIMIT 1`,
    id,
  );
  return row && toContent(row);
}

/** Undefined if the content is damaged. */
function toContent({ question_id: id, ...row }: RevisionRow): LastContent | undefined {
  const { category_id, revision, checksum, public_json, answer_json, status } = row;
  if (public_json === null || answer_json === null) return undefined;
  const content = { category_id, public_json, answer_json };
  return isSound({ id, checksum, ...content }) ? { ...content, revision, status } : undefined;
}

/** Removes questions that are restored from the list of deleted ones; returns their rows by id. */
export async function removeDeleted(tx: Tx, ids: readonly string[]): Promise<Map<string, DeletedRow>> {
  const rows = await tx.all<DeletedRow>(
    `SELECT * FROM deleted_questions WHERE id IN ${tx.dialect.values('$1', 'uuid')}`,
    JSON.stringify(ids),
  );
  const contents = await readDeletedContents(tx, rows);
  for (const { deleted_slot } of rows) {
    const content = contents.get(deleted_slot);
    const names = content
      ? listDeletedEntries(content).facets.map(sets.deleted)
      : await findSetsWith(tx, deleted_slot);
    for (const name of names) tx.index.remove(name, deleted_slot);
    tx.index.removeTerms(deleted_slot);
  }
  await tx.run(
    `DELETE FROM deleted_questions WHERE deleted_slot IN ${tx.dialect.values('$1', 'bigint')}`,
    JSON.stringify(rows.map(({ deleted_slot }) => deleted_slot)),
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Reads the last contents of deleted questions, by slot. Damaged ones are missing. */
export async function readDeletedContents(db: Db, rows: DeletedRow[]): Promise<Map<number, LastContent>> {
  const found = await db.all<RevisionRow & { slot: number }>(
    `SELECT v.slot, r.* FROM ${db.dialect.rows('$1', { slot: 'bigint', id: 'uuid', n: 'bigint' })} v
     JOIN revisions r ON r.question_id = v.id AND r.revision = v.n`,
    JSON.stringify(rows.map(({ deleted_slot, id, revision }) => [deleted_slot, id, revision])),
  );
  return new Map(
    found.flatMap((row): [number, LastContent][] => {
      const content = toContent(row);
      return content ? [[row.slot, content]] : [];
    }),
  );
}
