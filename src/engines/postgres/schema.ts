/** Migrates the schema of a database, or checks its version. */
import pg from 'pg';
import { StartError } from '../start-error.ts';
import type { ConnectionConfig } from './address.ts';
import { migrations } from './migrations.ts';

const CONNECT_TIMEOUT_MS = 5_000;

/** Applies missing migrations if `mayChange`; otherwise checks that none is missing. */
export async function migrateSchema(connection: ConnectionConfig, mayChange: boolean): Promise<void> {
  // Not from the pool, whose timeouts are too short for a migration or for waiting for that of
  // another node.
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on('error', () => {});
  try {
    await client.connect();
    await checkServer(client);
    if (mayChange) while (await applyNext(client));
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
    throw new StartError(
      `PostgreSQL 15 or newer is required; the server is version ${Math.floor(version / 10_000)}.`,
    );
  if (encoding !== 'UTF8') throw new StartError(`The database encoding must be UTF8; it is ${encoding}.`);
}

async function checkVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query(`SELECT to_regclass('schema_version') IS NOT NULL AS present`);
  const version = rows[0].present ? await readVersion(client) : 0;
  if (version === 0) throw new StartError('There is no bank in this database. Start the service on it once.');
  if (version < migrations.length)
    throw new StartError(
      'The schema of the database is older than this release. Start the service on it once to migrate it.',
    );
}

/** Applies the next migration in a transaction; false if there is none. */
async function applyNext(client: pg.Client): Promise<boolean> {
  await client.query('BEGIN');
  try {
    await client.query('SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0');
    // Serialises nodes that start together. A transaction-level lock also works behind a connection
    // pooler.
    await client.query(`SELECT pg_advisory_xact_lock(hashtext('quaestor migrations'))`);
    await client.query('CREATE TABLE IF NOT EXISTS schema_version (version integer NOT NULL)');
    const version = await readVersion(client);
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

async function readVersion(client: pg.Client): Promise<number> {
  const { rows } = await client.query('SELECT version FROM schema_version');
  const version: number = rows[0]?.version ?? 0;
  if (version > migrations.length) {
    throw new StartError(
      `The schema of the database is version ${version}; this release supports up to ${migrations.length}. ` +
        'Use the newer release that last opened it.',
    );
  }
  return version;
}
