/**
 * What this process knows of the newest events, for all who follow them. Each reader keeps its own place and comes for what lies
 * behind it; nothing is put in a queue for anybody. While there are readers, the database is asked for more a few times a second.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../store/db.ts';
import { EVERYTHING, type EventRow, lastPlace, type Place, readEvents } from '../store/events.ts';

const ASK_EVERY = 100;
/** Events kept for readers that are nearly up to date; whoever is farther behind reads them from the database. */
const MOST_KEPT = 500;
/** Rows read at once. One may tell of a thousand questions. */
const AT_ONCE = 50;

const isBefore = (a: Place, b: Place) => a.tx < b.tx || (a.tx === b.tx && a.id < b.id);

interface Patience {
  ms: number;
  /** Ends the waiting at once. */
  unless: AbortSignal;
}

export class Feed {
  readonly #db: Db;
  readonly #waiting = new Set<() => void>();
  #readers = 0;
  /** The newest events, and the place behind which they begin; nothing while nobody reads. */
  #newest: EventRow[] = [];
  #from: Place | undefined;
  #asking = false;
  #closed = false;

  constructor(db: Db) {
    this.#db = db;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Counts a reader in, before it looks where it stands; call what comes back when it is gone. */
  join(): () => void {
    this.#readers++;
    if (!this.#asking) void this.#askWhileRead();
    return () => {
      this.#readers--;
    };
  }

  /** The events behind a place: at once if there are any, else as soon as there are, or none when the patience ends. */
  async next(place: Place, patience: Patience): Promise<EventRow[]> {
    // Waiting begins before the look, so that nothing comes unnoticed in between.
    const news = this.#news(patience);
    const known = await this.#after(place);
    if (known.length > 0) {
      news.cancel();
      return known;
    }
    await news.promise;
    return this.#closed || patience.unless.aborted ? [] : this.#after(place);
  }

  close(): void {
    this.#closed = true;
    for (const wake of this.#waiting) wake();
  }

  async #after(place: Place): Promise<EventRow[]> {
    if (!this.#from || isBefore(place, this.#from)) return readEvents(this.#db, place, AT_ONCE);
    const first = this.#newest.findIndex((row) => isBefore(place, row));
    return first < 0 ? [] : this.#newest.slice(first, first + AT_ONCE);
  }

  #news({ ms, unless }: Patience): { promise: Promise<void>; cancel(): void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const done = () => {
      clearTimeout(timer);
      unless.removeEventListener('abort', done);
      this.#waiting.delete(done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    unless.addEventListener('abort', done);
    this.#waiting.add(done);
    if (this.#closed || unless.aborted) done();
    return { promise, cancel: done };
  }

  async #askWhileRead(): Promise<void> {
    this.#asking = true;
    let seen: number | undefined;
    while (this.#readers > 0 && !this.#closed) {
      try {
        const version = this.#db.version();
        if (version === undefined || version !== seen) {
          this.#from ??= await lastPlace(this.#db, EVERYTHING);
          const rows = await readEvents(this.#db, this.#newest.at(-1) ?? this.#from, AT_ONCE);
          seen = rows.length < AT_ONCE ? version : undefined;
          if (rows.length > 0) this.#tell(rows);
        }
      } catch {
        // The database is away: whoever follows hears nothing for a while, and misses nothing.
      }
      await sleep(ASK_EVERY);
    }
    this.#asking = false;
    this.#from = undefined;
    this.#newest = [];
  }

  #tell(rows: EventRow[]): void {
    this.#newest.push(...rows);
    const surplus = this.#newest.length - MOST_KEPT;
    if (surplus > 0) this.#from = this.#newest.splice(0, surplus).at(-1)!;
    for (const wake of this.#waiting) wake();
  }
}
