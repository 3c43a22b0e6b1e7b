/** The folder of a bank: who may use it, and of which version what lies in it is. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from '../start-error.ts';
import { Connection } from './connection.ts';
import { migrations } from './migrations.ts';

interface Use {
  /** Nobody else has it meanwhile but whoever works beside. */
  alone: boolean;
  /** Makes what is missing, and brings what is there to this program's schema. */
  change: boolean;
}

/** Where the database is, and what keeps others away until it is closed. */
export function openFolder(
  folder: string,
  { alone, change }: Use,
): { path: string; lock: DatabaseSync | undefined } {
  const directory = resolve(folder);
  const path = join(directory, 'quaestor.db');
  if (!change && !existsSync(path))
    throw new StartError(
      `There is no bank in ${directory}. Start the service once, or set QUAESTOR_DATA_DIR.`,
    );
  try {
    makeFolder(directory);
  } catch (error) {
    throw new StartError(`The data folder ${directory} cannot be made: ${(error as Error).message}.`);
  }
  const lock = alone ? lockFolder(directory) : undefined;
  try {
    migrate(path, change);
  } catch (error) {
    lock?.close();
    if (error instanceof StartError) throw error;
    throw new StartError(`The database ${path} cannot be used: ${(error as Error).message}.`);
  }
  return { path, lock };
}

/** Nobody else on the machine is to read the answers. (Node's own way of making parents never ends below /proc.) */
function makeFolder(directory: string): void {
  if (existsSync(directory)) return;
  if (!existsSync(dirname(directory))) makeFolder(dirname(directory));
  mkdirSync(directory, { mode: 0o700 });
}

/**
 * Two processes with a writer each would give out the same slots. The operating system's lock on a file of its own is gone
 * when the process is, however it ended. Whoever works beside another goes without, and without slots.
 */
function lockFolder(directory: string): DatabaseSync {
  const note = join(directory, 'quaestor.pid');
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(join(directory, 'quaestor.lock'), { timeout: 0 });
    lock.exec('PRAGMA journal_mode = OFF; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    writeFileSync(note, `${process.pid}\n`);
    return lock;
  } catch (error) {
    lock?.close();
    if ((error as { errcode?: number }).errcode !== 5) {
      throw new StartError(`The data folder ${directory} cannot be written to: ${(error as Error).message}.`);
    }
    throw new StartError(
      `The data folder ${directory} is in use by another Quaestor (process ${pidIn(note)}). ` +
        'Stop that one, or set QUAESTOR_DATA_DIR to another folder.',
    );
  }
}

function pidIn(note: string): string {
  try {
    return readFileSync(note, 'utf8').trim();
  } catch {
    return 'unknown';
  }
}

function migrate(path: string, mayChange: boolean): void {
  const connection = new Connection(path);
  try {
    const { user_version: version } = connection.get<{ user_version: number }>('PRAGMA user_version')!;
    if (version > migrations.length) {
      throw new StartError(
        `The database ${path} is of version ${version}; this program knows versions up to ${migrations.length}. ` +
          'Start the newer program that last used it.',
      );
    }
    if (version < migrations.length && !mayChange)
      throw new StartError(`The database ${path} is of an older version. Start the service on it once.`);
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
  } finally {
    connection.close();
  }
}
