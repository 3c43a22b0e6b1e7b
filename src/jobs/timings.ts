/** The durations that govern the execution of runs, in milliseconds. Tests pass shorter ones. */

/** A process that has not renewed a lease for this long counts as dead. */
const LEASE_MS = 10_000;
const RENEW_INTERVAL_MS = 3_000;
/** Polling finds the runs that no notification announces: those of a process that died. */
const POLL_INTERVAL_MS = 1_000;
/** How often running attempts are checked for a lost lease, for progress and for the time limit. */
const CHECK_INTERVAL_MS = 300;
/** Progress is stored no more often than this. */
const PROGRESS_INTERVAL_MS = 500;
/** A client without a running run waits this long before another client's run gives way. */
const PREEMPT_AFTER_MS = 3_000;
/** A bulk change gives way to another one that waits after this time. */
const CHANGE_TURN_MS = 1_000;
/** A run that takes longer fails. */
const MAX_RUN_MS = 60 * 60 * 1000;
/** The pause before the next claim after a failed attempt; doubles during an outage. */
const MIN_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;
/** How often, and for how long, the end of a run is written again during an outage. */
const RETRY_INTERVAL_MS = 250;
const MAX_RETRY_MS = 120_000;
/** A worker process or a reader of imports that is idle for longer is ended. */
const MAX_IDLE_MS = 60_000;
/** A warning that recurs is logged once in this time. */
const WARNING_INTERVAL_MS = 60_000;

export const DEFAULT_TIMINGS = {
  leaseMs: LEASE_MS,
  renewIntervalMs: RENEW_INTERVAL_MS,
  pollIntervalMs: POLL_INTERVAL_MS,
  checkIntervalMs: CHECK_INTERVAL_MS,
  progressIntervalMs: PROGRESS_INTERVAL_MS,
  preemptAfterMs: PREEMPT_AFTER_MS,
  changeTurnMs: CHANGE_TURN_MS,
  maxRunMs: MAX_RUN_MS,
  minBackoffMs: MIN_BACKOFF_MS,
  maxBackoffMs: MAX_BACKOFF_MS,
  retryIntervalMs: RETRY_INTERVAL_MS,
  maxRetryMs: MAX_RETRY_MS,
  maxIdleMs: MAX_IDLE_MS,
  warningIntervalMs: WARNING_INTERVAL_MS,
};

export type JobTimings = typeof DEFAULT_TIMINGS;
