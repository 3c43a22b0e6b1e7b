/** Stopped banks of any schema version, which can be copied, on both engines. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { BankAddress } from '../../src/engines/index.ts';
import { migrations as forPostgres } from '../../src/engines/postgres/migrations.ts';
import { migrations as forSqlite } from '../../src/engines/sqlite/migrations.ts';
import type { EngineName } from '../../test/support/engines.ts';
import { removeFolder, tempFolder } from '../../test/support/folders.ts';
import { freshDatabase, type PostgresServer, startPostgres } from '../../test/support/postgres.ts';
import { DOWNGRADES } from './downgrades.ts';

export const CURRENT_VERSION: Record<EngineName, number> = {
  sqlite: forSqlite.length,
  postgres: forPostgres.length,
};

export interface Bank {
  address: BankAddress;
  /** The settings of a service that opens the bank. */
  env: Record<string, string>;
  copy(): Promise<Bank>;
  /** The schema version; 0 if there is no schema yet. */
  readVersion(): Promise<number>;
  setVersion(version: number): Promise<void>;
  /** Executes statements in one transaction. */
  execute(sql: string): Promise<void>;
  /** Every column, in a comparable form. */
  readSchema(): Promise<string[]>;
  remove(): Promise<void>;
}

/** Creates an empty database with the schema of a version; 0: without a schema. */
export function createBank(engine: EngineName, version: number): Promise<Bank> {
  return engine === 'sqlite' ? createSqliteBank(version) : createPostgresBank(version);
}

/** Reverses migrations of a bank of the current version. */
export async function downgrade(engine: EngineName, bank: Bank, version: number): Promise<void> {
  const steps = DOWNGRADES[engine];
  if (steps.length !== CURRENT_VERSION[engine] - 1)
    throw new Error('Every migration needs a reverse in torture/upgrade/downgrades.ts.');
  for (let from = CURRENT_VERSION[engine]; from > version; from--) await bank.execute(steps[from - 2]!);
  await bank.setVersion(version);
  const original = await createBank(engine, version);
  const [expected, actual] = [await original.readSchema(), await bank.readSchema()];
  await original.remove();
  const different = [
    ...expected.filter((column) => !actual.includes(column)).map((column) => `missing: ${column}`),
    ...actual.filter((column) => !expected.includes(column)).map((column) => `surplus: ${column}`),
  ];
  if (different.length > 0)
    throw new Error(`The reverse migrations to version ${version} on ${engine} are wrong: ${different}`);
}

async function createSqliteBank(version: number): Promise<Bank> {
  const bank = openSqliteFolder(tempFolder());
  if (version > 0) {
    for (const migration of forSqlite.slice(0, version)) await bank.execute(migration);
    await bank.setVersion(version);
  }
  return bank;
}

function openSqliteFolder(folder: string): Bank {
  const open = () => new DatabaseSync(join(folder, 'quaestor.db'));
  return {
    address: { dataDir: folder },
    env: { QUAESTOR_DATA_DIR: folder },
    copy: async () => {
      const target = tempFolder();
      cpSync(folder, target, { recursive: true });
      return openSqliteFolder(target);
    },
    readVersion: async () => {
      using database = open();
      return Number(database.prepare('PRAGMA user_version').get()!.user_version);
    },
    setVersion: async (version) => {
      using database = open();
      database.exec(`PRAGMA user_version = ${version}`);
    },
    execute: async (sql) => {
      using database = open();
      database.exec(`PRAGMA foreign_keys = OFF; BEGIN; ${sql}; COMMIT`);
    },
    readSchema: async () => {
      using database = open();
      const rows = database
        .prepare(`SELECT m.name AS "table", p.name, p.type, p."notnull", p.pk
                  FROM sqlite_schema m, pragma_table_info(m.name) p WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%'`)
        .all();
      return rows.map((row) => Object.values(row).join(' '));
    },
    remove: async () => removeFolder(folder),
  };
}

let server: Promise<PostgresServer> | undefined;

async function createPostgresBank(version: number): Promise<Bank> {
  server ??= startPostgres();
  const database = await freshDatabase(await server);
  const bank = describePostgres(await server, database);
  if (version > 0) {
    await bank.execute('CREATE TABLE schema_version (version integer NOT NULL)');
    for (const migration of forPostgres.slice(0, version)) await bank.execute(migration);
    await bank.setVersion(version);
  }
  return bank;
}

type Database = Awaited<ReturnType<typeof freshDatabase>>;

function describePostgres(on: PostgresServer, { url, query, drop }: Database): Bank {
  return {
    address: { dataDir: '', databaseUrl: url },
    env: { QUAESTOR_DATABASE_URL: url },
    copy: async () => {
      return describePostgres(on, await freshDatabase(on, new URL(url).pathname.slice(1)));
    },
    readVersion: async () => {
      const { rows } = await query(`SELECT to_regclass('schema_version') IS NOT NULL AS present`);
      if (!rows[0].present) return 0;
      return (await query('SELECT version FROM schema_version')).rows[0]?.version ?? 0;
    },
    setVersion: async (version) =>
      void (await query(`DELETE FROM schema_version; INSERT INTO schema_version VALUES (${version})`)),
    // Several statements in one query are one transaction.
    execute: async (sql) => void (await query(sql)),
    readSchema: async () => {
      const { rows } = await query(`SELECT table_name, column_name, data_type, is_nullable, is_identity,
        identity_generation FROM information_schema.columns WHERE table_schema = 'public'`);
      return rows.map((row) => Object.values(row).join(' '));
    },
    remove: drop,
  };
}
