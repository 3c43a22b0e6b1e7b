/**
 * Executes bulk changes (store/changes/): claims one under a lease and advances it chunk by chunk.
 * Each chunk is a short write that gives way to single writes, and renews the lease. Changes that
 * wait take turns; imports run to their end (import-execution.ts). Every process that runs analyses
 * has one runner for imports and one for other changes.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, isUnavailable } from '../errors.ts';
import { advanceChange } from '../store/changes/advance.ts';
import {
  type ChangeClass,
  type ChangeState,
  claimChange,
  hasWaitingChange,
  releaseChange,
} from '../store/changes/queue.ts';
import type { Engine } from '../store/db.ts';
import { ImportReaders } from '../transfer/import-reader.ts';
import { ImportExecution } from './import-execution.ts';
import type { JobLog } from './leases.ts';
import { DEFAULT_TIMINGS, type JobTimings } from './timings.ts';

/** Makes a chunk a large write, which gives way to short ones (engines/write-queue.ts). */
const CHUNK_WRITE_BYTES = 256 * 1024;

interface ChangeRunnerOptions {
  engine: Engine;
  /** Default: all changes but imports. */
  of?: ChangeClass | undefined;
  timings?: Partial<JobTimings> | undefined;
  log: JobLog;
}

export class ChangeRunner {
  readonly #engine: Engine;
  readonly #timings: JobTimings;
  readonly #log: JobLog;
  readonly #of: ChangeClass;
  readonly #importReaders: ImportReaders;
  readonly #stopped = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #unsubscribe: (() => void) | undefined;
  #running: Promise<void> | undefined;
  #nextWarningAt = 0;

  constructor({ engine, of = 'others', timings, log }: ChangeRunnerOptions) {
    this.#of = of;
    this.#engine = engine;
    this.#timings = { ...DEFAULT_TIMINGS, ...timings };
    this.#importReaders = new ImportReaders(this.#timings.maxIdleMs);
    this.#log = log;
  }

  start(): void {
    const poll = () => this.#poll();
    this.#timer = setInterval(poll, this.#timings.pollIntervalMs).unref();
    this.#unsubscribe = this.#engine.notifications.subscribe('changes', poll);
    poll();
  }

  /** Ends after the current chunk; the change is queued for another process or the next start. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    clearInterval(this.#timer);
    this.#unsubscribe?.();
    await this.#running;
    await this.#importReaders.end();
  }

  #poll(): void {
    this.#running ??= this.#runAll()
      .catch((error) => this.#warn(error))
      .finally(() => {
        this.#running = undefined;
      });
  }

  async #runAll(): Promise<void> {
    while (!this.#stopped.signal.aborted && (await this.#hasWaiting())) {
      const lease = randomUUID();
      const { leaseMs: durationMs } = this.#timings;
      const claim = { lease, durationMs, alone: !this.#engine.shared, of: this.#of };
      const state = await this.#engine.write(claimChange, claim);
      if (state) await this.#execute(state, lease);
    }
  }

  /** This runner executes one change at a time: when it asks, none is its own. */
  #hasWaiting(): Promise<boolean> {
    return hasWaitingChange(this.#engine.db, !this.#engine.shared, this.#of);
  }

  /** Executes a change until it ends, or until others wait and its turn is over. */
  async #execute(claimed: ChangeState, lease: string): Promise<void> {
    const { id } = claimed;
    const turnEndsAt = performance.now() + this.#timings.changeTurnMs;
    let state: ChangeState | undefined = claimed;
    let execution: ImportExecution | undefined;
    try {
      execution = this.#of === 'imports' ? await this.#openImport(id, lease) : undefined;
      while (state && !state.ended && !this.#stopped.signal.aborted) {
        state = await (execution ? execution.advance(state) : this.#advance(state, lease));
        // An import would read its file again from the beginning.
        if (!execution && performance.now() > turnEndsAt && (await this.#isAwaited())) break;
      }
      if (state && !state.ended) await this.#engine.write(releaseChange, { id, lease });
      else if (state) this.#log.info({ change: id }, 'bulk change ended');
    } catch (error) {
      await this.#fail(error, { id, lease });
    } finally {
      await execution?.close().catch((error) => this.#warn(error));
    }
  }

  /** Whether another change waits. */
  #isAwaited(): Promise<boolean> {
    return hasWaitingChange(this.#engine.db, false, this.#of);
  }

  #openImport(id: string, lease: string): Promise<ImportExecution> {
    const { leaseMs, renewIntervalMs } = this.#timings;
    const [engine, readers] = [this.#engine, this.#importReaders];
    return ImportExecution.open({ engine, readers, id, lease, leaseMs, renewIntervalMs });
  }

  #advance(state: ChangeState, lease: string): Promise<ChangeState | undefined> {
    const advance = { id: state.id, lease, durationMs: this.#timings.leaseMs, from: state };
    return this.#engine.write(advanceChange, advance, { bytes: CHUNK_WRITE_BYTES });
  }

  /** While the database is unavailable, the lease expires, and the change is claimed again. */
  async #fail(error: unknown, key: { id: string; lease: string }): Promise<void> {
    if (isUnavailable(error) || this.#stopped.signal.aborted) {
      this.#warn(error);
      await this.#engine.write(releaseChange, key).catch(() => {});
      await sleep(this.#timings.minBackoffMs, undefined, { signal: this.#stopped.signal }).catch(() => {});
      return;
    }
    this.#log.error({ change: key.id, err: error }, 'bulk change failed');
    const problem =
      error instanceof ApiError
        ? { code: error.code, detail: error.message }
        : {
            code: 'internal',
            detail: 'An internal error occurred. Quote the id of the change to find it in the log.',
          };
    await this.#engine.write(releaseChange, { ...key, error: problem });
  }

  #warn(error: unknown): void {
    if (this.#stopped.signal.aborted || Date.now() < this.#nextWarningAt) return;
    this.#nextWarningAt = Date.now() + this.#timings.warningIntervalMs;
    this.#log.warn({ err: error }, 'database unavailable, bulk changes are waiting');
  }
}
