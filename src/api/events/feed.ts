/**
 * The newest events of the bank, shared by all event streams of this process. Each reader keeps its
 * own position and pulls the events after it; there is no queue per reader. While there are
 * readers, one loop reads new events when a notification announces them, and once a second in case
 * a notification was lost.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db, Engine } from '../../store/db.ts';
import {
  ALL_EVENTS,
  type EventPosition,
  type EventRow,
  findLastPosition,
  hasUnsettledAfter,
  readEvents,
} from '../../store/events.ts';
import type { Notifications } from '../../store/notifications.ts';

const POLL_INTERVAL_MS = 1_000;
/** Events that are written in quick succession are read together. */
const GATHER_MS = 20;
/** How soon events are read again that an open transaction may still precede. */
const SETTLE_INTERVAL_MS = 50;
/** Events cached for readers that are nearly up to date; the others read from the database. */
const MAX_CACHED_EVENTS = 500;
/** Events read at once. One event may be about a thousand questions. */
const BATCH_EVENTS = 50;

const isBefore = (a: EventPosition, b: EventPosition) => a.tx < b.tx || (a.tx === b.tx && a.id < b.id);

interface WaitOptions {
  ms: number;
  /** Ends the wait at once. */
  signal: AbortSignal;
}

export class Feed {
  readonly #db: Db;
  readonly #notifications: Notifications;
  readonly #waiting = new Set<() => void>();
  #readers = 0;
  /** All events after `#cacheStart`, in order. Empty, and the start undefined, without readers. */
  #cache: EventRow[] = [];
  #cacheStart: EventPosition | undefined;
  #polling = false;
  #unavailable = false;
  readonly #closing = new AbortController();

  constructor({ db, notifications }: Engine) {
    this.#db = db;
    this.#notifications = notifications;
  }

  get closed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Registers a reader, before it reads its position. Returns the function that removes it. */
  join(): () => void {
    this.#readers++;
    if (!this.#polling) void this.#poll();
    return () => {
      this.#readers--;
    };
  }

  /** The events after a position; waits for some if there are none. Empty if the wait ends. */
  async next(position: EventPosition, options: WaitOptions): Promise<EventRow[]> {
    // The wait begins before the read, so that no event is missed in between.
    const wait = this.#wait(options);
    const events = await this.#tryReadAfter(position);
    if (events.length > 0) {
      wait.cancel();
      return events;
    }
    await wait.promise;
    return this.closed || options.signal.aborted ? [] : this.#tryReadAfter(position);
  }

  close(): void {
    this.#closing.abort();
    this.#wakeAll();
  }

  /** Empty while the database is unavailable; waiting readers are woken when it is back. */
  #tryReadAfter(position: EventPosition): Promise<EventRow[]> {
    return this.#readAfter(position).catch(() => []);
  }

  async #readAfter(position: EventPosition): Promise<EventRow[]> {
    if (!this.#cacheStart || isBefore(position, this.#cacheStart))
      return readEvents(this.#db, position, BATCH_EVENTS);
    const first = this.#cache.findIndex((row) => isBefore(position, row));
    return first < 0 ? [] : this.#cache.slice(first, first + BATCH_EVENTS);
  }

  #wait({ ms, signal }: WaitOptions): { promise: Promise<void>; cancel(): void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      this.#waiting.delete(done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    this.#waiting.add(done);
    if (this.closed || signal.aborted) done();
    return { promise, cancel: done };
  }

  /** Fills the cache for as long as there are readers. */
  async #poll(): Promise<void> {
    this.#polling = true;
    while (this.#readers > 0 && !this.closed) {
      // The wait begins before the read, so that no notification is missed in between.
      const notified = this.#notifications.waitFor('events', POLL_INTERVAL_MS, this.#closing.signal);
      const state = await this.#readNew();
      if (state === 'more') continue;
      await (state === 'unsettled' ? sleep(SETTLE_INTERVAL_MS) : notified);
      await sleep(GATHER_MS);
    }
    this.#polling = false;
    this.#cacheStart = undefined;
    this.#cache = [];
  }

  /** `more`: there may be further events. `unsettled`: there are events not to be read yet. */
  async #readNew(): Promise<'more' | 'unsettled' | 'current'> {
    try {
      if (!this.#cacheStart) {
        this.#cacheStart = await findLastPosition(this.#db, ALL_EVENTS);
        // Readers before this position have to read from the database.
        this.#wakeAll();
      }
      const last = this.#cache.at(-1) ?? this.#cacheStart;
      const rows = await readEvents(this.#db, last, BATCH_EVENTS);
      if (rows.length > 0) this.#append(rows);
      if (this.#unavailable) this.#wakeAll();
      this.#unavailable = false;
      if (rows.length === BATCH_EVENTS) return 'more';
      return (await hasUnsettledAfter(this.#db, rows.at(-1) ?? last)) ? 'unsettled' : 'current';
    } catch {
      // Events are delayed until the database is available again; none is lost.
      this.#unavailable = true;
      return 'current';
    }
  }

  #append(rows: EventRow[]): void {
    this.#cache.push(...rows);
    const surplus = this.#cache.length - MAX_CACHED_EVENTS;
    if (surplus > 0) this.#cacheStart = this.#cache.splice(0, surplus).at(-1)!;
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const wake of this.#waiting) wake();
  }
}
