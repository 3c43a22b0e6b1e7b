/**
 * A queue that is fair between callers (start-time fair queueing): each caller receives the same
 * share of the total cost, in the order of its own items. A caller with one cheap item does not
 * wait for all items of a caller with many. Items whose deadline has passed, or that have been
 * cancelled, are dropped when their turn comes; no timer is needed.
 */
export interface QueueItem {
  caller: string;
  /** The share of the resource that the item takes, in any unit. Positive. */
  cost: number;
  /** By `performance.now()`. */
  deadlineAt: number;
  isCancelled?: (() => boolean) | undefined;
  /** Called instead of being taken from the queue. */
  expire(): void;
}

export const isWanted = ({ deadlineAt, isCancelled }: QueueItem, now = performance.now()): boolean =>
  deadlineAt > now && !isCancelled?.();

interface Lane<T> {
  items: T[];
  /** The virtual time at which the caller's first item starts. */
  start: number;
}

export class FairQueue<T extends QueueItem> {
  readonly #lanes = new Map<string, Lane<T>>();
  /** The virtual time: the start of the item that was taken last. */
  #now = 0;
  #size = 0;
  #cost = 0;

  get size(): number {
    return this.#size;
  }

  /** The total cost of the items. */
  get cost(): number {
    return this.#cost;
  }

  push(item: T): void {
    const lane = this.#lanes.get(item.caller);
    if (lane) {
      if (lane.items.length === 0) lane.start = Math.max(lane.start, this.#now);
      lane.items.push(item);
    } else this.#lanes.set(item.caller, { items: [item], start: this.#now });
    this.#size++;
    this.#cost += item.cost;
  }

  /** Removes the next item that is still wanted, of the callers that may be served. */
  take(now = performance.now(), mayServe: (caller: string) => boolean = () => true): T | undefined {
    for (;;) {
      const lane = this.#findNextLane(mayServe);
      const item = lane?.items.shift();
      if (!lane || !item) return undefined;
      this.#size--;
      this.#cost -= item.cost;
      if (isWanted(item, now)) {
        this.#now = lane.start;
        lane.start += item.cost;
        return item;
      }
      item.expire();
    }
  }

  #findNextLane(mayServe: (caller: string) => boolean): Lane<T> | undefined {
    let next: Lane<T> | undefined;
    for (const [caller, lane] of this.#lanes) {
      if (lane.items.length > 0) {
        if ((!next || lane.start < next.start) && mayServe(caller)) next = lane;
        // A lane without debt is the same as no lane.
      } else if (lane.start <= this.#now) this.#lanes.delete(caller);
    }
    return next;
  }
}
