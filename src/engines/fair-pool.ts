/**
 * Lends a fixed number of resources to calls, fairly between callers. A caller holds at most half
 * of them: a call cannot be preempted, so another caller would wait for the longest of them. What
 * was used last is lent first, so that no more resources are in use than there are calls at a time.
 */
import { FairQueue, type QueueItem } from '../concurrency/fair-queue.ts';
import { errors } from '../errors.ts';
import type { CallOptions } from '../store/db.ts';

/** Further calls of clients are refused. */
const MAX_WAITING = 200;

interface WaitingCall<R> extends QueueItem {
  start(resource: R): Promise<void>;
}

export class FairPool<R> {
  readonly #idle: R[];
  readonly #size: number;
  readonly #queue = new FairQueue<WaitingCall<R>>();
  /** The resources that each caller holds. */
  readonly #held = new Map<string, number>();

  constructor(resources: readonly R[]) {
    this.#idle = resources.toReversed();
    this.#size = resources.length;
  }

  /** Calls that run or wait. */
  get inFlight(): number {
    return this.#queue.size + this.#size - this.#idle.length;
  }

  /** Runs the work with a resource once one is free. The work receives the time it may take. */
  async run<T>(options: CallOptions, work: (resource: R, timeoutMs: number) => Promise<T>): Promise<T> {
    const { caller, deadlineAt = Number.POSITIVE_INFINITY, isCancelled } = options;
    if (caller !== undefined && this.#queue.size >= MAX_WAITING) throw errors.overloaded();
    return new Promise((resolve, reject) => {
      const start = async (resource: R) => {
        try {
          resolve(await work(resource, deadlineAt - performance.now()));
        } catch (error) {
          reject(error);
        }
      };
      const expire = () => reject(errors.tooSlow(undefined, 'never started'));
      this.#queue.push({ caller: caller ?? '', cost: 1, deadlineAt, isCancelled, expire, start });
      this.#advance();
    });
  }

  #advance(): void {
    const maxHeld = Math.max(1, this.#size >> 1);
    const mayServe = (caller: string) => (this.#held.get(caller) ?? 0) < maxHeld;
    while (this.#idle.length > 0) {
      const call = this.#queue.take(performance.now(), mayServe);
      if (!call) return;
      const resource = this.#idle.pop()!;
      this.#count(call.caller, 1);
      void call.start(resource).then(() => {
        this.#idle.push(resource);
        this.#count(call.caller, -1);
        this.#advance();
      });
    }
  }

  #count(caller: string, change: 1 | -1): void {
    const held = (this.#held.get(caller) ?? 0) + change;
    if (held > 0) this.#held.set(caller, held);
    else this.#held.delete(caller);
  }
}
