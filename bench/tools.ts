/** Utilities of all benchmarks: cleanup, medians, tables, result files. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Runs a benchmark, and disposes of its stack at the end, also after an error or Ctrl-C. */
export async function runBenchmark(work: (stack: AsyncDisposableStack) => Promise<void>): Promise<void> {
  const stack = new AsyncDisposableStack();
  let ending = false;
  const end = async (code: number) => {
    // Errors during the cleanup are consequences of it.
    if (ending) return;
    ending = true;
    await stack.disposeAsync();
    process.exit(code);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end(130));
  try {
    await work(stack);
    await end(0);
  } catch (error) {
    if (!ending) console.error(error);
    await end(1);
  }
}

export function median(numbers: number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

/** The quantile of numbers in ascending order. */
export const quantile = (sorted: ArrayLike<number>, share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;

/** Rejects if the promise is not settled in time. */
export async function withTimeout<T>(ms: number, label: string, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${label} took longer than ${ms / 1000} s.`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

const idleTime = () => cpus().reduce((sum, { times }) => sum + times.idle, 0);

/** Waits until the machine is mostly idle, at most `maxWaitMs`. */
export async function waitUntilIdle(maxWaitMs = 10_000): Promise<void> {
  for (const began = performance.now(); performance.now() - began < maxWaitMs; ) {
    const [idle, from] = [idleTime(), performance.now()];
    await sleep(250);
    if ((idleTime() - idle) / cpus().length / (performance.now() - from) > 0.85) return;
  }
}

/** Options of the benchmarks that compare the service with a bare server. */
export const LOAD_OPTIONS = {
  questions: { type: 'string', default: '10000' },
  rounds: { type: 'string', default: '15' },
  seconds: { type: 'string', default: '2' },
  connections: { type: 'string', default: '64' },
  postgres: { type: 'boolean', default: false },
} as const;

export const format = {
  integer: (n: number) => Math.round(n).toLocaleString('en'),
  ratio: (n: number) => n.toFixed(3),
  ms: (n: number) => n.toFixed(n < 10 ? 2 : 1),
  /** Median, minimum and maximum, as columns. */
  spread: (ratios: number[]) => [median(ratios), Math.min(...ratios), Math.max(...ratios)].map(format.ratio),
  /** All columns but the first are aligned to the right. */
  table: (head: string[], rows: string[][]): string => {
    const widths = head.map((_, i) => Math.max(...[head, ...rows].map((row) => row[i]!.length)));
    const line = (row: string[]) =>
      row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  ');
    return [line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n');
  },
};

const RESULTS = join(import.meta.dirname, 'results');

/** Writes the results to a JSON file, with the commit and the machine, and prints its path. */
export function writeResults(name: string, results: object): void {
  const at = new Date().toISOString();
  const path = join(RESULTS, `${name}-${at.replaceAll(':', '').slice(0, 17)}.json`);
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version };
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(path, `${JSON.stringify({ at, ...readCommit(), machine, ...results }, null, 2)}\n`);
  console.log(`\nWritten to ${path}`);
}

/** The measured commit; empty outside a repository. */
function readCommit(): { commit?: string; changed?: boolean } {
  const git = (...args: string[]) =>
    execFileSync('git', args, {
      cwd: join(import.meta.dirname, '..'),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  try {
    return {
      commit: git('rev-parse', '--short', 'HEAD'),
      changed: git('status', '--porcelain', '--', 'src') !== '',
    };
  } catch {
    return {};
  }
}
