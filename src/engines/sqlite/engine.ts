/**
 * The embedded engine: one folder, one process, one writer thread, and read-only threads and
 * connections.
 */
import { Semaphore } from '../../concurrency/semaphore.ts';
import { errors } from '../../errors.ts';
import type { CallOptions, Command, Db, Engine, Query, Reader, WriteOptions } from '../../store/db.ts';
import { Notifications } from '../../store/notifications.ts';
import type { Mode } from '../mode.ts';
import { Connection } from './connection.ts';
import { openFolder } from './folder.ts';
import { SearchThreads } from './searches.ts';
import { WriterThread } from './writes.ts';

/**
 * Writes are refused for this time after the file was found damaged. SQLite reports some failures to
 * read as damage, so that the file may prove sound afterwards.
 */
const DAMAGED_MS = 60_000;

export async function openSqlite(folder: string, mode: Mode): Promise<Engine> {
  const { path, lock, storage } = openFolder(folder, mode);
  const notifications = new Notifications();
  let damagedUntil = 0;
  const isDamaged = () => performance.now() < damagedUntil;
  const noticeDamage = (error: unknown) => {
    if ((error as { code?: string }).code !== 'damaged_database') return;
    if (!isDamaged()) notifications.publish(new Set(['damaged']));
    damagedUntil = performance.now() + DAMAGED_MS;
  };
  const rethrow = (error: unknown) => {
    noticeDamage(error);
    throw error;
  };
  const reader = new ReaderPool(path, noticeDamage);
  const writer = new WriterThread(
    { path, role: 'write', mode },
    {
      beforeSettle: () => reader.invalidateVersion(),
      afterSettle: (topics) => notifications.publish(new Set(topics)),
    },
  );
  const searcher = new SearchThreads({ path, role: 'search', mode });
  await writer.started;
  return {
    db: reader,
    notifications,
    shared: mode === 'admin',
    reader: { path },
    location: path,
    search: <A, R>(query: Query<A, R>, args: A, options?: CallOptions) =>
      (searcher.call(query.queryName, args, options) as Promise<R>).catch(rethrow),
    write: async <A, R>(command: Command<A, R>, args: A, options?: WriteOptions) => {
      // A write to a damaged file can damage more of it.
      if (isDamaged()) throw errors.damagedDatabase();
      const attempt = () => writer.call(command.commandName, args, options) as Promise<R>;
      return storage.write(command.commandName, attempt).catch(rethrow);
    },
    requireSpace: (bytes) => storage.requireSpace(bytes),
    bankBytes: async () => reader.readUsedBytes(),
    isSaturated: () => writer.isSaturated,
    gauges: () => ({
      writes_in_flight: writer.inFlight,
      searches_in_flight: searcher.inFlight,
      damaged: isDamaged() ? 1 : 0,
      ...storage.sizes,
    }),
    ready: async () => {
      reader.get('SELECT epoch FROM bank_state');
      writer.refuseIfStopped();
      searcher.refuseIfStopped();
    },
    close: async () => {
      await searcher.close();
      reader.close();
      // The last connection checkpoints and removes the write-ahead log, which needs one that writes.
      await writer.close();
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
  readonly #report: (error: unknown) => void;
  readonly #idle: Connection[] = [];
  readonly #snapshots = new Semaphore({ permits: MAX_SNAPSHOTS });
  #version: number | undefined;

  constructor(path: string, onError: (error: unknown) => void) {
    super(path, { readOnly: true, onError });
    this.#path = path;
    this.#report = onError;
  }

  /** The pages in use; those that were freed are reused. */
  readUsedBytes(): number {
    const row = this.get<{ bytes: number }>(
      `SELECT (p.page_count - f.freelist_count) * s.page_size AS bytes
       FROM pragma_page_count p, pragma_freelist_count f, pragma_page_size s`,
    );
    return row!.bytes;
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
        this.#idle.pop() ??
        new Connection(this.#path, { readOnly: true, cache: this.cache, onError: this.#report });
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
