/** Brings a database to this program's schema, or says why it cannot be used. */
import pg from 'pg';
import { StartError } from '../start-error.ts';
import type { Connection } from './address.ts';
import { migrations } from './migrations.ts';

/** `mayChange`: makes what is missing; otherwise it only looks. */
export async function migrate(connection: Connection, mayChange: boolean): Promise<void> {
  // A connection of its own: a migration, and waiting for another node's, may take longer than a request.
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await checkServer(client);
    if (mayChange) while (await takeStep(client));
    else await checkVersion(client);
  } finally {
    await client.end();
  }
}

async function checkServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `SELECT current_setting('server_version_num')::integer AS version, current_setting('server_encoding') AS encoding`,
  );
  const { version, encoding } = rows[0];
  if (version < 150_000)
    throw new StartError(`PostgreSQL 15 or newer is needed; this is ${Math.floor(version / 10_000)}.`);
  if (encoding !== 'UTF8') throw new StartError(`The database is encoded in ${encoding}; it has to be UTF8.`);
}

async function checkVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query(`SELECT to_regclass('schema_version') IS NOT NULL AS present`);
  const version = rows[0].present ? await versionOf(client) : 0;
  if (version === 0) throw new StartError('There is no bank in this database. Start the service on it once.');
  if (version < migrations.length)
    throw new StartError('The database is of an older version. Start the service on it once.');
}

/** One step, in a transaction; false if there is none left. */
async function takeStep(client: pg.Client): Promise<boolean> {
  await client.query('BEGIN');
  try {
    await client.query('SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0');
    // Nodes that start together take turns; whoever comes second finds the work done. The lock ends with the
    // transaction, so that it does not stay behind on a connection that a pooler keeps.
    await client.query(`SELECT pg_advisory_xact_lock(hashtext('quaestor migrations'))`);
    await client.query('CREATE TABLE IF NOT EXISTS schema_version (version integer NOT NULL)');
    const version = await versionOf(client);
    if (version < migrations.length) {
      await client.query(migrations[version]!);
      await client.query('DELETE FROM schema_version');
      await client.query('INSERT INTO schema_version VALUES ($1)', [version + 1]);
    }
    await client.query('COMMIT');
    return version < migrations.length;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

async function versionOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query('SELECT version FROM schema_version');
  const version: number = rows[0]?.version ?? 0;
  if (version > migrations.length) {
    throw new StartError(
      `The database is of version ${version}; this program knows versions up to ${migrations.length}. ` +
        'Start the newer program that last used it.',
    );
  }
  return version;
}
