/** A bank that nobody writes to for as long as somebody reads it; its nodes go on reading. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, errors } from '../../errors.ts';
import type { Db } from '../../store/db.ts';
import { LruCache } from '../../store/index/positions.ts';
import { foldLog } from '../../store/index/postings.ts';
import { movedTables } from '../../store/migrate/tables.ts';
import { StartError } from '../start-error.ts';
import { connectionTo } from './address.ts';
import { PgTx } from './connection.ts';
import { migrate } from './migrate.ts';
import { Connections, LONG } from './pool.ts';

/** Statements go through whole tables, and between two of them another database may have a lot to write. */
const PATIENCE = { statement: 3_600_000, idle: LONG, transaction: LONG };

/** Whoever writes to the index of lists has written to one of the others before, but for those who fold its log. */
const INDEX = ['postings', 'postings_log', 'bank_state'];
const OTHERS = movedTables.map(({ name }) => name).filter((name) => !INDEX.includes(name));

export async function lockPostgresBank<R>(url: string, work: (db: Db) => Promise<R>): Promise<R> {
  const connection = connectionTo(url);
  try {
    await migrate(connection, false);
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`PostgreSQL cannot be used: ${(error as Error).message}.`);
  }
  const connections = new Connections(connection, { max: 2, patience: PATIENCE });
  try {
    return await held(connections, work);
  } finally {
    await connections.close();
  }
}

async function held<R>(connections: Connections, work: (db: Db) => Promise<R>): Promise<R> {
  for (let attempt = 1, begun = false; ; attempt++) {
    try {
      // It writes nothing: a transaction that did would hold up the events of every bank on the same server.
      return await connections.transaction('BEGIN', async (client) => {
        const tx = new PgTx(client, new LruCache());
        await noticeDeath(tx);
        await lock(tx, OTHERS);
        await foldAll(tx, connections);
        await lock(tx, INDEX);
        begun = true;
        return await work(tx);
      });
    } catch (error) {
      // Somebody may have held one table and waited for another.
      if (begun || attempt === LOCKED_AFTER) throw error;
    }
  }
}

/** Should this machine lose its power, the server is to notice in a minute, and let others write again. */
async function noticeDeath(tx: PgTx): Promise<void> {
  for (const [setting, value] of [
    ['idle', 30],
    ['interval', 10],
    ['count', 3],
  ] as const)
    await tx.run(`SET LOCAL tcp_keepalives_${setting} = ${value}`);
}

const LOCKED_AFTER = 3;

async function lock(tx: PgTx, tables: string[]): Promise<void> {
  try {
    await tx.run(`LOCK TABLE ${tables.join(', ')} IN SHARE MODE`);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw errors.unavailable('The bank is being written to without a pause. Try again shortly.', error);
  }
}

const FOLDED_AFTER = 100;
const WAIT = 100;

/** Nothing may be left in the log. Another process may be about to fold it; then this one waits for it. */
async function foldAll(tx: PgTx, connections: Connections): Promise<void> {
  const fold = () => connections.transaction('BEGIN', (client) => foldLog(new PgTx(client, new LruCache())));
  for (let attempt = 0; attempt < FOLDED_AFTER; attempt++) {
    while (await fold());
    if (!(await tx.get('SELECT 1 AS pending FROM postings_log LIMIT 1'))) return;
    await sleep(WAIT);
  }
  throw errors.unavailable('Another process is at work on the index of the bank. Try again shortly.');
}
