/** Admits writes to the connections: short and large ones take turns, fairly between callers. */
import type { WriteOptions } from '../../store/db.ts';
import { type QueuedWrite, WriteQueue } from '../write-queue.ts';

type Start = () => Promise<void>;

export class WriteAdmission {
  readonly #permits: number;
  /** Large writes leave connections free for short ones. */
  readonly #maxLarge: number;
  readonly #queue: WriteQueue<Start>;
  readonly #running = { short: 0, large: 0 };
  #lastWasLarge = false;

  constructor(permits: number) {
    this.#permits = permits;
    this.#maxLarge = Math.max(1, Math.floor(permits / 2));
    this.#queue = new WriteQueue(permits);
  }

  /** Writes that run or wait. */
  get inFlight(): number {
    return this.#queue.size + this.#running.short + this.#running.large;
  }

  get isSaturated(): boolean {
    return this.#queue.isSaturated;
  }

  async run<R>(options: WriteOptions, work: () => Promise<R>): Promise<R> {
    return new Promise((resolve, reject) => {
      const start = () => work().then(resolve, reject);
      this.#queue.add(start, options, reject);
      this.#advance();
    });
  }

  #advance(): void {
    while (this.#running.short + this.#running.large < this.#permits) {
      const write = this.#takeNext();
      if (!write) return;
      void this.#start(write);
    }
  }

  #takeNext(): QueuedWrite<Start> | undefined {
    const largeFirst = !(this.#lastWasLarge && this.#queue.shortSize > 0);
    const large = largeFirst && this.#running.large < this.#maxLarge ? this.#queue.takeLarge() : undefined;
    const write = large ?? this.#queue.takeShort(1)[0];
    if (write) this.#lastWasLarge = write.kind === 'large';
    return write;
  }

  async #start(write: QueuedWrite<Start>): Promise<void> {
    this.#running[write.kind]++;
    const began = performance.now();
    await write.call();
    this.#running[write.kind]--;
    this.#queue.record([write], performance.now() - began);
    this.#advance();
  }
}
