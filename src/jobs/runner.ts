/**
 * Executes the queued runs: claims them under leases (leases.ts) and hands each to a worker process
 * (worker-pool.ts). Every process that serves a bank has one runner; runners coordinate through the
 * rows of the queue alone.
 */
import { availableParallelism } from 'node:os';
import type { Engine } from '../store/db.ts';
import { type Attempt, stopAttempt } from './attempt.ts';
import { LEASE_LOST, logEnd, type RunEnd, toEnding } from './ending.ts';
import {
  type Failure,
  PREEMPTED,
  STOPPED,
  TIMED_OUT,
  toFailure,
  UNAVAILABLE,
  UnknownCategory,
  WorkerInterrupted,
} from './failures.ts';
import { type JobLog, Leases } from './leases.ts';
import type { RunOutput } from './messages.ts';
import { DEFAULT_TIMINGS, type JobTimings } from './timings.ts';
import { WorkerPool } from './worker-pool.ts';

export interface RunnerOptions {
  engine: Engine;
  /** Concurrent runs; by default one per core. With 0 this process leaves all runs to others. */
  workers?: number | undefined;
  timings?: Partial<JobTimings> | undefined;
  log: JobLog;
  /** Called at the end of each attempt. */
  onEnd?: ((end: RunEnd) => void) | undefined;
}

export class Runner {
  readonly #engine: Engine;
  readonly #slots: number;
  readonly #timings: JobTimings;
  readonly #log: JobLog;
  readonly #onEnd: (end: RunEnd) => void;
  readonly #leases: Leases;
  readonly #pool: WorkerPool;
  /** By attempt, not by run: one that lost its lease may overlap with the next of the same run. */
  readonly #attempts = new Set<Attempt>();
  readonly #draining = new AbortController();
  readonly #stopped = new AbortController();
  #timers: NodeJS.Timeout[] = [];
  #unsubscribes: (() => void)[] = [];
  #claiming: Promise<void> | undefined;
  #claimAgain = false;
  #checking = false;
  #pausedUntil = 0;
  #backoffMs: number;

  constructor({ engine, workers = availableParallelism(), timings, log, onEnd }: RunnerOptions) {
    this.#engine = engine;
    this.#slots = workers;
    this.#timings = { ...DEFAULT_TIMINGS, ...timings };
    this.#log = log;
    this.#onEnd = onEnd ?? (() => {});
    this.#leases = new Leases({ engine, timings: this.#timings, log, stopped: this.#stopped.signal });
    this.#pool = new WorkerPool(this.#timings.maxIdleMs);
    this.#backoffMs = this.#timings.minBackoffMs;
  }

  async start(): Promise<void> {
    await this.#leases.expireAbandoned();
    await this.#leases.discardFindings();
    const { pollIntervalMs, checkIntervalMs } = this.#timings;
    const { notifications } = this.#engine;
    const poll = () => void this.#poll();
    const check = () => void this.#check();
    this.#timers = [setInterval(poll, pollIntervalMs).unref(), setInterval(check, checkIntervalMs).unref()];
    this.#unsubscribes = [notifications.subscribe('queue', poll), notifications.subscribe('ended', check)];
    poll();
  }

  /** Aborted when the process begins to stop: requests that wait for a run are to be answered. */
  get draining(): AbortSignal {
    return this.#draining.signal;
  }

  get load(): { running: number; slots: number } {
    return { running: this.#attempts.size, slots: this.#slots };
  }

  /** Claims nothing more, and ends the waiting for runs. */
  drain(): void {
    this.#draining.abort();
  }

  /** Stops the running attempts and releases their runs, for another process or the next start. */
  async stop(): Promise<void> {
    this.drain();
    for (const unsubscribe of this.#unsubscribes) unsubscribe();
    for (const timer of this.#timers) clearInterval(timer);
    await this.#claiming;
    this.#pool.close();
    const attempts = [...this.#attempts];
    // Before retrying is aborted: an attempt that is stopped has not failed.
    for (const attempt of attempts) stopAttempt(attempt, toEnding(STOPPED));
    this.#stopped.abort();
    await Promise.all(
      attempts.map(async (attempt) => {
        await attempt.finished;
        await this.#leases.release(attempt, STOPPED);
      }),
    );
  }

  get #canClaim(): boolean {
    const paused = performance.now() < this.#pausedUntil;
    return !paused && !this.#draining.signal.aborted && this.#attempts.size < this.#slots;
  }

  async #poll(): Promise<void> {
    this.#pool.killIdle();
    if (this.#canClaim && (await this.#leases.hasClaimable())) this.#claimAll();
    else if (this.#attempts.size > 0 && this.#attempts.size >= this.#slots) await this.#preempt();
  }

  /** With all slots taken, returns a run to the queue if its client has several and another none. */
  async #preempt(): Promise<void> {
    const attempt = await this.#leases.findPreemptible([...this.#attempts]);
    if (attempt?.state !== 'computing' || this.#draining.signal.aborted) return;
    stopAttempt(attempt, toEnding(PREEMPTED));
    await this.#leases.release(attempt, PREEMPTED);
  }

  /** Claims runs until none is left or all slots are taken. Concurrent calls are coalesced. */
  #claimAll(): void {
    this.#claimAgain = true;
    this.#claiming ??= this.#claimWhilePossible().finally(() => {
      this.#claiming = undefined;
    });
  }

  async #claimWhilePossible(): Promise<void> {
    while (this.#claimAgain && this.#canClaim) {
      this.#claimAgain = false;
      const attempt = await this.#leases.claim();
      if (!attempt) continue;
      this.#claimAgain = true;
      this.#attempts.add(attempt);
      attempt.finished = this.#execute(attempt).finally(() => {
        this.#attempts.delete(attempt);
        this.#claimAll();
      });
    }
  }

  /** Never rejects: an error is the outcome of the attempt. */
  async #execute(attempt: Attempt): Promise<void> {
    try {
      const output = await this.#compute(attempt);
      attempt.state = 'storing';
      const stored = await this.#leases.finish(attempt, output);
      this.#backoffMs = this.#timings.minBackoffMs;
      this.#pool.release(attempt.worker!);
      this.#report(attempt, { ending: stored ? { outcome: 'succeeded' } : LEASE_LOST, output });
    } catch (error) {
      attempt.worker?.kill();
      if (attempt.state !== 'ended') await this.#fail(attempt, error as Error);
      this.#report(attempt, { ending: attempt.ending! });
    }
  }

  async #fail(attempt: Attempt, error: Error): Promise<void> {
    const failure = toFailure(error);
    const outcome = failure.reason;
    const isDefect = outcome === 'failed' && !(error instanceof UnknownCategory);
    attempt.ending = { outcome, ...(isDefect ? { error } : { reason: error.message }) };
    if (failure === UNAVAILABLE) this.#leases.warnUnavailable({ reason: error.message });
    await this.#abandon(attempt, failure);
  }

  async #compute(attempt: Attempt): Promise<RunOutput> {
    attempt.worker = this.#pool.acquire();
    const request = { reader: this.#engine.reader, run: attempt.run };
    const output = await attempt.worker.run(request, (share, question_count) => {
      attempt.progress = Math.floor(share * 1000);
      attempt.question_count = question_count;
    });
    if (attempt.state === 'ended') throw new WorkerInterrupted('the attempt was stopped');
    return output;
  }

  /** Ends an attempt without a result, and pauses before the next claim: the cause may persist. */
  async #abandon(attempt: Attempt, failure: Failure): Promise<void> {
    const { minBackoffMs, maxBackoffMs } = this.#timings;
    stopAttempt(attempt, toEnding(failure));
    this.#pausedUntil = performance.now() + this.#backoffMs;
    this.#backoffMs = failure === UNAVAILABLE ? Math.min(2 * this.#backoffMs, maxBackoffMs) : minBackoffMs;
    await this.#leases.release(attempt, failure);
  }

  async #check(): Promise<void> {
    if (this.#checking) return;
    this.#checking = true;
    const computing = [...this.#attempts].filter(({ state }) => state === 'computing');
    await this.#leases.heartbeat(computing);
    const startedBefore = performance.now() - this.#timings.maxRunMs;
    for (const attempt of computing)
      if (attempt.state === 'computing' && attempt.startedAt < startedBefore)
        await this.#abandon(attempt, TIMED_OUT);
    this.#checking = false;
  }

  #report(attempt: Attempt, end: Parameters<typeof logEnd>[2]): void {
    this.#onEnd(logEnd(this.#log, attempt, end));
  }
}
