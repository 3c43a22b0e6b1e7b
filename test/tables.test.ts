/**
 * The declarations of tables equal the catalogues of both databases, and `quaestor migrate` copies
 * all of them.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import pg from 'pg';
import { openEngine } from '../src/engines/index.ts';
import { RATE_COUNTERS } from '../src/store/access/rate-counters.ts';
import { BANK_TABLES } from '../src/store/migrate/tables.ts';
import type { Column, Table } from '../src/store/table.ts';
import { removeFolder, tempFolder } from './support/folders.ts';
import { freshDatabase } from './support/postgres.ts';

/** Declared, or listed here with the reason why they have no declaration. */
const DECLARED: Table[] = [...BANK_TABLES.map(({ table }) => table), RATE_COUNTERS];
const UNDECLARED = new Set([
  // One row, written by SQL alone; its columns differ between the engines.
  'bank_state',
  // Private to index/postings.ts, and empty while a bank is copied.
  'postings_log',
  // Full-text index, made by each engine in its own way.
  'search',
  // Kept by the engines themselves.
  ...['schema_version', 'sqlite_sequence'],
]);

interface CatalogColumn {
  table: string;
  column: string;
  type: string;
  nullable: boolean;
  /** 1-based position in the primary key; 0 if not part of it. */
  key: number;
}

const SQLITE_TYPES: Record<Column['type'], string> = {
  bigint: 'INTEGER',
  integer: 'INTEGER',
  text: 'TEXT',
  uuid: 'TEXT',
  bytea: 'BLOB',
};

function declared(toType: (type: Column['type']) => string): CatalogColumn[] {
  return DECLARED.flatMap(({ name, columns, primaryKey }) =>
    Object.entries(columns).map(([column, { type, nullable }]) => ({
      table: name,
      column,
      type: toType(type),
      nullable,
      key: primaryKey.indexOf(column) + 1,
    })),
  );
}

const sorted = (columns: CatalogColumn[]) =>
  columns
    .filter(({ table }) => !UNDECLARED.has(table))
    .sort((a, b) => (`${a.table}.${a.column}` < `${b.table}.${b.column}` ? -1 : 1));

describe('table declarations', () => {
  it('equal the catalogue of SQLite', async () => {
    const folder = tempFolder();
    await (await openEngine({ dataDir: folder })).close();
    const database = new DatabaseSync(join(folder, 'quaestor.db'));
    const columns = database
      .prepare(
        `SELECT t.name AS "table", c.name AS "column", c.type, c."notnull" = 0 AND c.pk = 0 AS nullable, c.pk AS key
         FROM sqlite_schema t, pragma_table_info(t.name) c
         WHERE t.type = 'table' AND t.name NOT LIKE 'search\\_%' ESCAPE '\\'`,
      )
      .all()
      .map((row) => ({ ...row, nullable: row.nullable === 1 })) as unknown as CatalogColumn[];
    database.close();
    removeFolder(folder);
    assert.deepEqual(sorted(columns), sorted(declared((type) => SQLITE_TYPES[type])));
  });

  it('equal the catalogue of PostgreSQL', async () => {
    const { url, drop } = await freshDatabase();
    await (await openEngine({ dataDir: '', databaseUrl: url })).close();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query(
      `SELECT c.relname AS "table", a.attname AS "column", format_type(a.atttypid, NULL) AS type,
              NOT a.attnotnull AS nullable, coalesce(array_position(k.conkey, a.attnum), 0) AS key
       FROM pg_class c
       JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
       LEFT JOIN pg_constraint k ON k.conrelid = c.oid AND k.contype = 'p'
       WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace`,
    );
    await client.end();
    await drop();
    assert.deepEqual(sorted(rows), sorted(declared((type) => type)));
  });
});
