/** Changes a bank behind the back of the service, as a faulty disk would. */
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { Engine } from '../../src/store/db.ts';

/** Keeps PostgreSQL's index changes in the log while `run` runs; SQLite has none there. */
export async function withoutFolding({ reader }: Engine, run: () => Promise<void>): Promise<void> {
  if ('path' in reader) return run();
  const client = new pg.Client({ connectionString: reader.url });
  await client.connect();
  try {
    await client.query("SELECT pg_advisory_lock(hashtextextended('quaestor fold', 0))");
    await run();
  } finally {
    await client.end();
  }
}

/** Runs a statement on the bank's database without the service. */
export async function changeDirectly({ reader }: Engine, sql: string): Promise<void> {
  if ('path' in reader) {
    using database = new DatabaseSync(reader.path);
    database.exec(sql);
    return;
  }
  const client = new pg.Client({ connectionString: reader.url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
