/** Counts committed changes of a running bank by triggers, so that a refused request can be seen to have changed nothing. */
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';

/**
 * Tables that only requests and bulk changes write. The index is folded, and runs progress, in the
 * background.
 */
const WATCHED = [
  ...['categories', 'questions', 'revisions', 'clients', 'tokens', 'idempotency', 'sittings', 'answered'],
];
const UNFINISHED = `SELECT count(*) AS n FROM changes WHERE status IN ('queued', 'running')`;
const EVENTS = ['INSERT', 'UPDATE', 'DELETE'];

export interface ChangeCounter {
  /** Whether no bulk change is under way. */
  isIdle(): Promise<boolean>;
  /** The number of the last committed change. */
  read(): Promise<number>;
  /** The tables of the changes after a number. */
  listTables(after: number): Promise<string[]>;
  close(): Promise<void>;
}

export function watchSqlite(path: string): ChangeCounter {
  const database = new DatabaseSync(path, { timeout: 5000 });
  const triggers = WATCHED.flatMap((table) =>
    EVENTS.map(
      (event) => `CREATE TRIGGER torture_${table}_${event} AFTER ${event} ON ${table}
        BEGIN INSERT INTO torture_changes (name) VALUES ('${table}'); END;`,
    ),
  );
  database.exec(`CREATE TABLE torture_changes (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL) STRICT;
    ${triggers.join('\n')}`);
  const last = database.prepare('SELECT coalesce(max(id), 0) AS id FROM torture_changes');
  const tables = database.prepare('SELECT DISTINCT name FROM torture_changes WHERE id > ?');
  const unfinished = database.prepare(UNFINISHED);
  return {
    isIdle: async () => unfinished.get()!.n === 0,
    read: async () => Number(last.get()!.id),
    listTables: async (after) => tables.all(after).map(({ name }) => String(name)),
    close: async () => database.close(),
  };
}

export async function watchPostgres(url: string): Promise<ChangeCounter> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  const triggers = WATCHED.map(
    (table) => `CREATE TRIGGER torture AFTER ${EVENTS.join(' OR ')} ON ${table}
      FOR EACH ROW EXECUTE FUNCTION note_change();`,
  );
  await client.query(`
    CREATE TABLE torture_changes (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL);
    CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN INSERT INTO torture_changes (name) VALUES (TG_TABLE_NAME); RETURN NULL; END $$;
    ${triggers.join('\n')}`);
  return {
    isIdle: async () => Number((await client.query(UNFINISHED)).rows[0].n) === 0,
    read: async () =>
      Number((await client.query('SELECT coalesce(max(id), 0) AS id FROM torture_changes')).rows[0].id),
    listTables: async (after) =>
      (await client.query('SELECT DISTINCT name FROM torture_changes WHERE id > $1', [after])).rows.map(
        ({ name }) => name,
      ),
    close: () => client.end(),
  };
}
