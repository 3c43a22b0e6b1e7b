/**
 * The tables of a bank, for copying it to another database, and reading them in batches by primary
 * key.
 */
import { CLIENTS } from '../access/client-row.ts';
import { TOKENS } from '../access/tokens.ts';
import {
  ANALYSES,
  ANALYSIS_ITEMS,
  ANALYSIS_QUESTIONS,
  ANALYSIS_RESULTS,
  ANALYSIS_REVISIONS,
} from '../analyses/row.ts';
import { ANALYSIS_ROW_INDEX } from '../analyses/row-index.ts';
import { CHANGE_QUESTIONS, CHANGE_RESULTS, CHANGES } from '../changes/row.ts';
import type { Db, Row } from '../db.ts';
import { DRAWS } from '../draws/row.ts';
import { EVENTS } from '../events.ts';
import { DISMISSALS } from '../findings/dismissals.ts';
import { ANALYSIS_FINDINGS, FINDING_SETS } from '../findings/finding-sets.ts';
import { IDEMPOTENCY } from '../idempotency.ts';
import { IMPORT_CHUNKS, IMPORT_REJECTS, IMPORTS } from '../imports/row.ts';
import { FACET_TOTALS, POSTINGS } from '../index/postings.ts';
import { OPENTDB_TOKENS } from '../opentdb/row.ts';
import { CATEGORIES } from '../questions/category-row.ts';
import { DELETED_QUESTIONS } from '../questions/deleted.ts';
import { MERGED_QUESTIONS } from '../questions/merged.ts';
import { PENDING_REVISIONS } from '../questions/pending-row.ts';
import { QUESTIONS, REVISIONS } from '../questions/row.ts';
import { REPORTS } from '../reports/row.ts';
import { MOVED_RESPONSES } from '../responses/moved.ts';
import { ANSWERED, ANSWERED_QUESTIONS, SITTINGS } from '../responses/sittings.ts';
import { COMMENTS, REVIEWS } from '../review/row.ts';
import { bigint, columnNames, defineTable, type Table } from '../table.ts';

export interface BankTable {
  table: Table;
  /** Rows that are read and written together; fewer where rows are large. */
  batchRows: number;
  /** Expressions that are read in place of a column. */
  replaced?: Record<string, string>;
}

/**
 * Each after the tables it refers to. Rate counters, the index log and the full-text index are not
 * copied: the first two are transient, and the full-text index is built from the questions.
 */
export const BANK_TABLES: readonly BankTable[] = [
  { table: CATEGORIES, batchRows: 1000 },
  { table: QUESTIONS, batchRows: 1000 },
  { table: REVISIONS, batchRows: 1000 },
  // After the revisions, which have the content that is indexed.
  { table: DELETED_QUESTIONS, batchRows: 1000 },
  { table: PENDING_REVISIONS, batchRows: 1000 },
  { table: POSTINGS, batchRows: 1000 },
  { table: FACET_TOTALS, batchRows: 5000 },
  { table: CLIENTS, batchRows: 1000 },
  { table: TOKENS, batchRows: 1000 },
  // The result of creating a thousand questions is one row.
  { table: IDEMPOTENCY, batchRows: 10 },
  { table: ANALYSES, batchRows: 500 },
  { table: ANALYSIS_RESULTS, batchRows: 10 },
  // Each row holds up to a thousand items.
  { table: ANALYSIS_ITEMS, batchRows: 20 },
  { table: ANALYSIS_QUESTIONS, batchRows: 1000 },
  { table: ANALYSIS_REVISIONS, batchRows: 1000 },
  // Each row holds up to 64 KiB.
  { table: ANALYSIS_ROW_INDEX, batchRows: 50 },
  { table: ANALYSIS_FINDINGS, batchRows: 1000 },
  { table: FINDING_SETS, batchRows: 1000 },
  { table: DISMISSALS, batchRows: 1000 },
  // A sitting may hold tens of thousands of responses.
  { table: SITTINGS, batchRows: 250 },
  { table: ANSWERED, batchRows: 10_000 },
  { table: ANSWERED_QUESTIONS, batchRows: 5000 },
  { table: CHANGES, batchRows: 100 },
  { table: CHANGE_QUESTIONS, batchRows: 1000 },
  { table: CHANGE_RESULTS, batchRows: 500 },
  { table: IMPORTS, batchRows: 100 },
  // A chunk has 256 KiB.
  { table: IMPORT_CHUNKS, batchRows: 8 },
  { table: IMPORT_REJECTS, batchRows: 100 },
  { table: MERGED_QUESTIONS, batchRows: 5000 },
  { table: MOVED_RESPONSES, batchRows: 1000 },
  { table: REPORTS, batchRows: 1000 },
  { table: REVIEWS, batchRows: 1000 },
  { table: COMMENTS, batchRows: 1000 },
  // A draw has up to 500 questions.
  { table: DRAWS, batchRows: 100 },
  { table: OPENTDB_TOKENS, batchRows: 1000 },
  // A transaction number means nothing in another database. An event may name a thousand questions.
  { table: EVENTS, batchRows: 200, replaced: { tx: '0' } },
];

export const findBankTable = (name: string): BankTable =>
  BANK_TABLES.find(({ table }) => table.name === name)!;

/** The slots of the full-text index, whose terms cannot be read back on every engine. */
export const searchSlots = (db: Db): BankTable => ({
  table: defineTable('search', { [db.dialect.slotColumn]: bigint }, db.dialect.slotColumn),
  batchRows: 10_000,
});

/** Reads a table in batches, in the order of its primary key. */
export async function* readBatches(db: Db, { table, batchRows, replaced = {} }: BankTable) {
  const { name, primaryKey, columns } = table;
  const selected = columnNames(table).map((column) =>
    column in replaced ? `${replaced[column]} AS ${column}` : column,
  );
  // node:sqlite binds numbers as floating point, which FTS5 does not compare with row ids.
  const params = primaryKey.map((column, i) =>
    /int/.test(columns[column]!.type) ? `CAST($${i + 1} AS bigint)` : `$${i + 1}`,
  );
  const after = `WHERE (${primaryKey.join(', ')}) > (${params.join(', ')})`;
  let last: Row | undefined;
  do {
    const rows: Row[] = await db.all(
      `SELECT ${selected.join(', ')} FROM ${name} ${last ? after : ''}
       ORDER BY ${primaryKey.join(', ')} LIMIT ${batchRows}`,
      ...(last ? primaryKey.map((column) => last![column]!) : []),
    );
    if (rows.length > 0) yield rows;
    last = rows.length === batchRows ? rows.at(-1) : undefined;
  } while (last);
}
