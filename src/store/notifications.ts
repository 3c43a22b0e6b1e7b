/**
 * That there is something new: told within a process and, where several serve one bank, between them. It is a hint and
 * nothing more: whoever hears it looks for themselves, and whoever missed it looks a little later.
 */
/** Events of any kind; a run that waits to be claimed; a run that has ended; the database, gone or back. */
export type Topic = 'events' | 'queue' | 'ends' | 'away' | 'back';

export class Notifications {
  readonly #listeners = new Set<(topics: ReadonlySet<Topic>) => void>();

  publish(topics: ReadonlySet<Topic>): void {
    if (topics.size > 0) for (const hear of this.#listeners) hear(topics);
  }

  /** Calls back whenever there is news of the topic, until what comes back is called. */
  subscribe(topic: Topic, hear: () => void): () => void {
    const ear = (topics: ReadonlySet<Topic>) => topics.has(topic) && hear();
    this.#listeners.add(ear);
    return () => this.#listeners.delete(ear);
  }

  /** Resolves at the next news of the topic, after so many milliseconds, or when the signal says so. */
  waitFor(topic: Topic, ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        stop();
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      const stop = this.subscribe(topic, done);
      signal?.addEventListener('abort', done);
      if (signal?.aborted) done();
    });
  }
}
