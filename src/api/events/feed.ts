/**
 * What this process knows of the newest events, for all who follow them. Each reader keeps its own place and comes for what lies
 * behind it; nothing is put in a queue for anybody. While there are readers, the database is asked for more when there is news of
 * events, and once a second for whatever nobody told of: the process that wrote it may have died before it could.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db, Engine } from '../../store/db.ts';
import {
  EVERYTHING,
  type EventRow,
  isUnsettled,
  lastPlace,
  type Place,
  readEvents,
} from '../../store/events.ts';
import type { Notifications } from '../../store/notifications.ts';

const ASK_EVERY = 1_000;
/** What comes close together is read together. */
const GATHER = 20;
/** How soon it is asked for again what cannot be told yet, because something before it may still come. */
const SETTLE = 50;
/** There is more already. */
const MORE = -1;
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
  readonly #news: Notifications;
  readonly #waiting = new Set<() => void>();
  #readers = 0;
  /** The newest events, and the place behind which they begin; nothing while nobody reads. */
  #newest: EventRow[] = [];
  #from: Place | undefined;
  #asking = false;
  /** Whether the database was away when it was last asked. */
  #lost = false;
  readonly #closing = new AbortController();

  constructor({ db, notifications }: Engine) {
    this.#db = db;
    this.#news = notifications;
  }

  get closed(): boolean {
    return this.#closing.signal.aborted;
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
    const more = this.#more(patience);
    const known = await this.#afterIfThere(place);
    if (known.length > 0) {
      more.cancel();
      return known;
    }
    await more.promise;
    return this.closed || patience.unless.aborted ? [] : this.#afterIfThere(place);
  }

  close(): void {
    this.#closing.abort();
    this.#wakeAll();
  }

  /** While the database is away there is nothing to tell; whoever waits is woken when it is back. */
  #afterIfThere(place: Place): Promise<EventRow[]> {
    return this.#after(place).catch(() => []);
  }

  async #after(place: Place): Promise<EventRow[]> {
    if (!this.#from || isBefore(place, this.#from)) return readEvents(this.#db, place, AT_ONCE);
    const first = this.#newest.findIndex((row) => isBefore(place, row));
    return first < 0 ? [] : this.#newest.slice(first, first + AT_ONCE);
  }

  #more({ ms, unless }: Patience): { promise: Promise<void>; cancel(): void } {
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
    if (this.closed || unless.aborted) done();
    return { promise, cancel: done };
  }

  async #askWhileRead(): Promise<void> {
    this.#asking = true;
    while (this.#readers > 0 && !this.closed) {
      // Waiting begins before the look, so that nothing comes unnoticed in between.
      const news = this.#news.waitFor('events', ASK_EVERY, this.#closing.signal);
      const pause = await this.#ask();
      if (pause === MORE) continue;
      await (pause === 0 ? news : sleep(pause));
      await sleep(GATHER);
    }
    this.#asking = false;
    this.#from = undefined;
    this.#newest = [];
  }

  /** Reads what is new, and tells in how many milliseconds there may be more; 0 if not before there is news, or `MORE`. */
  async #ask(): Promise<number> {
    try {
      if (!this.#from) {
        this.#from = await lastPlace(this.#db, EVERYTHING);
        // Whoever stands before it has to read from the database what lies between.
        this.#wakeAll();
      }
      const place = this.#newest.at(-1) ?? this.#from;
      const rows = await readEvents(this.#db, place, AT_ONCE);
      if (rows.length > 0) this.#tell(rows);
      if (this.#lost) this.#wakeAll();
      this.#lost = false;
      if (rows.length === AT_ONCE) return MORE;
      return (await isUnsettled(this.#db, rows.at(-1) ?? place)) ? SETTLE : 0;
    } catch {
      // The database is away: whoever follows hears nothing for a while, and misses nothing.
      this.#lost = true;
      return 0;
    }
  }

  #tell(rows: EventRow[]): void {
    this.#newest.push(...rows);
    const surplus = this.#newest.length - MOST_KEPT;
    if (surplus > 0) this.#from = this.#newest.splice(0, surplus).at(-1)!;
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const wake of this.#waiting) wake();
  }
}
