/** The end of an attempt: its outcome, and what it took. Logged, and measured by /metrics. */
import type { Attempt } from './attempt.ts';
import type { Failure } from './failures.ts';
import type { JobLog } from './leases.ts';
import type { RunOutput } from './messages.ts';

/**
 * `interrupted`: the worker process ended, and the run is queued again unless this was its last
 * attempt. `released`: the run is queued again, and this does not count as an attempt. `lease_lost`:
 * the run was cancelled, or another process has claimed it.
 */
type Outcome = 'succeeded' | Failure['reason'] | 'lease_lost';

export interface Ending {
  outcome: Outcome;
  /** Why there is no result. */
  reason?: string;
  /** An error of the analysis itself, to be logged with its stack. */
  error?: Error;
}

export interface RunEnd {
  analysis_type: string;
  outcome: Outcome;
  seconds: number;
}

export const LEASE_LOST: Ending = {
  outcome: 'lease_lost',
  reason: 'The run was cancelled, or another process has claimed it.',
};

export const toEnding = ({ reason, error }: Failure): Ending => ({ outcome: reason, reason: error.detail });

/** Logs one line for an attempt that has ended. `output` is absent if it has no result. */
export function logEnd(
  log: JobLog,
  attempt: Attempt,
  { ending, output }: { ending: Ending; output?: RunOutput },
): RunEnd {
  const { run, startedAt, worker } = attempt;
  const durationMs = Math.round(performance.now() - startedAt);
  const now = Date.now();
  const details = {
    analysis_id: run.id,
    analysis_type: run.type,
    outcome: ending.outcome,
    started_at: new Date(now - durationMs).toISOString(),
    finished_at: new Date(now).toISOString(),
    ms: durationMs,
    questions: output?.question_count ?? attempt.question_count,
    responses: output?.response_count,
    rows: output?.results[0]?.items,
    worker_max_rss_bytes: worker?.maxRssBytes,
    reason: ending.reason,
    err: ending.error,
  };
  const { outcome, error } = ending;
  const level = error ? 'error' : outcome === 'failed' || outcome === 'interrupted' ? 'warn' : 'info';
  log[level](details, 'analysis ended');
  return { analysis_type: run.type, outcome, seconds: durationMs / 1000 };
}
