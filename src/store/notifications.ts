/**
 * That there is something new: told within a process and, where several serve one bank, between them. It is a hint and
 * nothing more: whoever hears it looks for themselves, and whoever missed it looks a little later.
 */
/** Events of any kind; a run that waits to be claimed; a run that has ended; the database, gone or back. */
export type Topic = 'events' | 'queue' | 'ends' | 'away' | 'back';

export class News {
  readonly #ears = new Set<(topics: ReadonlySet<Topic>) => void>();

  tell(topics: ReadonlySet<Topic>): void {
    if (topics.size > 0) for (const hear of this.#ears) hear(topics);
  }

  /** Calls back whenever there is news of the topic, until what comes back is called. */
  on(topic: Topic, hear: () => void): () => void {
    const ear = (topics: ReadonlySet<Topic>) => topics.has(topic) && hear();
    this.#ears.add(ear);
    return () => this.#ears.delete(ear);
  }

  /** Resolves at the next news of the topic, after so many milliseconds, or when the signal says so. */
  next(topic: Topic, ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        stop();
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      const stop = this.on(topic, done);
      signal?.addEventListener('abort', done);
      if (signal?.aborted) done();
    });
  }
}
