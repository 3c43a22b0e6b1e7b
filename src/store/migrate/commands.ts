/** The writes to the target of a migration. */
import { errors } from '../../errors.ts';
import { lockBankState, readMigrationId } from '../bank-state.ts';
import { type Counters, defineCommand, type Row, type Tx } from '../db.ts';
import { type DeletedRow, indexDeletedTerms, readDeletedContents } from '../questions/deleted.ts';
import { listFacets } from '../questions/facets.ts';
import { putTerms } from '../questions/index-entries.ts';
import { parseFields, type QuestionRow } from '../questions/row.ts';
import type { NewRow, Table } from '../table.ts';
import { BANK_TABLES, findBankTable } from './tables.ts';

/** Tables that a migration fills or leaves empty, each before those it refers to. */
const ALL_TABLES = [
  ...['search', 'postings_log', 'rate_counters'],
  ...BANK_TABLES.map(({ table }) => table.name).reverse(),
];

/**
 * Marks an empty bank as incomplete and clears it; one that an earlier migration left incomplete is
 * cleared too. False if the bank is in use. A new id supersedes an earlier migration that is still
 * running: its next write fails.
 */
export const beginMigration = defineCommand(
  'beginMigration',
  async (tx: Tx, id: string): Promise<boolean> => {
    await lockBankState(tx);
    if ((await readMigrationId(tx)) === null) {
      // Every bank has categories from the start.
      for (const { table } of BANK_TABLES)
        if (table.name !== 'categories' && (await tx.get(`SELECT 1 AS used FROM ${table.name} LIMIT 1`)))
          return false;
    }
    await tx.truncate(ALL_TABLES);
    await tx.run('UPDATE bank_state SET migration_id = $1', id);
    return true;
  },
);

async function requireMigration(tx: Tx, id: string): Promise<void> {
  await lockBankState(tx);
  if ((await readMigrationId(tx)) !== id)
    throw errors.unavailable('Another quaestor migrate has started to copy into the same bank.');
}

export interface CopiedRows {
  id: string;
  table: string;
  rows: Row[];
}

/** Inserts copied rows. The full-text index is built from the questions. */
export const insertCopied = defineCommand(
  'insertCopied',
  async (tx: Tx, { id, table: name, rows }: CopiedRows): Promise<null> => {
    await requireMigration(tx, id);
    const { table } = findBankTable(name);
    await tx.insert(table, rows as unknown as NewRow<Table>[]);
    if (name === 'questions') for (const row of rows as unknown as QuestionRow[]) indexTerms(tx, row);
    if (name === 'deleted_questions') await indexDeleted(tx, rows as unknown as DeletedRow[]);
    return null;
  },
);

function indexTerms(tx: Tx, row: QuestionRow): void {
  const fields = parseFields(row);
  putTerms(tx, row, listFacets(row.category_id, fields), fields);
}

async function indexDeleted(tx: Tx, rows: DeletedRow[]): Promise<void> {
  for (const [slot, content] of await readDeletedContents(tx, rows)) indexDeletedTerms(tx, slot, content);
}

export interface MigratedState {
  id: string;
  counters: Counters;
  epoch: number;
  cursorKey: string;
  /** See fill-facets.ts. */
  filledSlot: number | null;
  filledDeletion: number | null;
}

/** Marks the bank as complete. */
export const completeMigration = defineCommand(
  'completeMigration',
  async (tx: Tx, { id, counters, ...state }: MigratedState): Promise<null> => {
    await requireMigration(tx, id);
    await tx.run(
      `UPDATE bank_state SET migration_id = NULL, epoch = $1, cursor_key = $2, filled_slot = $3, filled_deletion = $4`,
      state.epoch,
      state.cursorKey,
      state.filledSlot,
      state.filledDeletion,
    );
    await tx.setCounters(counters);
    return null;
  },
);
