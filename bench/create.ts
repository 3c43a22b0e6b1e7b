/** Measures durable creates: one question per request, and many per request. */
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Measured, startLoad } from './load.ts';
import { generateQuestion } from './seed.ts';
import { fetchBytes, post, type Server, startBare, startService, temporaryFolder } from './service.ts';
import { format, median, runBenchmark, waitUntilIdle, writeResults } from './tools.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '64' },
    postgres: { type: 'boolean', default: false },
    profile: { type: 'string' },
    /** Only targets whose name has this prefix. */
    only: { type: 'string', default: '' },
  },
});
const [rounds, seconds, connections] = [
  Number(values.rounds),
  Number(values.seconds),
  Number(values.connections),
];
const BULK_QUESTIONS = 1000;

/**
 * Measures `fdatasync` calls per second: the upper bound for one client that waits for each create.
 */
function measureSyncsPerSecond(folder: string): number {
  const path = join(folder, 'sync');
  const file = openSync(path, 'w');
  const page = Buffer.alloc(4096, 1);
  const began = performance.now();
  let n = 0;
  for (; performance.now() - began < 300; n++) {
    writeSync(file, page);
    fdatasyncSync(file);
  }
  closeSync(file);
  rmSync(path);
  return (n / (performance.now() - began)) * 1000;
}

await runBenchmark(async (stack) => {
  const service = await startService(stack, values);
  const { authorization } = service;
  const scratch = temporaryFolder(stack);
  const bare = await startBare(stack, {
    POST: await fetchBytes(service, '/questions', post(generateQuestion(0))),
  });
  const load = startLoad(stack);

  const targets: Record<string, { server: Server; connections: number; size: number }> = {
    [`bare, ${connections} connections`]: { server: bare, connections, size: 1 },
    [`single, ${connections} connections`]: { server: service, connections, size: 1 },
    'bare, 1 connection': { server: bare, connections: 1, size: 1 },
    'single, 1 connection': { server: service, connections: 1, size: 1 },
    [`bulk of ${format.integer(BULK_QUESTIONS)}, 2 connections`]: {
      server: service,
      connections: 2,
      size: BULK_QUESTIONS,
    },
  };
  const chosen = Object.entries(targets).filter(([name]) => name.startsWith(values.only));
  const measured: Record<string, Measured[]> = {};
  const syncs: number[] = [];
  let first = 1;
  for (let round = 0; round <= rounds; round++) {
    syncs.push(measureSyncsPerSecond(scratch));
    // The order alternates between rounds.
    for (const [name, { server, connections, size }] of round % 2 === 0 ? chosen : chosen.toReversed()) {
      await waitUntilIdle();
      const result = await load.run(server, { connections, seconds, authorization, create: { size, first } });
      first += result.sent * size;
      // The first round warms up the JIT compilers.
      measured[name] ??= [];
      if (round > 0) measured[name].push(result);
    }
  }

  const engine = values.postgres ? 'PostgreSQL' : 'SQLite';
  const rate = (name: string, pick = (list: number[]) => median(list)) =>
    pick((measured[name] ?? []).map((each) => each.perSecond * targets[name]!.size));
  console.log(`Creating on ${engine}: ${rounds} interleaved rounds of ${seconds} s; medians.`);
  console.log(`The disk completes ${format.integer(median(syncs))} fdatasync calls per second.\n`);
  const rows = chosen.map(([name]) => {
    const list = measured[name]!;
    const baseline = name.startsWith('single') ? measured[name.replace('single', 'bare')] : undefined;
    const ratios = baseline?.map((each, i) => list[i]!.perSecond / each.perSecond);
    return [
      name,
      format.integer(rate(name)),
      format.integer(rate(name, (each) => Math.min(...each))),
      format.integer(rate(name, (each) => Math.max(...each))),
      ratios ? format.ratio(median(ratios)) : '',
      format.integer(median(list.map((each) => each.cpu)) / targets[name]!.size),
      format.ms(median(list.map((each) => each.p50))),
      format.ms(median(list.map((each) => each.p99))),
      format.integer(100 * median(list.map((each) => each.busy))),
      format.integer(list.reduce((sum, each) => sum + each.errors, 0)),
    ];
  });
  const head = ['', 'questions/s', 'min', 'max', 'ratio', 'cpu µs', 'p50 ms', 'p99 ms', 'busy %', 'errors'];
  console.log(format.table(head, rows));
  writeResults(`create-${engine.toLowerCase()}`, { rounds, seconds, syncs, measured });
});
