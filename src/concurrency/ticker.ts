/**
 * Divides a long computation into slices of a few milliseconds. Between two slices the event loop
 * serves other work, progress is reported, and a computation that is no longer wanted can be ended.
 *
 *     for (const row of rows) {
 *       if (ticker.due()) await ticker.yield(done / rows.length);
 *       …
 *     }
 */
import { setImmediate as afterEventLoop } from 'node:timers/promises';

export interface TickerOptions {
  /** How long to compute before the event loop gets its turn. */
  sliceMs?: number;
  /** Receives the share of the work that is done, from 0 to 1. Never decreases. */
  report?: (share: number) => void;
}

const DEFAULT_SLICE_MS = 20;

export class Ticker {
  readonly #sliceMs: number;
  readonly #report: ((share: number) => void) | undefined;
  #sliceStart = performance.now();
  #share = 0;

  constructor({ sliceMs = DEFAULT_SLICE_MS, report }: TickerOptions = {}) {
    this.#sliceMs = sliceMs;
    this.#report = report;
  }

  /**
   * Whether the current slice is over. One reading of the clock: cheap enough for each row, not for
   * each number.
   */
  due(): boolean {
    return performance.now() - this.#sliceStart >= this.#sliceMs;
  }

  /**
   * If the slice is over, reports the share and lets the event loop run. Without a share, the last
   * one stands.
   */
  async yield(share = this.#share): Promise<void> {
    if (share > this.#share) this.#share = share;
    if (!this.due()) return;
    this.#report?.(this.#share);
    await afterEventLoop();
    this.#sliceStart = performance.now();
  }

  /** A ticker for one part of the work: its shares from 0 to 1 are `from` to `to` of this one. */
  part(from: number, to: number): Ticker {
    return new PartTicker(this, from, to);
  }
}

/** Shares the slice of the ticker it belongs to. */
class PartTicker extends Ticker {
  readonly #whole: Ticker;
  readonly #from: number;
  readonly #to: number;
  #share = 0;

  constructor(whole: Ticker, from: number, to: number) {
    super();
    this.#whole = whole;
    this.#from = from;
    this.#to = to;
  }

  override due(): boolean {
    return this.#whole.due();
  }

  override yield(share = this.#share): Promise<void> {
    this.#share = share;
    return this.#whole.yield(this.#from + share * (this.#to - this.#from));
  }
}
