/**
 * Measures each analysis of a whole bank: its duration, the memory of its worker process, and its
 * effect on the latency of reads. A light load of reads runs before, during and after the analysis.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { analyses } from '../src/analyses/index.ts';
import { listWorkers } from '../test/support/workers.ts';
import { type Load, startLoad } from './load.ts';
import { seed } from './seed.ts';
import { fetchJson, fetchTotal, post, type Service, startService } from './service.ts';
import { format, median, runBenchmark, waitUntilIdle, writeResults } from './tools.ts';

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

/** The 99th percentile of the latency of reads, in milliseconds. */
async function measureP99(load: Load, service: Service, paths: string[]): Promise<number> {
  const job = { connections, seconds, authorization: service.authorization };
  const result = await load.run(service, { ...job, get: paths.map((path) => ({ path })) });
  if (result.errors > 0) throw new Error('A read failed.');
  return result.p99;
}

/** The peak resident memory of the largest of the processes, in MB. */
function readPeakMemory(pids: number[]): number {
  const peaks = pids.map((pid) => {
    try {
      return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
    } catch {
      return 0;
    }
  });
  return Math.max(0, ...peaks);
}

interface Measurement {
  type: string;
  seconds: number;
  peakMb: number;
  items: number;
  /** The 99th percentiles of reads without and during the analysis, in milliseconds. */
  idleP99: number[];
  busyP99: number[];
}

async function measure(load: Load, service: Service, paths: string[], type: string): Promise<Measurement> {
  await waitUntilIdle();
  const idleP99 = [await measureP99(load, service, paths), await measureP99(load, service, paths)];
  const began = performance.now();
  const started = post({ analysis_type: type });
  const headers = { ...started.headers, prefer: 'respond-async' };
  const { id } = await fetchJson(service, '/analysis/run', { ...started, headers });
  const busyP99: number[] = [];
  let peakMb = 0;
  for (;;) {
    busyP99.push(await measureP99(load, service, paths));
    peakMb = Math.max(peakMb, readPeakMemory(listWorkers(service.pid)));
    const run = await fetchJson(service, `/analysis/${id}?limit=1`);
    if (run.status === 'queued' || run.status === 'running') continue;
    if (run.status !== 'succeeded') throw new Error(JSON.stringify(run.error));
    const runSeconds = (Date.parse(run.finished_at) - Date.parse(run.started_at)) / 1000;
    const observedSeconds = (performance.now() - began) / 1000;
    console.error(`  ${type}: ${runSeconds} s, observed after ${format.integer(observedSeconds)} s`);
    idleP99.push(await measureP99(load, service, paths));
    const { total: items } = run.result.pagination;
    return { type, seconds: runSeconds, peakMb, items, idleP99, busyP99 };
  }
}

await runBenchmark(async (stack) => {
  const reused = !values.postgres && values.data && existsSync(join(values.data, 'quaestor.db'));
  const service = await startService(stack, values);
  await seed(service, questions, reused ? await fetchTotal(service, '/questions?limit=1') : 0);
  const load = startLoad(stack);
  const [question] = (await fetchJson(service, `/questions?offset=${questions >> 1}&limit=1`)).data;
  const paths = [
    '/questions?limit=20',
    `/questions/${question.id}`,
    '/questions?category=science&difficulty=1&limit=20',
  ];
  const measurements: Measurement[] = [];
  for (const type of values.types.split(',')) measurements.push(await measure(load, service, paths, type));
  console.log(
    format.table(
      ['analysis', 'seconds', 'questions/s', 'worker MB', 'rows', 'p99 idle', 'p99 busy', 'ratio'],
      measurements.map(({ type, seconds, peakMb, items, idleP99, busyP99 }) => [
        type,
        seconds.toFixed(1),
        format.integer(questions / seconds),
        format.integer(peakMb),
        format.integer(items),
        format.ms(median(idleP99)),
        format.ms(median(busyP99)),
        format.ratio(median(busyP99) / median(idleP99)),
      ]),
    ),
  );
  writeResults('analysis', { questions, measurements, engine: values.postgres ? 'PostgreSQL' : 'SQLite' });
});
