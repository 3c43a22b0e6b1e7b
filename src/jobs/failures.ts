/** Why an attempt ended without a result, and what that means for its run. */
import { ApiError } from '../errors.ts';
import type { Release } from '../store/analyses/queue.ts';

/** The worker process ended before it reported an outcome. */
export class WorkerInterrupted extends Error {}

/** The worker process could not read the database. */
export class DatabaseUnavailable extends WorkerInterrupted {}

/** The analysis itself threw an error: another attempt would fail in the same way. */
export class AnalysisFailed extends Error {
  constructor(name: string, stack: string) {
    super(name);
    this.name = 'AnalysisFailed';
    this.stack = `${name}\n${stack}`;
  }
}

/** The category of the run's filter was renamed or deleted after the run was queued. */
export class UnknownCategory extends Error {}

export type Failure = Pick<Release, 'reason' | 'error'>;

/** The error of a run that is released is not stored: the run goes on elsewhere. */
const released = (detail: string): Failure => ({ reason: 'released', error: { code: 'released', detail } });
export const STOPPED = released('The service was stopped.');
export const PREEMPTED = released('Another client was waiting.');
/** An outage of the database does not count as an attempt. */
export const UNAVAILABLE = released('The database was unavailable.');

export const TIMED_OUT: Failure = {
  reason: 'failed',
  error: {
    code: 'too_long',
    detail: 'The run exceeded the time limit. It may succeed on fewer questions.',
  },
};

const UNKNOWN_CATEGORY: Failure = {
  reason: 'failed',
  error: {
    code: 'unknown_category',
    detail:
      'The category of the filter was renamed or deleted after the run was queued. Start another run with its current name.',
  },
};

export function toFailure(error: unknown): Failure {
  if (error instanceof UnknownCategory) return UNKNOWN_CATEGORY;
  if (error instanceof DatabaseUnavailable) return UNAVAILABLE;
  if (error instanceof WorkerInterrupted || error instanceof ApiError) {
    const detail = `Every attempt was interrupted: ${error.message}. The run may succeed on fewer questions.`;
    return { reason: 'interrupted', error: { code: 'interrupted', detail } };
  }
  const detail =
    'The analysis failed with an internal error. The log of the service has it under the id of this run.';
  return { reason: 'failed', error: { code: 'internal', detail } };
}
