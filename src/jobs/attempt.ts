/** One attempt at a run, from the claim until its end is stored. */
import type { Run } from '../store/analyses/row.ts';
import type { Ending } from './ending.ts';
import type { WorkerProcess } from './worker-process.ts';

export interface Attempt {
  readonly run: Run;
  readonly lease: string;
  worker: WorkerProcess | undefined;
  /** In thousandths. */
  progress: number;
  /** Undefined until the worker has selected the questions. */
  question_count: number | undefined;
  /** The progress that was stored last, and when. */
  stored: { progress: number; at: number };
  renewedAt: number;
  readonly startedAt: number;
  /** `storing`: the worker is done. `ended`: stopped; its worker's messages are ignored. */
  state: 'computing' | 'storing' | 'ended';
  /** Undefined until the attempt is stopped. */
  ending: Ending | undefined;
  finished: Promise<void>;
}

export function createAttempt(run: Run, lease: string): Attempt {
  const now = performance.now();
  return {
    run,
    lease,
    worker: undefined,
    progress: 0,
    question_count: undefined,
    stored: { progress: 0, at: now },
    renewedAt: now,
    startedAt: now,
    state: 'computing',
    ending: undefined,
    finished: Promise.resolve(),
  };
}

/** Kills the worker. Storing a result is not interrupted: the database checks the lease. */
export function stopAttempt(attempt: Attempt, ending: Ending): void {
  if (attempt.state === 'computing') attempt.worker?.kill();
  attempt.state = 'ended';
  attempt.ending ??= ending;
}
