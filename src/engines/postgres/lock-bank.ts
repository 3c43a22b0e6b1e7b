import { setTimeout as sleep } from 'node:timers/promises';
import { retry } from '../../concurrency/retry.ts';
import { ApiError, errors } from '../../errors.ts';
import { LruCache } from '../../store/cache.ts';
import type { Db } from '../../store/db.ts';
import { foldLog } from '../../store/index/postings.ts';
import { BANK_TABLES } from '../../store/migrate/tables.ts';
import { StartError } from '../start-error.ts';
import { parseDatabaseUrl } from './address.ts';
import { PgTx } from './connection.ts';
import { ConnectionPool, UNLIMITED_MS } from './pool.ts';
import { migrateSchema } from './schema.ts';

/**
 * Statements read whole tables, and between two of them the target of a migration may write for
 * long.
 */
const TIMEOUTS = { statementMs: 3_600_000, idleMs: UNLIMITED_MS, transactionMs: UNLIMITED_MS };

/**
 * Lock order: every writer writes to another table before it writes to the index, except for those
 * that fold its log. So the other tables are locked first, then the log is folded, then the index
 * is locked.
 */
const INDEX_TABLES = ['postings', 'facet_totals', 'postings_log', 'bank_state'];
const OTHER_TABLES = BANK_TABLES.map(({ table }) => table.name).filter(
  (name) => !INDEX_TABLES.includes(name),
);

const LOCK_ATTEMPTS = 3;
const FOLD_ATTEMPTS = 100;
const FOLD_RETRY_MS = 100;

/** Locks a bank against writes while the work reads it. Its nodes continue to read. */
export async function lockPostgresBank<R>(url: string, work: (db: Db) => Promise<R>): Promise<R> {
  const connection = parseDatabaseUrl(url);
  try {
    await migrateSchema(connection, false);
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`PostgreSQL cannot be used: ${(error as Error).message}.`);
  }
  const pool = new ConnectionPool(connection, { maxConnections: 2, timeouts: TIMEOUTS });
  try {
    return await runLocked(pool, work);
  } finally {
    await pool.close();
  }
}

function runLocked<R>(pool: ConnectionPool, work: (db: Db) => Promise<R>): Promise<R> {
  let locked = false;
  // The transaction writes nothing: one that did would delay the events of every bank on the
  // server.
  const attempt = () =>
    pool.transaction('BEGIN', async (client) => {
      const tx = new PgTx(client, new LruCache());
      await setKeepalives(tx);
      await lockTables(tx, OTHER_TABLES);
      await foldAll(tx, pool);
      await lockTables(tx, INDEX_TABLES);
      locked = true;
      return await work(tx);
    });
  // A writer that has locked one table and waits for another causes a deadlock or a timeout.
  return retry(attempt, { attempts: LOCK_ATTEMPTS, when: () => !locked });
}

/** If this machine loses power, the server notices within a minute and releases the locks. */
async function setKeepalives(tx: PgTx): Promise<void> {
  for (const [setting, value] of [
    ['idle', 30],
    ['interval', 10],
    ['count', 3],
  ] as const)
    await tx.run(`SET LOCAL tcp_keepalives_${setting} = ${value}`);
}

async function lockTables(tx: PgTx, tables: string[]): Promise<void> {
  try {
    await tx.run(`LOCK TABLE ${tables.join(', ')} IN SHARE MODE`);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw errors.unavailable('The bank cannot be locked: writes do not pause. Try again shortly.', error);
  }
}

/** Folds the whole index log. Waits for another process that is folding it. */
async function foldAll(tx: PgTx, pool: ConnectionPool): Promise<void> {
  const fold = () => pool.transaction('BEGIN', (client) => foldLog(new PgTx(client, new LruCache())));
  for (let attempt = 0; attempt < FOLD_ATTEMPTS; attempt++) {
    while (await fold());
    if (!(await tx.get('SELECT 1 AS pending FROM postings_log LIMIT 1'))) return;
    await sleep(FOLD_RETRY_MS);
  }
  throw errors.unavailable('Another process is folding the index of the bank. Try again shortly.');
}
