/** Lets so many in at once; the others wait in a line, for a while. */
import { errors } from '../../errors.ts';

/** How long somebody waits. */
const PATIENCE = 5_000;

export class Semaphore {
  #free: number;
  readonly #line = new Set<() => void>();

  constructor(most: number) {
    this.#free = most;
  }

  /** Call what comes back on the way out. */
  async enter(): Promise<() => void> {
    if (this.#free > 0) this.#free--;
    else await this.#wait();
    return () => this.#leave();
  }

  #wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      const turn = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#line.delete(turn);
        reject(errors.unavailable('Too many writes wait for the database. Try again shortly.'));
      }, PATIENCE);
      this.#line.add(turn);
    });
  }

  /** The place goes to whoever has waited longest. */
  #leave(): void {
    const [first] = this.#line;
    if (!first) this.#free++;
    else {
      this.#line.delete(first);
      first();
    }
  }
}
