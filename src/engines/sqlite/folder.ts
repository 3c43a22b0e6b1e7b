/** The folder of a bank: its lock, and the version of its schema. */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Mode } from '../mode.ts';
import { StartError } from '../start-error.ts';
import { Connection } from './connection.ts';
import { migrations } from './migrations.ts';
import { Storage } from './storage.ts';

/** Opens the folder; returns the path of the database and the lock, to be closed after use. */
export function openFolder(
  folder: string,
  mode: Mode | 'lock',
): { path: string; lock: DatabaseSync | undefined; storage: Storage } {
  const directory = resolve(folder);
  const path = join(directory, 'quaestor.db');
  const changesSchema = mode === 'serve' || mode === 'migrate-target';
  if (!changesSchema && !existsSync(path))
    throw new StartError(
      `There is no bank in ${directory}. Start the service once, or set QUAESTOR_DATA_DIR.`,
    );
  try {
    makeFolder(directory);
  } catch (error) {
    throw new StartError(`The data folder ${directory} cannot be created: ${(error as Error).message}.`);
  }
  const storage = new Storage(path);
  storage.prepareToOpen();
  const lock = mode === 'admin' ? undefined : lockFolder(directory);
  try {
    migrateSchema(path, changesSchema);
    if (mode === 'serve') storage.maintainReserve();
  } catch (error) {
    lock?.close();
    if (error instanceof StartError) throw error;
    if ((error as { code?: string }).code === 'damaged_database') throw explainDamage(path, error as Error);
    throw new StartError(`The database ${path} cannot be used: ${(error as Error).message}.`);
  }
  return { path, lock, storage };
}

const explainDamage = (path: string, { cause, message }: Error) =>
  new StartError(
    `The database ${path} is damaged (${cause instanceof Error ? cause.message : message}). ` +
      'Restore a backup. `quaestor verify` lists what is damaged.',
  );

/**
 * Creates the folder and its parents, readable by this user alone. (mkdir with `recursive` loops
 * below /proc.)
 */
export function makeFolder(directory: string): void {
  if (existsSync(directory)) return;
  if (!existsSync(dirname(directory))) makeFolder(dirname(directory));
  mkdirSync(directory, { mode: 0o700 });
  // SQLite syncs the folder, but not the name of the folder in its parent: without this a loss of
  // power could lose a new bank together with its folder. Windows cannot sync folders.
  if (process.platform !== 'win32') syncFolder(dirname(directory));
}

export function syncFolder(directory: string): void {
  const fd = openSync(directory, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * Locks the folder: two writers would allocate the same slots. The operating system releases the
 * lock of a file when the process ends, however it ends.
 */
export function lockFolder(directory: string): DatabaseSync {
  const pidFile = join(directory, 'quaestor.pid');
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(join(directory, 'quaestor.lock'), { timeout: 0 });
    lock.exec('PRAGMA journal_mode = OFF; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    writeFileSync(pidFile, `${process.pid}\n`);
    return lock;
  } catch (error) {
    lock?.close();
    if ((error as { errcode?: number }).errcode !== 5) {
      throw new StartError(`The data folder ${directory} cannot be written to: ${(error as Error).message}.`);
    }
    throw new StartError(
      `The data folder ${directory} is in use by another Quaestor (process ${readPid(pidFile)}). ` +
        'Stop that one, or set QUAESTOR_DATA_DIR to another folder.',
    );
  }
}

function readPid(pidFile: string): string {
  try {
    return readFileSync(pidFile, 'utf8').trim();
  } catch {
    return 'unknown';
  }
}

/** Checked before the start if not larger; larger files are checked while the service runs. */
const MAX_BYTES_CHECKED_AT_START = 32 * 1024 * 1024;

function checkStructure(connection: Connection, path: string): void {
  if (statSync(path).size > MAX_BYTES_CHECKED_AT_START) return;
  const fault = connection.get<{ integrity_check: string }>('PRAGMA integrity_check(1)')!.integrity_check;
  if (fault !== 'ok') throw explainDamage(path, new Error(fault.replace(/\s+/g, ' ')));
}

/** Slots that are allocated twice would overwrite index entries. */
function checkCounters(connection: Connection, path: string): void {
  const row = connection.get<{ sound: number }>(
    // The copy of a bank that is incomplete gets its counters last.
    `SELECT migration_id IS NOT NULL OR next_slot > (SELECT coalesce(max(updated_slot), 0) FROM questions) AS sound
     FROM bank_state`,
  );
  if (row?.sound !== 1)
    throw explainDamage(path, new Error('next_slot in bank_state is not above all slots'));
}

function migrateSchema(path: string, mayChange: boolean): void {
  const connection = new Connection(path);
  try {
    const { user_version: version } = connection.get<{ user_version: number }>('PRAGMA user_version')!;
    if (version > migrations.length) {
      throw new StartError(
        `The schema of ${path} is version ${version}; this release supports up to ${migrations.length}. ` +
          'Use the newer release that last opened it.',
      );
    }
    if (version < migrations.length && !mayChange)
      throw new StartError(
        `The schema of ${path} is older than this release. Start the service on it once to migrate it.`,
      );
    if (mayChange && version > 0) checkStructure(connection, path);
    for (let step = version; step < migrations.length; step++) {
      connection.exec('BEGIN IMMEDIATE');
      try {
        connection.exec(migrations[step]!);
        connection.exec(`PRAGMA user_version = ${step + 1}`);
        connection.exec('COMMIT');
      } catch (error) {
        connection.exec('ROLLBACK');
        throw error;
      }
    }
    if (mayChange) checkCounters(connection, path);
  } finally {
    connection.close();
  }
}
