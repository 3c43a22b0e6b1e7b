/**
 * How much each caller may ask for in a minute. Counting is a number in memory. Where several processes serve one bank,
 * each tells the database what it has counted, and learns what the others have, about once a second. Only requests for
 * tokens wait for that. Minutes are those of the clock, the same for all.
 */
import type { RateCounts } from '../store/access/rate-counters.ts';

export type RateLimitName = 'read' | 'write' | 'analysis' | 'token';

/** Requests a minute; 0 is no limit. */
export type Limits = Record<RateLimitName, number>;

export const DEFAULT_LIMITS: Limits = { read: 600, write: 120, analysis: 20, token: 10 };

const WINDOW = 60_000;
/** Behind this many in one minute, further addresses share a count, so that a flood of them cannot fill the memory. */
const MOST_ADDRESSES = 100_000;

export interface RateStatus {
  /** Here and elsewhere, as far as is known. */
  used: number;
  remaining: number;
  /** Seconds until the minute is over. */
  reset: number;
  /** Whether this was one too many. */
  over: boolean;
  /** Which one it was of those counted here. */
  rank: number;
}

/** Whoever has counted this share of a budget here is watched: what they have counted elsewhere is asked for. */
const NOTABLE = 0.1;
const MOST_WATCHED = 1000;

/** Adds what was counted here, and answers what was counted everywhere for those watched. */
type Share = (counts: RateCounts) => Promise<[key: string, n: number][]>;

interface Count {
  limit: number;
  /** Here, in this minute. */
  own: number;
  /** Of these, what the others know. */
  told: number;
  /** By the others, as far as is known. */
  others: number;
}

export class RateLimiter {
  readonly limits: Limits;
  readonly #share: Share | undefined;
  readonly #now: () => number;
  #minute = 0;
  #counts = new Map<string, Count>();
  #running: Promise<void> = Promise.resolve();
  #waiting: Promise<void> | undefined;

  constructor(
    limits: Limits,
    { share, now = () => Date.now() }: { share?: Share | undefined; now?: () => number } = {},
  ) {
    this.limits = limits;
    this.#share = share;
    this.#now = now;
  }

  /** Counts a request of the caller. Nothing if there is no limit. */
  spend(budget: RateLimitName, caller: string): RateStatus | undefined {
    const limit = this.limits[budget];
    if (limit === 0) return undefined;
    const now = this.#now();
    this.#turn(now);
    const key = `${budget} ${caller}`;
    const count = this.#counts.get(key) ?? this.#newCount(budget, caller, limit);
    count.own++;
    return this.#standing(limit, count, count.own, now);
  }

  /** What was counted and should not have been. */
  giveBack(budget: RateLimitName, caller: string): void {
    const count = this.#counts.get(`${budget} ${caller}`);
    if (count && count.own > 0) count.own--;
  }

  /** How a caller stands, without counting anything; or how they stood at one of those counted here, by its rank. */
  look(budget: RateLimitName, caller: string, rank?: number): RateStatus | undefined {
    const limit = this.limits[budget];
    if (limit === 0) return undefined;
    const now = this.#now();
    this.#turn(now);
    const count = this.#counts.get(`${budget} ${caller}`) ?? newCount(limit);
    return this.#standing(limit, count, rank ?? count.own, now);
  }

  #standing(limit: number, count: Count, rank: number, now: number): RateStatus {
    const used = rank + count.others;
    const reset = Math.max(1, Math.ceil(((this.#minute + 1) * WINDOW - now) / 1000));
    return { used, remaining: Math.max(0, limit - used), reset, over: used > limit, rank };
  }

  #turn(now: number): void {
    const minute = Math.floor(now / WINDOW);
    if (minute === this.#minute) return;
    this.#minute = minute;
    this.#counts = new Map();
  }

  #newCount(budget: RateLimitName, caller: string, limit: number): Count {
    const crowded = this.#counts.size >= MOST_ADDRESSES && !caller.startsWith('client ');
    const key = `${budget} ${crowded ? 'others' : caller}`;
    return this.#counts.getOrInsertComputed(key, () => newCount(limit));
  }

  /** Tells the others what was counted here, and learns what they have: by its end, of all that was counted before it. */
  sync(): Promise<void> {
    // One that has not begun yet serves all who wait.
    this.#waiting ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#running = this.#waiting!;
        this.#waiting = undefined;
        return this.#syncNow();
      });
    return this.#waiting;
  }

  async #syncNow(): Promise<void> {
    if (!this.#share) return;
    const counts = this.#counts;
    const counted: [string, number][] = [];
    const watched: string[] = [];
    for (const [key, count] of counts) {
      if (count.own !== count.told) counted.push([key, count.own - count.told]);
      if (count.own >= count.limit * NOTABLE && watched.length < MOST_WATCHED) watched.push(key);
    }
    if (counted.length + watched.length === 0) return;
    const totals = await this.#share({ minute: this.#minute, counted, watched });
    for (const [key, n] of counted) counts.get(key)!.told += n;
    for (const [key, total] of totals) {
      const count = counts.get(key)!;
      count.others = Math.max(0, total - count.told);
    }
  }
}

const newCount = (limit: number): Count => ({ limit, own: 0, told: 0, others: 0 });
