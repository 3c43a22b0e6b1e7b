/** Verifies the rows of a bank: checksums, and columns that repeat what the JSON contains. */
import type { Db } from '../db.ts';
import { computeBlockChecksum, POSTINGS } from '../index/postings.ts';
import { BANK_TABLES, type BankTable, readBatches } from '../migrate/tables.ts';
import { CATEGORIES, type CategoryRow, computeCategoryChecksum } from '../questions/category-row.ts';
import { computeChecksums, isSound } from '../questions/checksums.ts';
import { computeContentHash } from '../questions/content-hash.ts';
import { PENDING_REVISIONS } from '../questions/pending-row.ts';
import { QUESTIONS, type QuestionRow, REVISIONS, type RevisionRow } from '../questions/row.ts';
import type { RowOf, Table } from '../table.ts';
import { formatTime } from '../time.ts';

export interface VerifiedRows {
  table: string;
  rows: number;
  /** What is damaged, one line each. */
  damage: string[];
}

/** Describes what is wrong with a row; undefined if it is sound. */
type Check = (row: never) => string | undefined;

const CHECKS: Record<string, Check> = {
  [QUESTIONS.name]: checkQuestion,
  [REVISIONS.name]: checkRevision,
  [POSTINGS.name]: checkPostings,
  [PENDING_REVISIONS.name]: checkPending,
  [CATEGORIES.name]: (row: CategoryRow) =>
    computeCategoryChecksum(row) === row.checksum ? undefined : `category ${row.uid}: checksum`,
};

/** JSON columns of tables without checksums. */
const JSON_COLUMNS: Record<string, string[]> = {
  idempotency: ['result'],
  analyses: ['parameters', 'filter', 'error'],
  analysis_results: ['head', 'summary', 'figure', 'figures'],
  events: ['subjects'],
  reports: ['answer'],
  imports: ['options', 'report'],
};

/** Reads every table in batches, and yields what is damaged in each batch. */
export async function* verifyRows(db: Db): AsyncGenerator<VerifiedRows> {
  for (const table of BANK_TABLES) yield* verifyTable(db, table);
}

async function* verifyTable(db: Db, table: BankTable): AsyncGenerator<VerifiedRows> {
  const { name } = table.table;
  const check = (CHECKS[name] ?? buildJsonCheck(table.table)) as (row: object) => string | undefined;
  for await (const rows of readBatches(db, table))
    yield { table: name, rows: rows.length, damage: rows.flatMap((row) => check(row) ?? []) };
}

function checkQuestion(row: QuestionRow): string | undefined {
  const subject = `question ${row.id}`;
  if (!isSound(row) || computeChecksums(row).public_checksum !== row.public_checksum)
    return `${subject}: checksum`;
  const json = JSON.parse(`{${row.public_json},${row.answer_json}}`);
  const differing = [
    json.revision !== row.revision && 'revision',
    json.external_id !== row.external_id && 'external_id',
    json.created_at !== formatTime(row.created_at) && 'created_at',
    json.updated_at !== formatTime(row.updated_at) && 'updated_at',
    // Null until the service has filled it in.
    row.content_hash !== null &&
      row.content_hash !== computeContentHash(json.question_text) &&
      'content_hash',
  ].filter(Boolean);
  return differing.length > 0 ? `${subject}: ${differing.join(', ')}` : undefined;
}

function checkRevision(row: RevisionRow): string | undefined {
  const { question_id: id, category_id, public_json, answer_json, checksum } = row;
  if (public_json === null || answer_json === null) return undefined;
  return isSound({ id, category_id, public_json, answer_json, checksum })
    ? undefined
    : `revision ${row.revision} of question ${id}: checksum`;
}

function checkPending({
  question_id: id,
  public_json,
  answer_json,
  ...row
}: RowOf<typeof PENDING_REVISIONS>) {
  if (public_json === null || answer_json === null) return undefined;
  return isSound({ ...row, id, public_json, answer_json })
    ? undefined
    : `pending change of question ${id}: checksum`;
}

function checkPostings(row: RowOf<typeof POSTINGS>): string | undefined {
  return computeBlockChecksum(row.facet, row) === row.checksum
    ? undefined
    : `index entry ${row.facet}, block ${row.block}: checksum`;
}

function buildJsonCheck({ name, primaryKey }: Table) {
  return (row: Record<string, unknown>): string | undefined => {
    for (const column of JSON_COLUMNS[name] ?? []) {
      const text = row[column];
      if (text === null) continue;
      try {
        JSON.parse(text as string);
      } catch {
        return `${name} ${primaryKey.map((key) => row[key]).join(' ')}: ${column} is not JSON`;
      }
    }
    return undefined;
  };
}
