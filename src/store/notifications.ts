/**
 * Publishes and subscribes to topics, within a process and, through the engine, between the
 * processes that serve a bank. A notification is a hint without content: a listener reads the
 * database itself, and polls as well, since a notification may be lost.
 */

/**
 * `events`: an event was written. `queue`: a run was queued. `ended`: a run succeeded, failed or
 * was cancelled. `changes`: a bulk change was queued or ended. `unavailable`, `available`: the
 * database cannot or can be reached.
 * `damaged`: the database file is damaged.
 */
export type Topic = 'events' | 'queue' | 'ended' | 'changes' | 'unavailable' | 'available' | 'damaged';

export class Notifications {
  readonly #listeners = new Set<(topics: ReadonlySet<Topic>) => void>();

  publish(topics: ReadonlySet<Topic>): void {
    if (topics.size > 0) for (const listener of this.#listeners) listener(topics);
  }

  /** Returns the function that ends the subscription. */
  subscribe(topic: Topic, callback: () => void): () => void {
    const listener = (topics: ReadonlySet<Topic>) => topics.has(topic) && callback();
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Resolves at the next notification of the topic, after `ms` milliseconds, or when the signal is
   * aborted.
   */
  waitFor(topic: Topic, ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        unsubscribe();
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      const unsubscribe = this.subscribe(topic, done);
      signal?.addEventListener('abort', done);
      if (signal?.aborted) done();
    });
  }
}
