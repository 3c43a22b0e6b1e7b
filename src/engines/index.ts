/**
 * Opens banks: PostgreSQL where there is a URL, else the embedded database. Loads only the engine
 * in use.
 */
import { retry } from '../concurrency/retry.ts';
import { isUnavailable } from '../errors.ts';
import { INCOMPLETE_MESSAGE, isIncomplete } from '../store/bank-state.ts';
import type { Command, Db, Engine, Reader, ReaderSpec } from '../store/db.ts';
import { fillChecksums } from '../store/questions/fill-checksums.ts';
import { fillContentHashes } from '../store/questions/fill-content-hashes.ts';
import { fillFacets, isFilled } from '../store/questions/fill-facets.ts';
import { fillKinds } from '../store/questions/fill-kinds.ts';
import type { Mode } from './mode.ts';
import type { PostgresOptions } from './postgres/engine.ts';
import { StartError } from './start-error.ts';

export interface BankAddress {
  dataDir: string;
  databaseUrl?: string | undefined;
}

export interface OpenOptions extends BankAddress {
  mode?: Mode;
  /** Receives lines about the progress of an upgrade that takes long. */
  report?: (line: string) => void;
  /** For PostgreSQL alone. */
  postgres?: Pick<PostgresOptions, 'connections' | 'wait'>;
}

export async function openEngine(options: OpenOptions): Promise<Engine> {
  const { dataDir, databaseUrl, mode = 'serve', postgres, report } = options;
  const engine = databaseUrl
    ? await (await import('./postgres/engine.ts')).openPostgres(databaseUrl, { ...postgres, mode })
    : await (await import('./sqlite/engine.ts')).openSqlite(dataDir, mode);
  try {
    if (mode !== 'migrate-target') await refuseIncomplete(engine.db);
    if (mode === 'serve') await fillIn(engine, report);
    return engine;
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** Questions after which the progress is reported. */
const REPORTED_QUESTIONS = 50_000;

/**
 * How long a chunk is retried: another process may be filling in the same rows, and PostgreSQL
 * keeps the locks of a process that was killed until it notices.
 */
const MAX_RETRY_MS = 60_000;
const RETRY_INTERVAL_MS = 500;

/** Fills in what rows of earlier releases lack, in chunks. */
async function fillIn(engine: Engine, report: OpenOptions['report']): Promise<void> {
  const fill = (chunk: Command<null, number>) =>
    retry(() => engine.write(chunk, null), {
      forMs: MAX_RETRY_MS,
      delayMs: RETRY_INTERVAL_MS,
      when: isUnavailable,
    });
  while ((await fill(fillChecksums)) > 0);
  while ((await fill(fillKinds)) > 0);
  while ((await fill(fillContentHashes)) > 0);
  for (let done = 0; !(await isFilled(engine.db)); ) {
    const n = await fill(fillFacets);
    if (Math.floor((done + n) / REPORTED_QUESTIONS) > Math.floor(done / REPORTED_QUESTIONS))
      report?.(`upgrading the index: ${done + n} questions are done`);
    done += n;
  }
}

/**
 * Locks a bank against writes of all processes while the work reads it. Changes nothing in it, not
 * even its schema.
 */
export async function lockBank<R>(
  { dataDir, databaseUrl }: BankAddress,
  work: (db: Db) => Promise<R>,
): Promise<R> {
  const checked = async (db: Db) => {
    await refuseIncomplete(db);
    return work(db);
  };
  if (databaseUrl) return (await import('./postgres/lock-bank.ts')).lockPostgresBank(databaseUrl, checked);
  return (await import('./sqlite/lock-bank.ts')).lockSqliteBank(dataDir, checked);
}

/** Backups of banks on SQLite. */
export const loadBackups = () => import('./sqlite/backup.ts');

export interface Inspection {
  /** 0 in a database without a bank. */
  schemaVersion: number;
  supportedVersion: number;
  /** Times in milliseconds: that of the database, and the latest that the bank has stored. */
  clock?: { now: number; lastAt: number };
}

/** Reads the state of a bank that may be of another release. */
export async function inspectBank(spec: ReaderSpec): Promise<Inspection> {
  const { migrations } =
    'url' in spec ? await import('./postgres/migrations.ts') : await import('./sqlite/migrations.ts');
  const { db, close } = await openReader(spec);
  try {
    const schemaVersion = 'url' in spec ? await readPostgresVersion(db) : await readSqliteVersion(db);
    const supportedVersion = migrations.length;
    if (schemaVersion === 0) return { schemaVersion, supportedVersion };
    const clock = await db.get<{ now: number; lastAt: number }>(
      `SELECT ${db.dialect.now} AS now, last_at AS "lastAt" FROM (${db.dialect.counters}) AS counters`,
    );
    return {
      schemaVersion,
      supportedVersion,
      clock: { now: Number(clock!.now), lastAt: Number(clock!.lastAt) },
    };
  } finally {
    await close();
  }
}

const readSqliteVersion = async (db: Db) =>
  (await db.get<{ user_version: number }>('PRAGMA user_version'))!.user_version;

async function readPostgresVersion(db: Db): Promise<number> {
  const table = await db.get<{ present: boolean }>(
    `SELECT to_regclass('schema_version') IS NOT NULL AS present`,
  );
  if (!table!.present) return 0;
  return (await db.get<{ version: number }>('SELECT version FROM schema_version'))?.version ?? 0;
}

async function refuseIncomplete(db: Db): Promise<void> {
  if (await isIncomplete(db)) throw new StartError(INCOMPLETE_MESSAGE);
}

/** Opens a bank that another process has open, to read it. */
export async function openReader(spec: ReaderSpec): Promise<Reader> {
  if ('url' in spec) return (await import('./postgres/engine.ts')).openPostgresReader(spec.url, spec.known);
  return (await import('./sqlite/engine.ts')).openSqliteReader(spec.path);
}
