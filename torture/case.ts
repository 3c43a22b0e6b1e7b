/** A torture case: a fault that is repeated with random variations, and the promise it must not break. */
import type { Random } from '../test/support/random.ts';

/** The short form is part of the tests; the long one also checks times, on a quiet machine. */
export type TortureForm = 'short' | 'long';

interface TortureContext {
  readonly form: TortureForm;
  /** Everything random in the case follows from it. */
  readonly seed: number;
  readonly random: Random;
  /** How often the fault is repeated. A case that runs on both engines repeats it on each. */
  readonly rounds: number;
  /** Whether the time of the run is over: no further round is started. */
  expired(): boolean;
  /** Reports the rounds done so far. */
  progress(done: number): void;
}

export interface TortureReport {
  /** Rounds that were run. */
  rounds: number;
  /** Measurements for the report: counts, times with their unit in the name (`ready_ms_max`). */
  figures: Record<string, number>;
  /** Broken promises, one line each. The case fails if there is any. */
  violations: string[];
  /** Why the case could not run on this machine. */
  skipped?: string;
}

export interface TortureCase {
  /** The name on the command line, in kebab-case. */
  name: string;
  /** One sentence: what holds, whatever the case does. */
  promise: string;
  rounds: Record<TortureForm, number>;
  run(context: TortureContext): Promise<TortureReport>;
}
