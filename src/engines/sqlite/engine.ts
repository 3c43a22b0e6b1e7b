/** The embedded engine: one folder, one process, one writer thread, and read-only connections. */
import { Worker } from 'node:worker_threads';
import { Semaphore } from '../../concurrency/semaphore.ts';
import { ApiError, errors, type Fault } from '../../errors.ts';
import type { CommandName, QueryName } from '../../store/command-names.ts';
import type { Command, Db, Engine, IdempotencyKey, Query, Reader } from '../../store/db.ts';
import { Notifications, type Topic } from '../../store/notifications.ts';
import type { Mode } from '../mode.ts';
import { Connection } from './connection.ts';
import { openFolder } from './folder.ts';
import type { Batch, Call, Outcome, ThreadData } from './thread.ts';

export async function openSqlite(folder: string, mode: Mode): Promise<Engine> {
  const { path, lock } = openFolder(folder, mode);
  const reader = new ReaderPool(path);
  const notifications = new Notifications();
  const writer = new Thread(
    { path, role: 'write', mode },
    {
      beforeSettle: () => reader.invalidateVersion(),
      afterSettle: (topics) => notifications.publish(new Set(topics)),
    },
  );
  const searcher = new Thread({ path, role: 'search', mode });
  await Promise.all([writer.started, searcher.started]);
  return {
    db: reader,
    notifications,
    shared: mode === 'admin',
    reader: { path },
    location: path,
    search: <A, R>(query: Query<A, R>, args: A) => searcher.call(query.queryName, args) as Promise<R>,
    write: <A, R>(command: Command<A, R>, args: A, key?: IdempotencyKey) =>
      writer.call(command.commandName, args, key) as Promise<R>,
    gauges: () => ({ writes_in_flight: writer.inFlight, searches_in_flight: searcher.inFlight }),
    ready: async () => {
      reader.get('SELECT epoch FROM bank_state');
      writer.refuseIfStopped();
      searcher.refuseIfStopped();
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

const MAX_SNAPSHOTS = 2;

/**
 * Reads on the calling thread. A snapshot spans several turns of the event loop and needs a
 * connection of its own. Reads within it are synchronous, so that a few connections suffice for any
 * number of callers.
 */
class ReaderPool extends Connection {
  readonly #path: string;
  readonly #idle: Connection[] = [];
  readonly #snapshots = new Semaphore({ permits: MAX_SNAPSHOTS });
  #version: number | undefined;

  constructor(path: string) {
    super(path, { readOnly: true });
    this.#path = path;
  }

  /** Read once per turn of the event loop, however many requests it serves. */
  override version(): number {
    if (this.#version === undefined) {
      this.#version = super.version();
      setImmediate(() => this.invalidateVersion());
    }
    return this.#version;
  }

  /** Called before a write is acknowledged, so that its caller can read it. */
  invalidateVersion(): void {
    this.#version = undefined;
  }

  override snapshot<R>(work: (db: Db) => Promise<R>): Promise<R> {
    return this.#snapshots.run(async () => {
      const connection =
        this.#idle.pop() ?? new Connection(this.#path, { readOnly: true, cache: this.cache });
      try {
        return await connection.snapshot(work);
      } finally {
        this.#idle.push(connection);
      }
    });
  }

  override close(): void {
    for (const connection of this.#idle) connection.close();
    super.close();
  }
}

/** Called around the settling of a batch of calls. */
interface SettleHooks {
  beforeSettle(): void;
  afterSettle(topics: Topic[]): void;
}

/** Calls functions in a thread. Calls of one turn of the event loop are sent in one message. */
class Thread {
  readonly started: Promise<void>;
  readonly #worker: Worker;
  readonly #hooks: SettleHooks | undefined;
  readonly #pending = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
  #queue: Call[] = [];
  #next = 0;
  #failure: Error | undefined;

  constructor(workerData: ThreadData, hooks?: SettleHooks) {
    this.#hooks = hooks;
    this.#worker = new Worker(new URL('./thread.ts', import.meta.url), { workerData });
    this.started = new Promise((resolve, reject) => {
      this.#worker.once('message', () => {
        this.#worker.on('message', (batch: Batch) => this.#settle(batch));
        resolve();
      });
      this.#worker.once('error', reject);
    });
    const end = (error: Error) => {
      this.#failure ??= error;
      for (const { reject } of this.#pending.values()) reject(this.#stopped());
      this.#pending.clear();
    };
    this.#worker.on('error', end);
    this.#worker.on('exit', () => end(new Error('the thread has ended')));
  }

  get inFlight(): number {
    return this.#pending.size;
  }

  call(name: CommandName | QueryName, args: unknown, key?: IdempotencyKey): Promise<unknown> {
    this.refuseIfStopped();
    return new Promise((resolve, reject) => {
      const id = this.#next++;
      this.#pending.set(id, { resolve, reject });
      if (this.#queue.push({ id, name, args, key }) === 1) setImmediate(() => this.#send());
    });
  }

  refuseIfStopped(): void {
    if (this.#failure) throw this.#stopped();
  }

  async close(): Promise<void> {
    if (this.#failure) return;
    const ended = new Promise((resolve) => this.#worker.once('exit', resolve));
    this.#worker.postMessage('close');
    await ended;
  }

  #stopped(): ApiError {
    return errors.unavailable('The database thread has stopped. Restart the service.', this.#failure);
  }

  #send(): void {
    this.#worker.postMessage(this.#queue);
    this.#queue = [];
  }

  #settle({ outcomes, topics }: Batch): void {
    this.#hooks?.beforeSettle();
    for (const outcome of outcomes) {
      const caller = this.#pending.get(outcome.id);
      this.#pending.delete(outcome.id);
      if ('value' in outcome) caller?.resolve(outcome.value);
      else caller?.reject('problem' in outcome ? toApiError(outcome.problem) : new Error(outcome.failed));
    }
    this.#hooks?.afterSettle(topics);
  }
}

function toApiError(problem: Extract<Outcome, { problem: unknown }>['problem']): ApiError {
  const { status, code, detail, headers } = problem;
  return new ApiError(status, code, detail, { errors: problem.errors as Fault[] | undefined, headers });
}
