/** The embedded engine: one folder, one process, one writer thread; reads on connections of their own. */
import { Worker } from 'node:worker_threads';
import { ApiError, errors, type Fault } from '../../errors.ts';
import type { Command, Db, Engine, IdempotencyKey, Reader } from '../../store/db.ts';
import { Notifications, type Topic } from '../../store/notifications.ts';
import { Connection } from './connection.ts';
import { openFolder } from './folder.ts';
import type { Answers, Call, Outcome, ThreadData } from './thread.ts';

export async function openSqlite(folder: string, beside = false): Promise<Engine> {
  const { path, lock } = openFolder(folder, { alone: !beside, change: !beside });
  const reader = new ReaderPool(path);
  const notifications = new Notifications();
  const writer = new Thread(
    { path, role: 'write', allocatesSlots: lock !== undefined },
    {
      before: () => reader.forgetVersion(),
      after: (announced) => notifications.publish(new Set(announced)),
    },
  );
  const searcher = new Thread({ path, role: 'search', allocatesSlots: false });
  await Promise.all([writer.started, searcher.started]);
  return {
    db: reader,
    notifications,
    shared: lock === undefined,
    reader: { path },
    location: path,
    search: (work, args) => searcher.call(work.name, args) as never,
    write: <A, R>(command: Command<A, R>, args: A, once?: IdempotencyKey) =>
      writer.call(command.name, args, once) as Promise<R>,
    gauges: () => ({ writes_in_flight: writer.underWay, searches_in_flight: searcher.underWay }),
    ready: async () => {
      reader.get('SELECT epoch FROM bank_state');
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
    const connection = new Connection(this.#path, { readOnly: true, memory: this.cache });
    this.#open++;
    return connection;
  }

  override close(): void {
    for (const connection of this.#idle) connection.close();
    super.close();
  }
}

const MOST_SNAPSHOTS = 2;

/** What is done before callers are told what became of their calls, and after. */
interface Around {
  before(): void;
  after(announced: Topic[]): void;
}

/** Calls into a thread. What is asked within one turn of the loop goes over in one message. */
class Thread {
  readonly started: Promise<void>;
  readonly #worker: Worker;
  readonly #around: Around | undefined;
  readonly #pending = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
  #queue: Call[] = [];
  #next = 0;
  #dead: Error | undefined;

  constructor(workerData: ThreadData, around?: Around) {
    this.#around = around;
    this.#worker = new Worker(new URL('./thread.ts', import.meta.url), { workerData });
    this.started = new Promise((resolve, reject) => {
      this.#worker.once('message', () => {
        this.#worker.on('message', (answers: Answers) => this.#settle(answers));
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

  get underWay(): number {
    return this.#pending.size;
  }

  call(name: string, args: unknown, once?: IdempotencyKey): Promise<unknown> {
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

  #settle({ outcomes, announced }: Answers): void {
    this.#around?.before();
    for (const outcome of outcomes) {
      const waiting = this.#pending.get(outcome.id);
      this.#pending.delete(outcome.id);
      if ('value' in outcome) waiting?.resolve(outcome.value);
      else waiting?.reject('refused' in outcome ? restored(outcome.refused) : new Error(outcome.failed));
    }
    this.#around?.after(announced);
  }
}

function restored(refused: Extract<Outcome, { refused: unknown }>['refused']): ApiError {
  const { status, code, detail, headers } = refused;
  return new ApiError(status, code, detail, { errors: refused.errors as Fault[] | undefined, headers });
}
