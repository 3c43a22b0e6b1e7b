/**
 * How much each caller may ask for in a minute. Counting is a number in memory. Where several processes serve one bank,
 * each tells the database what it has counted, and learns what the others have, about once a second: no request waits
 * for it. Minutes are those of the clock, the same for all.
 */
export type Budget = 'read' | 'write' | 'analysis' | 'token';

/** Requests a minute; 0 is no limit. */
export type Limits = Record<Budget, number>;

export const DEFAULT_LIMITS: Limits = { read: 600, write: 120, analysis: 20, token: 10 };

const WINDOW = 60_000;
/** Behind this many callers in one minute all others share a count, so that a flood of addresses cannot fill the memory. */
const MOST_CALLERS = 100_000;

export interface Standing {
  remaining: number;
  /** Seconds until the minute is over. */
  reset: number;
  /** Whether this was one too many. */
  over: boolean;
}

/** Adds what was counted here, and answers what was counted everywhere. */
export type Share = (
  minute: number,
  spent: [key: string, n: number][],
) => Promise<[key: string, n: number][]>;

interface Count {
  /** Here, in this minute. */
  own: number;
  /** Of these, what the others know. */
  told: number;
  /** By the others, as far as is known. */
  others: number;
}

export class Budgets {
  readonly limits: Limits;
  readonly #share: Share | undefined;
  readonly #now: () => number;
  #minute = 0;
  #counts = new Map<string, Count>();
  #sharing: Promise<void> | undefined;

  constructor(
    limits: Limits,
    { share, now = Date.now }: { share?: Share | undefined; now?: () => number } = {},
  ) {
    this.limits = limits;
    this.#share = share;
    this.#now = now;
  }

  /** Counts a request of the caller; a cost of 0 only looks. Nothing if there is no limit. */
  spend(budget: Budget, caller: string, cost = 1): Standing | undefined {
    const limit = this.limits[budget];
    if (limit === 0) return undefined;
    const count = this.#countOf(`${budget} ${caller}`);
    count.own += cost;
    const spent = count.own + count.others;
    return {
      remaining: Math.max(0, limit - spent),
      reset: Math.max(1, Math.ceil(((this.#minute + 1) * WINDOW - this.#now()) / 1000)),
      over: spent > limit,
    };
  }

  #countOf(key: string): Count {
    const minute = Math.floor(this.#now() / WINDOW);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#counts = new Map();
    }
    const known = this.#counts.get(key);
    if (known) return known;
    if (this.#counts.size >= MOST_CALLERS) return this.#counts.getOrInsertComputed('others', noCount);
    const count = noCount();
    this.#counts.set(key, count);
    return count;
  }

  /** Tells the others what was counted here, and learns what they have; one at a time. */
  sync(): Promise<void> {
    this.#sharing ??= this.#syncNow().finally(() => {
      this.#sharing = undefined;
    });
    return this.#sharing;
  }

  async #syncNow(): Promise<void> {
    if (!this.#share) return;
    const minute = this.#minute;
    const counts = this.#counts;
    const untold: [string, number][] = [];
    for (const [key, count] of counts) {
      if (count.own > count.told) untold.push([key, count.own - count.told]);
    }
    if (untold.length === 0) return;
    const totals = await this.#share(minute, untold);
    for (const [key, n] of untold) counts.get(key)!.told += n;
    for (const [key, total] of totals) {
      const count = counts.get(key)!;
      count.others = total - count.told;
    }
  }
}

const noCount = (): Count => ({ own: 0, told: 0, others: 0 });
