/**
 * Job leases. A lease is the right of this process to execute one attempt at a run: claimed with
 * the run, renewed by a heartbeat while the worker computes, given up when the run is finished or
 * released. A lease that is not renewed expires, and another process claims the run. The end of a
 * run is stored only under its lease (store/analyses/queue.ts), so an attempt that has lost its
 * lease cannot overwrite what the next one stores.
 */
import { randomUUID } from 'node:crypto';
import { analyses } from '../analyses/index.ts';
import { retry } from '../concurrency/retry.ts';
import { isUnavailable } from '../errors.ts';
import {
  claimAnalysis,
  expireLeases,
  findPreemptible,
  findValidLeases,
  finishAnalysis,
  hasClaimable,
  releaseAnalysis,
  renewLease,
} from '../store/analyses/queue.ts';
import type { Command, Engine } from '../store/db.ts';
import { discardFindings } from '../store/findings/finding-sets.ts';
import { type Attempt, createAttempt, stopAttempt } from './attempt.ts';
import { LEASE_LOST } from './ending.ts';
import type { Failure } from './failures.ts';
import type { RunOutput } from './messages.ts';
import type { JobTimings } from './timings.ts';

export interface JobLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

interface LeasesOptions {
  engine: Engine;
  timings: JobTimings;
  log: JobLog;
  /** Ends all retrying when it is aborted. */
  stopped: AbortSignal;
}

export class Leases {
  readonly #engine: Engine;
  readonly #timings: JobTimings;
  readonly #log: JobLog;
  readonly #stopped: AbortSignal;
  /** The lease of a claim that failed: the database may have committed it all the same. */
  #uncertain: string | undefined;
  #nextWarningAt = 0;

  constructor({ engine, timings, log, stopped }: LeasesOptions) {
    this.#engine = engine;
    this.#timings = timings;
    this.#log = log;
    this.#stopped = stopped;
  }

  /** Without other processes on the bank, all leases were left by a process that died. */
  async expireAbandoned(): Promise<void> {
    if (!this.#engine.shared) await this.#tolerate(() => this.#engine.write(expireLeases, null));
  }

  /** Results of other versions of an analysis have no findings any more. */
  async discardFindings(): Promise<void> {
    const current = analyses.map(({ type, version }) => ({ type, version }));
    await this.#tolerate(() => this.#engine.write(discardFindings, current));
  }

  async hasClaimable(): Promise<boolean> {
    return (await this.#tolerate(() => hasClaimable(this.#engine.db))) ?? false;
  }

  /** The attempt among these that has to give way to another client. */
  async findPreemptible(attempts: Attempt[]): Promise<Attempt | undefined> {
    const lease = await this.#tolerate(() => findPreemptible(this.#engine.db, this.#timings.preemptAfterMs));
    return attempts.find((attempt) => attempt.lease === lease);
  }

  /** Claims the next run. Undefined if there is none, or if the database is unavailable. */
  async claim(): Promise<Attempt | undefined> {
    const lease = this.#uncertain ?? randomUUID();
    const claim = { lease, durationMs: this.#timings.leaseMs, repeated: this.#uncertain !== undefined };
    this.#uncertain = lease;
    const claimed = await this.#tolerate(async () => ({
      run: await this.#engine.write(claimAnalysis, claim),
    }));
    if (claimed) this.#uncertain = undefined;
    return claimed?.run && createAttempt(claimed.run, lease);
  }

  /** Stops the attempts whose lease is lost, renews the leases that are due and stores progress. */
  async heartbeat(attempts: Attempt[]): Promise<void> {
    if (attempts.length === 0) return;
    const valid = await this.#tolerate(() => findValidLeases(this.#engine.db, attempts.map(toKey)));
    for (const attempt of attempts) {
      if (attempt.state !== 'computing') continue;
      if (valid && !valid.has(attempt.lease)) stopAttempt(attempt, LEASE_LOST);
      else if (this.#isDue(attempt)) await this.#renew(attempt);
    }
  }

  #isDue({ progress, stored, renewedAt }: Attempt): boolean {
    const now = performance.now();
    const progressed = progress !== stored.progress && now - stored.at > this.#timings.progressIntervalMs;
    return progressed || now - renewedAt > this.#timings.renewIntervalMs;
  }

  async #renew(attempt: Attempt): Promise<void> {
    const { progress, question_count } = attempt;
    const renewal = { ...toKey(attempt), durationMs: this.#timings.leaseMs, progress, question_count };
    attempt.stored = { progress, at: performance.now() };
    const renewed = await this.#tolerate(() => this.#engine.write(renewLease, renewal));
    if (renewed) attempt.renewedAt = performance.now();
    else if (renewed === false && attempt.state === 'computing') stopAttempt(attempt, LEASE_LOST);
  }

  /** Stores the result; false if the lease was lost. */
  finish(attempt: Attempt, { response_count: _, ...output }: RunOutput): Promise<boolean> {
    return this.#retry(finishAnalysis, { ...toKey(attempt), ...output });
  }

  /** Ends the lease of an attempt without a result. Never rejects: otherwise the lease expires. */
  async release(attempt: Attempt, failure: Failure): Promise<void> {
    await this.#tolerate(() => this.#retry(releaseAnalysis, { ...toKey(attempt), ...failure }));
  }

  /** Logs that the database keeps runs from being executed, once in a while. */
  warnUnavailable(details: object): void {
    if (Date.now() < this.#nextWarningAt) return;
    this.#nextWarningAt = Date.now() + this.#timings.warningIntervalMs;
    this.#log.warn(details, 'database unavailable, analyses are waiting');
  }

  /** Retries while the database is unavailable: an outage must not discard a computed result. */
  #retry<A, R>(command: Command<A, R>, args: A): Promise<R> {
    return retry(() => this.#engine.write(command, args), {
      forMs: this.#timings.maxRetryMs,
      delayMs: this.#timings.retryIntervalMs,
      when: isUnavailable,
      signal: this.#stopped,
    });
  }

  /** Logs an error and returns undefined: the caller tries again at its next interval. */
  async #tolerate<R>(work: () => Promise<R>): Promise<R | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!this.#stopped.aborted) this.warnUnavailable({ err: error });
      return undefined;
    }
  }
}

const toKey = ({ run, lease }: Attempt) => ({ id: run.id, lease });
