/** The embedded engine: one folder, one process, one writer thread; reads on connections of their own. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { ApiError, errors, type Fault } from '../../errors.ts';
import type { Command, Db, Engine, Once, Reader } from '../../store/db.ts';
import { StartError } from '../start-error.ts';
import { Connection } from './connection.ts';
import { migrations } from './migrations.ts';
import type { Call, Outcome, ThreadData } from './thread.ts';

export async function openSqlite(folder: string, beside = false): Promise<Engine> {
  const directory = resolve(folder);
  const path = join(directory, 'quaestor.db');
  if (beside && !existsSync(path))
    throw new StartError(
      `There is no bank in ${directory}. Start the service once, or set QUAESTOR_DATA_DIR.`,
    );
  try {
    makeFolder(directory);
  } catch (error) {
    throw new StartError(`The data folder ${directory} cannot be made: ${(error as Error).message}.`);
  }
  const lock = beside ? undefined : lockFolder(directory);
  try {
    migrate(path, lock !== undefined);
  } catch (error) {
    lock?.close();
    if (error instanceof StartError) throw error;
    throw new StartError(`The database ${path} cannot be used: ${(error as Error).message}.`);
  }
  const reader = new ReaderPool(path);
  const writer = new Thread({ path, role: 'write', tickets: lock !== undefined }, () =>
    reader.forgetVersion(),
  );
  const searcher = new Thread({ path, role: 'search', tickets: false });
  await Promise.all([writer.started, searcher.started]);
  return {
    db: reader,
    shared: lock === undefined,
    reader: { path },
    location: path,
    search: (work, args) => searcher.call(work.name, args) as never,
    write: <A, R>(command: Command<A, R>, args: A, once?: Once) =>
      writer.call(command.name, args, once) as Promise<R>,
    ready: async () => {
      reader.get('SELECT epoch FROM ledger');
      writer.refuseIfDead();
      searcher.refuseIfDead();
    },
    close: async () => {
      await Promise.all([writer.close(), searcher.close()]);
      reader.close();
      lock?.close();
    },
  };
}

export function openSqliteReader(path: string): Reader {
  const connection = new Connection(path, { readOnly: true });
  return { db: connection, close: async () => connection.close() };
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

/**
 * Reads on the calling thread. A snapshot lasts over several turns of the loop and so has a connection to itself; the
 * reads within it are immediate, so that a few connections serve however many ask.
 */
class ReaderPool extends Connection {
  readonly #path: string;
  readonly #idle: Connection[] = [];
  readonly #waiting: (() => void)[] = [];
  #open = 0;
  #version: number | undefined;

  constructor(path: string) {
    super(path, { readOnly: true });
    this.#path = path;
  }

  /** Asked for once in a turn of the loop, however many requests it serves. */
  override version(): number {
    if (this.#version === undefined) {
      this.#version = super.version();
      setImmediate(() => this.forgetVersion());
    }
    return this.#version;
  }

  /** Called before anybody is told of a write: whoever acts on it finds it. */
  forgetVersion(): void {
    this.#version = undefined;
  }

  override async snapshot<R>(work: (db: Db) => Promise<R>): Promise<R> {
    const connection = await this.#take();
    try {
      return await connection.snapshot(work);
    } finally {
      this.#idle.push(connection);
      this.#waiting.shift()?.();
    }
  }

  async #take(): Promise<Connection> {
    while (this.#idle.length === 0 && this.#open === MOST_SNAPSHOTS) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    const idle = this.#idle.pop();
    if (idle) return idle;
    const connection = new Connection(this.#path, { readOnly: true, memory: this.memory });
    this.#open++;
    return connection;
  }

  override close(): void {
    for (const connection of this.#idle) connection.close();
    super.close();
  }
}

const MOST_SNAPSHOTS = 2;

/** Calls into a thread. What is asked within one turn of the loop goes over in one message. */
class Thread {
  readonly started: Promise<void>;
  readonly #worker: Worker;
  readonly #onSettle: () => void;
  readonly #pending = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
  #queue: Call[] = [];
  #next = 0;
  #dead: Error | undefined;

  constructor(workerData: ThreadData, onSettle = () => {}) {
    this.#onSettle = onSettle;
    this.#worker = new Worker(new URL('./thread.ts', import.meta.url), { workerData });
    this.started = new Promise((resolve, reject) => {
      this.#worker.once('message', () => {
        this.#worker.on('message', (outcomes: Outcome[]) => this.#settle(outcomes));
        resolve();
      });
      this.#worker.once('error', reject);
    });
    const end = (error: Error) => {
      this.#dead ??= error;
      for (const { reject } of this.#pending.values()) reject(this.#gone());
      this.#pending.clear();
    };
    this.#worker.on('error', end);
    this.#worker.on('exit', () => end(new Error('the thread has ended')));
  }

  call(name: string, args: unknown, once?: Once): Promise<unknown> {
    this.refuseIfDead();
    return new Promise((resolve, reject) => {
      const id = this.#next++;
      this.#pending.set(id, { resolve, reject });
      if (this.#queue.push({ id, name, args, once }) === 1) setImmediate(() => this.#send());
    });
  }

  refuseIfDead(): void {
    if (this.#dead) throw this.#gone();
  }

  async close(): Promise<void> {
    if (this.#dead) return;
    const ended = new Promise((resolve) => this.#worker.once('exit', resolve));
    this.#worker.postMessage('close');
    await ended;
  }

  #gone(): ApiError {
    return errors.unavailable('The database thread has stopped. Restart the service.', this.#dead);
  }

  #send(): void {
    this.#worker.postMessage(this.#queue);
    this.#queue = [];
  }

  #settle(outcomes: Outcome[]): void {
    this.#onSettle();
    for (const outcome of outcomes) {
      const waiting = this.#pending.get(outcome.id);
      this.#pending.delete(outcome.id);
      if ('value' in outcome) waiting?.resolve(outcome.value);
      else waiting?.reject('refused' in outcome ? restored(outcome.refused) : new Error(outcome.failed));
    }
  }
}

function restored(refused: Extract<Outcome, { refused: unknown }>['refused']): ApiError {
  const { status, code, detail, headers } = refused;
  return new ApiError(status, code, detail, { errors: refused.errors as Fault[] | undefined, headers });
}
