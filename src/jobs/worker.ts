/**
 * The main module of a worker process, in which analyses are computed: it can be killed at any
 * moment, and it does not delay requests. It executes one run at a time, reads the bank through its
 * own connection, and sends the output to its parent.
 */
import { constants, setPriority } from 'node:os';
import { findAnalysis } from '../analyses/index.ts';
import { openReader } from '../engines/index.ts';
import { ApiError } from '../errors.ts';
import type { Reader, ReaderSpec } from '../store/db.ts';
import { execute } from './execute.ts';
import type { RunRequest, WorkerMessage, WorkerReport } from './messages.ts';

try {
  // Requests have priority over analyses.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
} catch {
  // Not every system allows it, and results do not depend on it.
}

function send(report: WorkerReport): void {
  const message: WorkerMessage = { ...report, rss_bytes: process.memoryUsage.rss() };
  process.send!(message);
}

/** A part has up to 64 KiB. */
const PARTS_PER_MESSAGE = 32;

let reader: { spec: string; opened: Reader } | undefined;

/** Opens the bank, again if its server has changed in a failover. */
async function openBank(spec: ReaderSpec): Promise<Reader> {
  const text = JSON.stringify(spec);
  if (reader?.spec !== text) {
    await reader?.opened.close();
    reader = { spec: text, opened: await openReader(spec) };
  }
  return reader.opened;
}

async function handle({ reader: spec, run }: RunRequest): Promise<void> {
  try {
    const { db } = await openBank(spec);
    const output = await execute(findAnalysis(run.type)!, db, run, (share, question_count) =>
      send({ kind: 'progress', share, question_count }),
    );
    for (const [result, { blocks, index }] of output.results.entries()) {
      for (const lines of blocks) send({ kind: 'block', result, lines });
      for (let i = 0; i < index.length; i += PARTS_PER_MESSAGE)
        send({ kind: 'index', result, parts: index.slice(i, i + PARTS_PER_MESSAGE) });
    }
    const results = output.results.map((result) => ({ ...result, blocks: [], index: [] }));
    send({ kind: 'done', output: { ...output, results } });
  } catch (error) {
    const { name, stack = '' } = error as Error;
    const frames = stack.split('\n').filter((line) => /^ {4}at /.test(line));
    send({ kind: 'failed', cause: classify(error), name, stack: frames.join('\n') });
  }
}

function classify(error: unknown): Extract<WorkerMessage, { kind: 'failed' }>['cause'] {
  if (!(error instanceof ApiError)) return 'analysis';
  if (error.errors?.some(({ code }) => code === 'unknown_category')) return 'category';
  // Narrower than isUnavailable: a query that is too slow would be too slow again, so it counts as
  // an attempt.
  return error.code === 'unavailable' ? 'unavailable' : 'refused';
}

process.on('message', (request: RunRequest) => void handle(request));
// The parent has died, and its lease will expire.
process.on('disconnect', () => process.exit());
// A terminal sends these to the whole process group; the parent decides when a worker ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
