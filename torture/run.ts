/** Runs one case with a seed. */
import { createRandom } from '../test/support/random.ts';
import type { TortureCase, TortureForm, TortureReport } from './case.ts';

export interface RunOptions {
  seed: number;
  form: TortureForm;
  /** Multiplies the rounds of the form. */
  scale?: number;
  /** No round is started after this long. */
  maxMs?: number;
  progress?: (done: number, rounds: number) => void;
}

export interface CaseResult extends TortureReport {
  name: string;
  promise: string;
  seed: number;
  planned: number;
  seconds: number;
}

export async function runCase(
  { name, promise, rounds: roundsOf, run }: TortureCase,
  { seed, form, scale = 1, maxMs = Infinity, progress }: RunOptions,
): Promise<CaseResult> {
  const rounds = Math.max(1, Math.round(roundsOf[form] * scale));
  const start = performance.now();
  const report = await run({
    form,
    seed,
    random: createRandom(seed),
    rounds,
    expired: () => performance.now() - start > maxMs,
    progress: (done) => progress?.(done, rounds),
  });
  const seconds = Math.round((performance.now() - start) / 100) / 10;
  return { name, promise, seed, planned: rounds, seconds, ...report };
}
