/**
 * Knows whether the database answers, and hears what other processes tell. A connection of its own asks it for nothing
 * twice a second. When it stays silent, a new connection decides: if that one is answered first, the old ones are dead; if
 * it is not answered either, the database is taken to be away. Then whoever waits for it is told so, and whoever comes is
 * told at once, until it is back. The same connection listens for news and passes on ours.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import pg from 'pg';
import type { Notifications, Topic } from '../../store/notifications.ts';
import type { Connection } from './address.ts';
import { cut, isUnavailable } from './connection.ts';

const CHANNEL = 'quaestor';
const ASK_EVERY = 500;
/** A connection on which nothing was said for this long is silent. A database that is busy still answers this. */
const SILENCE = 1_500;
/** How long a new connection may take. */
const REACH = 2_500;
/** How soon the next is tried, whether or not the last has been answered. What is back is to be noticed within two seconds. */
const TRY_EVERY = 400;
/** News that come close together are told together. */
const GATHER = 10;

interface Watched {
  connection: Connection;
  news: Notifications;
  /** It does not answer: nobody need wait any longer. */
  onAway(): void;
  /** It answers on a new connection; others that have waited for an answer for so many milliseconds may be dead. */
  onStale(ms: number): void;
}

export class Watch {
  readonly #watched: Watched;
  #client: pg.Client | undefined;
  #away = false;
  #heardAt = Number.NEGATIVE_INFINITY;
  #untold = new Set<Topic>();
  #closed = false;
  #wake = () => {};
  #life: Promise<void> = Promise.resolve();

  constructor(watched: Watched) {
    this.#watched = watched;
  }

  get away(): boolean {
    return this.#away;
  }

  /** Whether the database has answered just now. */
  get hears(): boolean {
    return performance.now() - this.#heardAt < ASK_EVERY + SILENCE;
  }

  start(): void {
    this.#life = this.#watch();
  }

  /** Passes news on to other processes. If it cannot, they find out by looking. */
  tell(topics: ReadonlySet<Topic>): void {
    if (topics.size === 0) return;
    if (this.#untold.size === 0) setTimeout(() => this.#tellNow(), GATHER);
    for (const topic of topics) this.#untold.add(topic);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#wake();
    await this.#life;
  }

  #tellNow(): void {
    const topics = [...this.#untold].join(' ');
    this.#untold = new Set();
    // Not within the transactions that made the news: they would wait for each other to commit.
    void this.#client?.query('SELECT pg_notify($1, $2)', [CHANNEL, topics]).catch(() => {});
  }

  async #watch(): Promise<void> {
    for (let client = await this.#reach(); client; client = await this.#reach()) {
      this.#heardAt = performance.now();
      if (this.#away) this.#comeBack();
      this.#client = client;
      await this.#listen();
      cut(this.#client);
      this.#client = undefined;
    }
  }

  /** The first connection that is answered; nothing once nobody wants it any more. */
  async #reach(): Promise<pg.Client | undefined> {
    let found: pg.Client | undefined;
    while (!found && !this.#closed) {
      void this.#connect().then((client) => {
        // One that was tried earlier may end later.
        const late = found || this.#closed;
        if (late && client instanceof pg.Client) cut(client);
        if (late) return;
        if (client instanceof pg.Client) {
          found = client;
          this.#wake();
        } else if (client === 'away') this.#leave();
      });
      await this.#pause(TRY_EVERY);
    }
    return found;
  }

  /** Whoever refuses us, because all its connections are taken, say, is there. */
  async #connect(): Promise<pg.Client | 'away' | 'refused'> {
    const client = new pg.Client({
      ...this.#watched.connection,
      application_name: 'quaestor watch',
      connectionTimeoutMillis: REACH,
      keepAlive: true,
      pipeline: true,
    } as pg.ClientConfig);
    client.on('error', () => {});
    client.on('notification', ({ processId, payload = '' }) => {
      // Our own we know already.
      if (processId !== (client as unknown as { processID: number }).processID)
        this.#watched.news.publish(new Set(payload.split(' ') as Topic[]));
    });
    try {
      await client.connect();
      await client.query({ text: `LISTEN ${CHANNEL}`, query_timeout: REACH } as pg.QueryConfig);
      return client;
    } catch (error) {
      cut(client);
      return isUnavailable(error) ? 'away' : 'refused';
    }
  }

  #comeBack(): void {
    this.#away = false;
    this.#watched.news.publish(new Set(['back']));
    // What was begun while it was away may wait for an answer that was lost.
    this.#watched.onStale(TRY_EVERY);
  }

  #leave(): void {
    if (this.#away) return;
    this.#away = true;
    this.#heardAt = Number.NEGATIVE_INFINITY;
    this.#watched.news.publish(new Set(['away']));
    this.#watched.onAway();
  }

  /** Until the connection breaks, or falls silent without there being a better one. */
  async #listen(): Promise<void> {
    while (!this.#closed) {
      const client = this.#client!;
      let heard: 'nothing' | 'answer' | 'end' = 'nothing';
      const hear = (what: typeof heard) => {
        heard = what;
        this.#wake();
      };
      client.query('SELECT 1').then(
        () => hear('answer'),
        () => hear('end'),
      );
      await this.#pause(SILENCE);
      // Where this process itself was held up, the answer may lie there unread.
      for (let turn = 0; turn < 3; turn++) await nextTurn();
      const said = () => heard;
      if (said() === 'nothing') {
        const other = await this.#connect();
        const stale = said() === 'nothing';
        if (stale && other === 'away') this.#leave();
        if (stale && other instanceof pg.Client) {
          this.#watched.onStale(SILENCE);
          this.#client = other;
          cut(client);
          continue;
        }
        if (other instanceof pg.Client) cut(other);
      }
      if (said() !== 'answer') return;
      this.#heardAt = performance.now();
      await this.#pause(ASK_EVERY);
    }
  }

  /** One at a time; `#wake` ends it early. */
  #pause(ms: number): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#wake(), ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
