/** Schedules writes on the writer thread, which has at most one group of writes at a time. */
import { isWanted } from '../../concurrency/fair-queue.ts';
import { PollSignal } from '../../concurrency/poll-signal.ts';
import { errors } from '../../errors.ts';
import type { CommandName } from '../../store/command-names.ts';
import type { WriteOptions } from '../../store/db.ts';
import type { Topic } from '../../store/notifications.ts';
import { type QueuedWrite, WriteQueue } from '../write-queue.ts';
import { DatabaseThread, toResult } from './database-thread.ts';
import type { Call, Reply, Request, ThreadData } from './thread.ts';

/** A write of this size commits within about 100 ms without preparation. */
const MAX_UNPREPARED_BYTES = 512 * 1024;
/** The share of the thread that large writes take at most while short ones arrive. */
const MAX_LARGE_SHARE = 0.25;
/** Short writes arrive if the last one did within this time. */
const SHORT_WINDOW_MS = 200;
/** The longest pause between two large writes. */
const MAX_LARGE_PAUSE_MS = 1_500;

/** Called around the settling of a group of calls. */
interface SettleHooks {
  beforeSettle(): void;
  afterSettle(topics: Topic[]): void;
}

interface PendingWrite {
  call: Call;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

type Write = QueuedWrite<PendingWrite>;

/**
 * A group is sent when the outcomes of the last one arrive. If the thread is idle, it is sent after
 * the socket events that the event loop has already received, so that requests which arrive
 * together commit together.
 */
export class WriterThread {
  readonly started: Promise<void>;
  readonly #thread: DatabaseThread;
  readonly #hooks: SettleHooks;
  readonly #queue = new WriteQueue<PendingWrite>();
  readonly #signal = new PollSignal(() => this.#advance());
  #committing = 0;
  /** The next large write: it is being prepared, or waits for its turn to be committed. */
  #nextLarge: { write: Write; ready: boolean } | undefined;
  #lastWasLarge = false;
  /** Large writes give way to short ones until then, by `performance.now()`. */
  #largeAfter = 0;
  #lastShortAt = Number.NEGATIVE_INFINITY;
  #largeTimer: NodeJS.Timeout | undefined;
  #onIdle: (() => void) | undefined;

  constructor(data: ThreadData, hooks: SettleHooks) {
    this.#hooks = hooks;
    this.#thread = new DatabaseThread(data);
    this.started = this.#thread.started;
  }

  get inFlight(): number {
    return this.#queue.size + this.#committing + (this.#nextLarge ? 1 : 0);
  }

  get isSaturated(): boolean {
    return this.#queue.isSaturated;
  }

  async call(name: CommandName, args: unknown, options: WriteOptions = {}): Promise<unknown> {
    this.#thread.refuseIfStopped();
    return new Promise((resolve, reject) => {
      const call = { name, args, key: options.key };
      const kind = this.#queue.add({ call, resolve, reject }, options, reject);
      if (kind === 'short' && options.caller !== undefined) this.#lastShortAt = performance.now();
      if (this.#committing === 0) this.#signal.request();
    });
  }

  refuseIfStopped(): void {
    this.#thread.refuseIfStopped();
  }

  /** Commits the writes that wait, and ends the thread. */
  async close(): Promise<void> {
    if (this.inFlight > 0)
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
        this.#advance();
      });
    clearTimeout(this.#largeTimer);
    await this.#thread.close();
    this.#signal.close();
  }

  #advance(): void {
    if (this.#committing === 0) this.#commitNext();
    if (!this.#nextLarge) this.#prepareNext();
    if (this.inFlight === 0) this.#onIdle?.();
  }

  /** Short writes and large ones take turns while both wait. */
  #commitNext(): void {
    if (this.#nextLarge?.ready && this.#isTurnOfLarge()) {
      const { write } = this.#nextLarge;
      this.#nextLarge = undefined;
      this.#lastWasLarge = true;
      if (isWanted(write)) {
        const isPrepared = write.bytes > MAX_UNPREPARED_BYTES;
        void this.#commit([write], isPrepared ? { commitPrepared: true } : { write: [write.call.call] });
        return;
      }
      write.call.reject(errors.tooSlow(undefined, 'never started'));
    }
    const writes = this.#queue.takeShort();
    if (writes.length === 0) return;
    this.#lastWasLarge = false;
    void this.#commit(writes, { write: writes.map(({ call }) => call.call) });
  }

  /**
   * Whether a large write may be committed now. A client that sends one short write after the other
   * has none waiting most of the time, but its next one would wait for the large one.
   */
  #isTurnOfLarge(): boolean {
    if (this.#lastWasLarge && this.#queue.shortSize > 0) return false;
    const now = performance.now();
    const shortArrive = this.#queue.shortSize > 0 || now - this.#lastShortAt < SHORT_WINDOW_MS;
    if (!shortArrive || now >= this.#largeAfter || this.#onIdle) return true;
    this.#largeTimer ??= setTimeout(() => {
      this.#largeTimer = undefined;
      this.#advance();
    }, SHORT_WINDOW_MS).unref();
    return false;
  }

  #prepareNext(): void {
    const write = this.#queue.takeLarge();
    if (!write) return;
    const task = { write, ready: write.bytes <= MAX_UNPREPARED_BYTES };
    this.#nextLarge = task;
    if (task.ready) {
      if (this.#committing === 0) this.#commitNext();
      return;
    }
    const finish = () => {
      task.ready = true;
      this.#advance();
    };
    this.#thread.send({ prepare: write.call.call }).then(finish, finish);
  }

  async #commit(writes: Write[], request: Request): Promise<void> {
    this.#committing = writes.length;
    const began = performance.now();
    let reply: Reply | undefined;
    let failure: unknown;
    try {
      reply = await this.#thread.send(request);
      const ms = performance.now() - began;
      this.#queue.record(writes, ms);
      if (writes[0]?.kind === 'large')
        this.#largeAfter = began + Math.min(ms / MAX_LARGE_SHARE, ms + MAX_LARGE_PAUSE_MS);
    } catch (error) {
      failure = error;
    }
    this.#committing = 0;
    // The thread commits the next group while this one is settled.
    this.#advance();
    if (!reply) {
      for (const { call } of writes) call.reject(failure);
      return;
    }
    this.#hooks.beforeSettle();
    for (const [i, outcome] of reply.outcomes.entries()) {
      const { resolve, reject } = writes[i]!.call;
      try {
        resolve(toResult(outcome));
      } catch (error) {
        reject(error);
      }
    }
    this.#hooks.afterSettle(reply.topics);
  }
}
