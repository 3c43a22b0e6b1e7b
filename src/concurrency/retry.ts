import { setTimeout as sleep } from 'node:timers/promises';

export interface RetryOptions {
  /** How often the work is attempted in all. Without it, until `forMs` is over. */
  attempts?: number;
  /** No attempt begins later than this after the first one. */
  forMs?: number;
  /**
   * The pause before the next attempt: constant, or by the number of attempts so far, for a
   * backoff.
   */
  delayMs?: number | ((attempts: number) => number);
  /** Whether another attempt may succeed. */
  when(error: unknown): boolean;
  /** Called before each pause. What it throws ends the retrying. */
  onRetry?(error: unknown, attempts: number): void;
  signal?: AbortSignal | undefined;
}

/** Repeats the work while it fails with an error that may pass. Rejects with the last error. */
export async function retry<R>(work: () => Promise<R>, options: RetryOptions): Promise<R> {
  const { attempts = Number.POSITIVE_INFINITY, forMs = Number.POSITIVE_INFINITY, delayMs = 0 } = options;
  const began = performance.now();
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const over = attempt >= attempts || performance.now() - began >= forMs || options.signal?.aborted;
      if (over || !options.when(error)) throw error;
      options.onRetry?.(error, attempt);
      const pause = typeof delayMs === 'number' ? delayMs : delayMs(attempt);
      // An aborted pause rejects with the signal's reason.
      if (pause > 0) await sleep(pause, undefined, options.signal ? { signal: options.signal } : {});
    }
  }
}
