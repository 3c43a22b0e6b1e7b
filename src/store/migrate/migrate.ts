/**
 * Copies a bank into an empty one of any engine. The source is locked, so that it does not change.
 * The target is marked as incomplete until every table has been read back and compared with the
 * source by row count and digest; until then the service refuses to open it. A migration that fails
 * is started over: the next one clears the target.
 */
import { randomUUID } from 'node:crypto';
import { setImmediate as afterEventLoop } from 'node:timers/promises';
import { isUnavailable } from '../../errors.ts';
import { isIncomplete } from '../bank-state.ts';
import type { Counters, Db, Engine } from '../db.ts';
import { beginMigration, completeMigration, insertCopied } from './commands.ts';
import { Digester, digestSearch, digestTable, sampleTerms, type TableDigest } from './digest.ts';
import { MigrationError } from './errors.ts';
import { BANK_TABLES, type BankTable, readBatches } from './tables.ts';

export interface Progress {
  phase: 'copying' | 'comparing';
  table: string;
  /** Rows of all tables. */
  done: number;
  total: number;
}

export interface Migration {
  /** Locked by `lockBank`. */
  source: Db;
  target: Engine;
  report(progress: Progress): void;
  /** Aborts the migration between two steps. */
  signal: AbortSignal;
}

export interface MigratedTable extends TableDigest {
  table: string;
}

export async function migrateBank(migration: Migration): Promise<MigratedTable[]> {
  const { source, target, signal } = migration;
  const id = randomUUID();
  if (!(await target.write(beginMigration, id)))
    throw new MigrationError(
      'The target bank is in use: it has data already. Use a new folder or an empty database.',
    );
  const counts = await countRows(source);
  const total = [...counts.values()].reduce((sum, n) => sum + n, 0);
  const copied = new Map<string, TableDigest>();
  let done = 0;
  for (const table of BANK_TABLES) {
    const report = (rows: number) => {
      signal.throwIfAborted();
      done += rows;
      migration.report({ phase: 'copying', table: table.table.name, done, total });
    };
    const { name } = table.table;
    const digest = await copyTable(migration, id, table, report);
    if (digest.rows !== counts.get(name))
      throw new MigrationError(
        `Reading the table ${name} returned ${digest.rows} of ${counts.get(name)} rows: an index of the source is corrupt.`,
      );
    copied.set(name, digest);
  }
  const compared = await compareTables(migration, copied, total);
  const state = await source.get<{
    epoch: number;
    cursor_key: string;
    filled_slot: number | null;
    filled_deletion: number | null;
  }>('SELECT epoch, cursor_key, filled_slot, filled_deletion FROM bank_state');
  const completed = target.write(completeMigration, {
    id,
    counters: (await source.get<Counters>(source.dialect.counters))!,
    epoch: state!.epoch,
    cursorKey: state!.cursor_key,
    filledSlot: state!.filled_slot,
    filledDeletion: state!.filled_deletion,
  });
  await completed.catch(async (error) => {
    // The response to the commit may have been lost.
    if (!isUnavailable(error) || (await isIncomplete(target.db))) throw error;
  });
  return compared;
}

async function countRows(db: Db): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const { table } of BANK_TABLES) {
    const row = await db.get<{ n: number }>(`SELECT count(*) AS n FROM ${table.name}`);
    counts.set(table.name, row!.n);
  }
  return counts;
}

/** Copies a table. The next batch is read and digested while the last one is written. */
async function copyTable(
  { source, target }: Migration,
  id: string,
  table: BankTable,
  report: (rows: number) => void,
): Promise<TableDigest> {
  const digester = new Digester();
  let writing: Promise<unknown> = Promise.resolve();
  for await (const rows of readBatches(source, table)) {
    digester.add(rows);
    await writing;
    report(rows.length);
    writing = target.write(insertCopied, { id, table: table.table.name, rows });
    // Handled by the next await; without this a rejection in between would count as unhandled.
    writing.catch(() => {});
    // Reading SQLite is synchronous: the write must be sent before the next batch is read.
    await afterEventLoop();
  }
  await writing;
  return digester.digest();
}

/**
 * Reads the target back and compares it with what was copied, and the full-text indexes by
 * searches.
 */
async function compareTables(
  { source, target, report, signal }: Migration,
  copied: ReadonlyMap<string, TableDigest>,
  total: number,
): Promise<MigratedTable[]> {
  const tables: MigratedTable[] = [];
  const check = (table: string, expected: TableDigest, actual: TableDigest) => {
    signal.throwIfAborted();
    if (expected.rows !== actual.rows || expected.sha256 !== actual.sha256)
      throw new MigrationError(
        `The copy of the table ${table} differs from the source. Run the command again; it starts over.`,
      );
    tables.push({ table, ...actual });
  };
  let done = 0;
  for (const [table, expected] of copied) {
    report({ phase: 'comparing', table, done, total });
    check(table, expected, await target.search(digestTable, table));
    done += expected.rows;
  }
  report({ phase: 'comparing', table: 'search', done, total });
  const terms = await sampleTerms(source);
  check('search', await digestSearch(source, terms), await target.search(digestSearch, terms));
  return tables;
}
