/** Brings a database to this program's schema, or says why it cannot be used. */
import pg from 'pg';
import { StartError } from '../start-error.ts';
import { migrations } from './migrations.ts';

/** Nodes that start together take turns; whoever comes second finds the work done. */
export async function migrate(url: string, mayChange: boolean): Promise<void> {
  // A connection of its own: a migration, and waiting for another node's, may take longer than a request.
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  try {
    await client.connect();
    const { rows } = await client.query(
      `SELECT current_setting('server_version_num')::integer AS version, current_setting('server_encoding') AS encoding`,
    );
    const { version: server, encoding } = rows[0];
    if (server < 150_000)
      throw new StartError(`PostgreSQL 15 or newer is needed; this is ${Math.floor(server / 10_000)}.`);
    if (encoding !== 'UTF8')
      throw new StartError(`The database is encoded in ${encoding}; it has to be UTF8.`);
    await client.query(`SELECT pg_advisory_lock(hashtext('quaestor migrations'))`);
    if (mayChange) await client.query('CREATE TABLE IF NOT EXISTS schema_version (version integer NOT NULL)');
    else if ((await client.query(`SELECT to_regclass('schema_version') AS it`)).rows[0].it === null)
      throw new StartError('There is no bank in this database. Start the service on it once.');
    const found = await client.query('SELECT version FROM schema_version');
    const version: number = found.rows[0]?.version ?? 0;
    if (version > migrations.length) {
      throw new StartError(
        `The database is of version ${version}; this program knows versions up to ${migrations.length}. ` +
          'Start the newer program that last used it.',
      );
    }
    if (version < migrations.length && !mayChange)
      throw new StartError('The database is of an older version. Start the service on it once.');
    if (found.rows.length === 0) await client.query('INSERT INTO schema_version VALUES (0)');
    for (let step = version; step < migrations.length; step++) {
      await client.query('BEGIN');
      try {
        await client.query(migrations[step]!);
        await client.query('UPDATE schema_version SET version = $1', [step + 1]);
        await client.query('COMMIT');
      } catch (error) {
        await client.query('ROLLBACK');
        throw error;
      }
    }
  } finally {
    // Closing the connection gives the lock back, whatever happened.
    await client.end();
  }
}
