/**
 * A fixed-window rate limiter: counts the requests of each caller per clock minute, in memory.
 * Processes that serve the same bank exchange their counts through the database about once a
 * second, so a limit can be exceeded by as much as the other processes count in that time. Token
 * requests synchronise first and are limited exactly.
 */
import type { RateCounts } from '../store/access/rate-counters.ts';

export type RateLimitName = 'read' | 'write' | 'analysis' | 'token' | 'check' | 'opentdb';

/** Requests per minute; 0 means unlimited. */
export type RateLimits = Record<RateLimitName, number>;

export const DEFAULT_LIMITS: RateLimits = {
  read: 600,
  write: 120,
  analysis: 20,
  token: 10,
  check: 10,
  // The Open Trivia DB admits a request every five seconds. More, for clients also request tokens.
  opentdb: 15,
};

const WINDOW_MS = 60_000;
/** Bounds the memory: in one window, addresses beyond this many share a single counter. */
const MAX_ADDRESSES = 100_000;

export interface RateStatus {
  /** Requests counted in this window by all processes, as far as known. */
  used: number;
  remaining: number;
  /** Seconds until the window ends. */
  resetSeconds: number;
  exceeded: boolean;
  /** The number of this request among those counted by this process. */
  rank: number;
}

/** From this share of its limit on, a caller's total over all processes is fetched at each sync. */
const WATCH_SHARE = 0.1;
const MAX_WATCHED_KEYS = 1000;

/**
 * Adds this process's counts to the shared ones, and resolves to the totals of the watched keys.
 */
type Share = (counts: RateCounts) => Promise<[key: string, n: number][]>;

interface Counter {
  limit: number;
  /** Counted by this process in this window. */
  own: number;
  /** The part of `own` that has been added to the shared counts. */
  synced: number;
  /** Counted by other processes, as of the last sync. */
  others: number;
}

export class RateLimiter {
  readonly limits: RateLimits;
  readonly #share: Share | undefined;
  readonly #now: () => number;
  #minute = 0;
  #counters = new Map<string, Counter>();
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(
    limits: RateLimits,
    { share, now = () => Date.now() }: { share?: Share | undefined; now?: () => number } = {},
  ) {
    this.limits = limits;
    this.#share = share;
    this.#now = now;
  }

  /** Counts one request. Returns undefined if there is no limit. */
  consume(name: RateLimitName, caller: string): RateStatus | undefined {
    const limit = this.limits[name];
    if (limit === 0) return undefined;
    const now = this.#now();
    this.#startWindow(now);
    const counter = this.#counters.get(`${name} ${caller}`) ?? this.#addCounter(name, caller, limit);
    counter.own++;
    return this.#getStatus(limit, counter, counter.own, now);
  }

  /** Takes back one counted request. */
  refund(name: RateLimitName, caller: string): void {
    const counter = this.#counters.get(`${name} ${caller}`);
    if (counter && counter.own > 0) counter.own--;
  }

  /**
   * Returns the status without counting: the current one, or that of an earlier request by its
   * rank.
   */
  peek(name: RateLimitName, caller: string, rank?: number): RateStatus | undefined {
    const limit = this.limits[name];
    if (limit === 0) return undefined;
    const now = this.#now();
    this.#startWindow(now);
    const counter = this.#counters.get(`${name} ${caller}`) ?? createCounter(limit);
    return this.#getStatus(limit, counter, rank ?? counter.own, now);
  }

  #getStatus(limit: number, counter: Counter, rank: number, now: number): RateStatus {
    const used = rank + counter.others;
    const resetSeconds = Math.max(1, Math.ceil(((this.#minute + 1) * WINDOW_MS - now) / 1000));
    return { used, remaining: Math.max(0, limit - used), resetSeconds, exceeded: used > limit, rank };
  }

  #startWindow(now: number): void {
    const minute = Math.floor(now / WINDOW_MS);
    if (minute === this.#minute) return;
    this.#minute = minute;
    this.#counters = new Map();
  }

  #addCounter(name: RateLimitName, caller: string, limit: number): Counter {
    const full = this.#counters.size >= MAX_ADDRESSES && !caller.startsWith('client ');
    const key = `${name} ${full ? 'others' : caller}`;
    return this.#counters.getOrInsertComputed(key, () => createCounter(limit));
  }

  /**
   * Exchanges counts with the other processes. Resolves when everything counted before the call has
   * been exchanged: calls made during a running sync share the one that follows it.
   */
  sync(): Promise<void> {
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#running = this.#next!;
        this.#next = undefined;
        return this.#syncNow();
      });
    return this.#next;
  }

  async #syncNow(): Promise<void> {
    if (!this.#share) return;
    const counters = this.#counters;
    const counted: [string, number][] = [];
    const watched: string[] = [];
    for (const [key, { limit, own, synced }] of counters) {
      if (own !== synced) counted.push([key, own - synced]);
      if (own >= limit * WATCH_SHARE && watched.length < MAX_WATCHED_KEYS) watched.push(key);
    }
    if (counted.length + watched.length === 0) return;
    const totals = await this.#share({ minute: this.#minute, counted, watched });
    for (const [key, n] of counted) counters.get(key)!.synced += n;
    for (const [key, total] of totals) {
      const counter = counters.get(key)!;
      counter.others = Math.max(0, total - counter.synced);
    }
  }
}

const createCounter = (limit: number): Counter => ({ limit, own: 0, synced: 0, others: 0 });
