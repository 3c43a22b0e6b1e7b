/**
 * The process in which analyses are computed: it can be killed at any moment, and it cannot hold up requests. Runs come one
 * after the other; it reads the bank through a connection of its own and hands what it found to whoever started it.
 */
import { enableCompileCache } from 'node:module';
import { constants, setPriority } from 'node:os';
import { findAnalysis } from '../analyses/index.ts';
import { openReader } from '../engines/index.ts';
import { ApiError } from '../errors.ts';
import type { Run } from '../store/analyses/row.ts';
import type { Reader, ReaderSpec } from '../store/db.ts';
import { type Done, execute } from './execute.ts';

export interface Job {
  reader: ReaderSpec;
  run: Run;
}

/** What a worker says. A result's blocks go one by one, so that a large one is not one long message. */
export type Report =
  | { kind: 'progress'; share: number; question_count: number }
  | { kind: 'block'; result: number; lines: Uint8Array }
  | { kind: 'done'; done: Done }
  /** `again`: why it may go better the next time. The stack is without its message, which may quote a question. */
  | { kind: 'failed'; again: 'away' | 'refused' | undefined; name: string; stack: string };

enableCompileCache();
try {
  // Requests go first.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
} catch {
  // Not everywhere allowed, and not needed for the result.
}

const say = (report: Report) => void process.send!(report);

let reader: Reader | undefined;

async function work({ reader: spec, run }: Job): Promise<void> {
  try {
    reader ??= await openReader(spec);
    const done = await execute(findAnalysis(run.type)!, reader.db, run, {
      progress: (share, question_count) => say({ kind: 'progress', share, question_count }),
    });
    for (const [result, { blocks }] of done.results.entries())
      for (const lines of blocks) say({ kind: 'block', result, lines });
    const results = done.results.map((result) => ({ ...result, blocks: [] }));
    say({ kind: 'done', done: { ...done, results } });
  } catch (error) {
    const { name, stack = '' } = error as Error;
    const frames = stack.split('\n').filter((line) => /^ {4}at /.test(line));
    const refused = error instanceof ApiError ? 'refused' : undefined;
    const again = refused && (error as ApiError).code === 'unavailable' ? 'away' : refused;
    say({ kind: 'failed', again, name, stack: frames.join('\n') });
  }
}

process.on('message', (job: Job) => void work(job));
// Whoever started it is gone, and with it the lease.
process.on('disconnect', () => process.exit());
// These reach a whole group of processes at once; when to end is for whoever started it to say.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
