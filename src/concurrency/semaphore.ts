/**
 * A counting semaphore: limits how many callers work at once. Waiters are admitted in order of
 * arrival.
 */
export interface SemaphoreOptions {
  permits: number;
  /** Callers that may wait for a permit; one more is refused. */
  maxWaiting?: number;
  /** The error for a refused caller. */
  refusal?: () => Error;
}

export class Semaphore {
  readonly #maxWaiting: number;
  readonly #refusal: () => Error;
  readonly #waiting = new Set<() => void>();
  #permits: number;

  constructor({ permits, maxWaiting = Number.POSITIVE_INFINITY, refusal }: SemaphoreOptions) {
    this.#permits = permits;
    this.#maxWaiting = maxWaiting;
    this.#refusal = refusal ?? (() => new Error('no permit is free'));
  }

  /** Runs the work once a permit is free. */
  async run<R>(work: () => Promise<R>): Promise<R> {
    if (this.#permits > 0) this.#permits--;
    else await this.#wait();
    try {
      return await work();
    } finally {
      this.#release();
    }
  }

  #wait(): Promise<void> {
    if (this.#waiting.size >= this.#maxWaiting) return Promise.reject(this.#refusal());
    return new Promise((resolve) => {
      this.#waiting.add(resolve);
    });
  }

  /** Hands the permit to the first waiter, so that a newcomer cannot overtake it. */
  #release(): void {
    const [first] = this.#waiting;
    if (!first) {
      this.#permits++;
      return;
    }
    this.#waiting.delete(first);
    first();
  }
}
