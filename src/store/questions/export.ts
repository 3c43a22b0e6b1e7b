/**
 * Questions for an export. One snapshot fixes which, and the revision of each; their content is read
 * later, a batch at a time. Revisions never change and are never deleted, so the export is that of
 * the snapshot, whatever is written meanwhile, and no transaction stays open while a client reads.
 */
import { errors } from '../../errors.ts';
import { type Db, defineQuery } from '../db.ts';
import type { Order } from '../index/postings.ts';
import { allCategories } from './categories.ts';
import { isSound } from './checksums.ts';
import type { QuestionFields } from './fields.ts';
import { matchingSlots } from './listing.ts';
import { packRevisions, type QuestionRevision, REVISION_BYTES, unpackRevisions } from './packed-revisions.ts';
import type { QuestionCriteria } from './question-criteria.ts';
import { parseFields, type QuestionRow, SLOT_COLUMN } from './row.ts';
import { searchedSlots } from './search.ts';

export interface ExportArgs {
  filter: QuestionCriteria;
  order: Order;
  descending: boolean;
}

export interface ExportSelection {
  /** See packed-revisions.ts. */
  revisions: Uint8Array;
  /** The names of the categories, by id. */
  categories: Map<number, string>;
}

/** Slots whose revisions are read by one statement. */
const SLOT_BATCH = 5_000;

/** Selects the questions that match now, for callers who may read answers. */
export const selectExport = defineQuery(
  'selectExport',
  (db: Db, { filter, order, descending }: ExportArgs): Promise<ExportSelection> =>
    db.snapshot(async (tx) => {
      const criteria = { filter, view: 'with_answers', order } as const;
      const slots =
        filter.q === undefined ? await matchingSlots(tx, filter, order) : await searchedSlots(tx, criteria);
      const column = SLOT_COLUMN[order];
      const parts: Uint8Array[] = [];
      for (let from = 0; from < slots.total; from += SLOT_BATCH) {
        const rows = await tx.all<QuestionRevision>(
          `SELECT id, revision FROM questions WHERE ${column} IN ${tx.dialect.values('$1', 'bigint')}
           ORDER BY ${column}`,
          JSON.stringify(slots.slice(from, SLOT_BATCH)),
        );
        parts.push(packRevisions(descending ? rows.reverse() : rows));
      }
      const names = (await allCategories(tx)).map(({ id, name }): [number, string] => [id, name]);
      return {
        revisions: Buffer.concat(descending ? parts.reverse() : parts),
        categories: new Map(names),
      };
    }),
);

export interface ExportedQuestion {
  fields: QuestionFields;
  category: string;
}

/** Questions that are read by one statement. */
const BATCH_QUESTIONS = 100;

type Content = Pick<
  QuestionRow,
  'id' | 'category_id' | 'public_json' | 'answer_json' | 'checksum' | 'status'
>;

/** Reads the questions of a selection, in batches. */
export async function* readExport(
  db: Db,
  { revisions, categories }: ExportSelection,
): AsyncGenerator<ExportedQuestion[]> {
  const bytes = BATCH_QUESTIONS * REVISION_BYTES;
  for (let from = 0; from < revisions.length; from += bytes) {
    const wanted = unpackRevisions(revisions.subarray(from, from + bytes));
    const rows = await readRevisions(db, wanted);
    yield rows.map((row) => {
      if (!isSound(row)) throw errors.damagedData(`Question ${row.id}`);
      return { fields: parseFields(row), category: categories.get(row.category_id) ?? '' };
    });
  }
}

async function readRevisions(db: Db, wanted: readonly QuestionRevision[]): Promise<Content[]> {
  const of = (column: keyof Content) => `coalesce(q.${column}, r.${column}) AS ${column}`;
  const columns = { n: 'bigint', id: 'uuid', revision: 'bigint' } as const;
  const rows = await db.all<Content & { public_json: string | null }>(
    `SELECT v.id, ${of('category_id')}, ${of('public_json')}, ${of('answer_json')}, ${of('checksum')}, ${of('status')}
     FROM ${db.dialect.rows('$1', columns)} v
     LEFT JOIN questions q ON q.id = v.id AND q.revision = v.revision
     LEFT JOIN revisions r ON q.id IS NULL AND r.question_id = v.id AND r.revision = v.revision
     ORDER BY v.n`,
    JSON.stringify(wanted.map(({ id, revision }, n) => [n, id, revision])),
  );
  for (const { id, public_json } of rows)
    if (public_json === null) throw errors.damagedData(`Question ${id}`);
  return rows;
}
