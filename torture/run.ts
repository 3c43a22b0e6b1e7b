/** Runs one case with a seed. */
import { createRandom } from '../test/support/random.ts';
import type { TortureCase, TortureReport } from './case.ts';

export interface RunOptions {
  seed: number;
  rounds: number;
  /** No round is started after this long. */
  maxMs?: number;
  progress?: (done: number) => void;
}

export interface CaseResult extends TortureReport {
  name: string;
  promise: string;
  seed: number;
  planned: number;
  seconds: number;
}

export async function runCase(
  { name, promise, run }: TortureCase,
  { seed, rounds, maxMs = Infinity, progress = () => {} }: RunOptions,
): Promise<CaseResult> {
  const start = performance.now();
  const report = await run({
    seed,
    random: createRandom(seed),
    rounds,
    expired: () => performance.now() - start > maxMs,
    progress,
  });
  const seconds = Math.round((performance.now() - start) / 100) / 10;
  return { name, promise, seed, planned: rounds, seconds, ...report };
}
