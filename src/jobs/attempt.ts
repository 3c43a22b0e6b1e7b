/** One attempt at a run, from the claim until what came of it is written down. */
import type { Run } from '../store/analyses/row.ts';
import type { WorkerProcess } from './process.ts';

/** How often progress is written down. */
const TELL_EVERY = 500;

export interface Attempt {
  run: Run;
  /** What it is held under. */
  lease: string;
  worker: WorkerProcess | undefined;
  /** Thousandths, and the number of questions once it is known. */
  progress: number;
  question_count: number | undefined;
  /** What was last written down, and when; and when the lease was last renewed. */
  told: { progress: number; at: number };
  renewed: number;
  began: number;
  /** `storing`: its worker is done. `over`: nobody wants it any more, and what its worker says is not heard. */
  state: 'computing' | 'storing' | 'over';
  finished: Promise<void>;
}

export function newAttempt(run: Run, lease: string): Attempt {
  const now = performance.now();
  return {
    run,
    lease,
    worker: undefined,
    progress: 0,
    question_count: undefined,
    told: { progress: 0, at: now },
    renewed: now,
    began: now,
    state: 'computing',
    finished: Promise.resolve(),
  };
}

/** Whatever it is at, it stops. What is being stored is not held up: the database decides whether it still counts. */
export function end(attempt: Attempt): void {
  if (attempt.state === 'computing') attempt.worker?.kill();
  attempt.state = 'over';
}

export const isNews = ({ progress, told }: Attempt, now: number) =>
  progress !== told.progress && now - told.at > TELL_EVERY;

export const held = ({ run, lease }: Attempt) => ({ id: run.id, lease });
