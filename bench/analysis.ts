/**
 * Analyses of a whole bank: how long each takes, how much memory its worker needs, and what the readers of the API notice of
 * it. A light load of reads runs in turns: alone, while the analysis is under way, and alone again.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { analyses } from '../src/analyses/index.ts';
import { workersOf } from '../test/support/workers.ts';
import { type Load, startLoad } from './load.ts';
import { seed } from './seed.ts';
import { fetchJson, fetchTotal, post, type Service, startService } from './service.ts';
import { bench, keep, median, ms, quiet, ratio, table, whole } from './tools.ts';

const { values } = parseArgs({
  options: {
    questions: { type: 'string', default: '1000000' },
    types: { type: 'string', default: analyses.map(({ type }) => type).join(',') },
    connections: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '1' },
    data: { type: 'string' },
    postgres: { type: 'boolean', default: false },
  },
});
const [questions, connections, seconds] = [
  Number(values.questions),
  Number(values.connections),
  Number(values.seconds),
];

/** A few pages and a single question, as a quiz would ask for them. */
async function p99(load: Load, service: Service, paths: string[]): Promise<number> {
  const job = { connections, seconds, authorization: service.authorization };
  const result = await load.run(service, { ...job, get: paths.map((path) => ({ path })) });
  if (result.errors > 0) throw new Error('A read was refused.');
  return result.p99;
}

/** The most memory that the processes have had at once, in MB. */
function peakOf(pids: number[]): number {
  const peaks = pids.map((pid) => {
    try {
      return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
    } catch {
      return 0;
    }
  });
  return Math.max(0, ...peaks);
}

interface Line {
  type: string;
  took: number;
  peak: number;
  items: number;
  idle: number[];
  busy: number[];
}

async function measure(load: Load, service: Service, paths: string[], type: string): Promise<Line> {
  await quiet();
  const idle = [await p99(load, service, paths), await p99(load, service, paths)];
  const began = performance.now();
  const started = post({ analysis_type: type });
  const headers = { ...started.headers, prefer: 'respond-async' };
  const { id } = await fetchJson(service, '/analysis/run', { ...started, headers });
  const busy: number[] = [];
  let peak = 0;
  for (;;) {
    busy.push(await p99(load, service, paths));
    peak = Math.max(peak, peakOf(workersOf(service.pid)));
    const run = await fetchJson(service, `/analysis/${id}?limit=1`);
    if (run.status === 'queued' || run.status === 'running') continue;
    if (run.status !== 'succeeded') throw new Error(JSON.stringify(run.error));
    const took = (Date.parse(run.finished_at) - Date.parse(run.started_at)) / 1000;
    console.error(
      `  ${type}: ${took} s, ${whole((performance.now() - began) / 1000)} s until it was noticed`,
    );
    idle.push(await p99(load, service, paths));
    return { type, took, peak, items: run.result.pagination.total, idle, busy };
  }
}

await bench(async (stack) => {
  const reused = !values.postgres && values.data && existsSync(join(values.data, 'quaestor.db'));
  const service = await startService(stack, values);
  await seed(service, questions, reused ? await fetchTotal(service, '/questions?limit=1') : 0);
  const load = startLoad(stack);
  const [some] = (await fetchJson(service, `/questions?offset=${questions >> 1}&limit=1`)).data;
  const paths = [
    '/questions?limit=20',
    `/questions/${some.id}`,
    '/questions?category=science&difficulty=1&limit=20',
  ];
  const lines: Line[] = [];
  for (const type of values.types.split(',')) lines.push(await measure(load, service, paths, type));
  console.log(
    table(
      ['analysis', 'seconds', 'questions/s', 'worker MB', 'rows', 'p99 alone', 'p99 meanwhile', 'ratio'],
      lines.map(({ type, took, peak, items, idle, busy }) => [
        type,
        took.toFixed(1),
        whole(questions / took),
        whole(peak),
        whole(items),
        ms(median(idle)),
        ms(median(busy)),
        ratio(median(busy) / median(idle)),
      ]),
    ),
  );
  keep('analysis', { questions, lines, engine: values.postgres ? 'PostgreSQL' : 'SQLite' });
});
