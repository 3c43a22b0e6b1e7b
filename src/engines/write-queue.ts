/**
 * The writes that wait for the database. Short writes and large ones wait apart, because a large
 * one takes as long as hundreds of short ones: the engines let the two kinds take turns. Each kind
 * is fair between callers. A write that would wait too long is refused at once, so that those
 * accepted are answered soon whatever the load.
 */
import { FairQueue, type QueueItem } from '../concurrency/fair-queue.ts';
import { errors } from '../errors.ts';
import type { WriteOptions } from '../store/db.ts';

/** A write whose request body exceeds this is large. */
const MAX_SHORT_BYTES = 64 * 1024;
/** The estimated wait above which a write is refused. */
const MAX_WAIT_MS = { short: 500, large: 4_000 };
/** Writes of a kind that may always wait: the estimate of a few writes is unreliable. */
const MIN_WAITING = { short: 64, large: 2 };
/** Bounds the memory of the writes that wait. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
/** Bounds the duration of a group of short writes, which commit together. */
const MAX_GROUP_COST = 512;
/** The weight of the latest measurement in the average duration. */
const SMOOTHING = 0.2;

type Kind = 'short' | 'large';

export interface QueuedWrite<T> extends QueueItem {
  kind: Kind;
  bytes: number;
  call: T;
}

export class WriteQueue<T> {
  readonly #queues = { short: new FairQueue<QueuedWrite<T>>(), large: new FairQueue<QueuedWrite<T>>() };
  /** The average duration of a unit of cost. */
  readonly #msPerCost: Record<Kind, number | undefined> = { short: undefined, large: undefined };
  readonly #parallelism: number;
  #bytes = 0;

  /** `parallelism`: how many writes are executed at once. */
  constructor(parallelism = 1) {
    this.#parallelism = parallelism;
  }

  get size(): number {
    return this.#queues.short.size + this.#queues.large.size;
  }

  get shortSize(): number {
    return this.#queues.short.size;
  }

  /** Whether a short write would be refused. */
  get isSaturated(): boolean {
    return this.#isFull('short', 0);
  }

  /**
   * Adds a write and returns its kind; `reject` receives the error if it is dropped. Throws if it
   * would wait too long.
   * Writes of the service itself, without a caller, are never refused: their number is bounded.
   */
  add(call: T, options: WriteOptions, reject: (error: Error) => void): Kind {
    const { caller, deadlineAt = Number.POSITIVE_INFINITY, bytes = 0, isCancelled } = options;
    const kind = bytes > MAX_SHORT_BYTES ? 'large' : 'short';
    if (caller !== undefined && this.#isFull(kind, bytes)) throw errors.overloaded();
    this.#bytes += bytes;
    this.#queues[kind].push({
      kind,
      call,
      bytes,
      caller: caller ?? '',
      cost: 1 + bytes / 1024,
      deadlineAt,
      isCancelled,
      expire: () => {
        this.#bytes -= bytes;
        reject(errors.tooSlow(undefined, 'never started'));
      },
    });
    return kind;
  }

  /** The next short writes, to be committed together. */
  takeShort(maxCost = MAX_GROUP_COST): QueuedWrite<T>[] {
    const group: QueuedWrite<T>[] = [];
    for (let cost = 0; cost < maxCost; ) {
      const next = this.#take('short');
      if (!next) break;
      group.push(next);
      cost += next.cost;
    }
    return group;
  }

  takeLarge(): QueuedWrite<T> | undefined {
    return this.#take('large');
  }

  /** Records how long writes of one kind took. */
  record(writes: QueuedWrite<T>[], ms: number): void {
    const kind = writes[0]?.kind;
    if (!kind) return;
    const measured = ms / writes.reduce((sum, { cost }) => sum + cost, 0);
    const average = this.#msPerCost[kind] ?? measured;
    this.#msPerCost[kind] = average + SMOOTHING * (measured - average);
  }

  #take(kind: Kind): QueuedWrite<T> | undefined {
    const write = this.#queues[kind].take();
    if (write) this.#bytes -= write.bytes;
    return write;
  }

  #isFull(kind: Kind, bytes: number): boolean {
    const queue = this.#queues[kind];
    if (queue.size > 0 && this.#bytes + bytes > MAX_WAITING_BYTES) return true;
    if (queue.size < MIN_WAITING[kind]) return false;
    return (queue.cost * (this.#msPerCost[kind] ?? 0)) / this.#parallelism > MAX_WAIT_MS[kind];
  }
}
