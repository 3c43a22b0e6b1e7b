/**
 * Measures reads of lists and single questions, relative to a bare server that sends the same
 * bytes.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Bodies } from './bare.ts';
import { type Job, type Measured, startLoad } from './load.ts';
import { generateQuestion, seed } from './seed.ts';
import { type Access, fetchBytes, fetchJson, post, type Server, startBare, startService } from './service.ts';
import { format, LOAD_OPTIONS, median, runBenchmark, waitUntilIdle, writeResults } from './tools.ts';

const { values } = parseArgs({
  options: {
    ...LOAD_OPTIONS,
    profile: { type: 'string' },
  },
});
const [questions, rounds, seconds, connections] = [
  Number(values.questions),
  Number(values.rounds),
  Number(values.seconds),
  Number(values.connections),
];

const WRITTEN_TO = 'first page, 50 writes/s';

/** Offsets of more pages than the cache holds, in pseudo-random order. */
const shuffledOffsets = (upTo: number) => Array.from({ length: 5000 }, (_, i) => (i * 7919) % upTo);

/** Creates and deletes a question repeatedly until disposed of. */
function keepWriting(access: Access): AsyncDisposable {
  let going = true;
  const done = (async () => {
    for (let n = 0; going; n++) {
      const { id } = await fetchJson(access, '/questions', post(generateQuestion(n)));
      await sleep(20);
      await fetchBytes(access, `/questions/${id}`, { method: 'DELETE' });
      await sleep(20);
    }
  })();
  return {
    [Symbol.asyncDispose]: () => {
      going = false;
      return done;
    },
  };
}

interface Round {
  bare: number;
  service: number;
  ratio: number;
  bareCpu: number;
  cpu: number;
  p50: number;
  p99: number;
  errors: number;
  busy: number;
}

await runBenchmark(async (stack) => {
  const service = await startService(stack, values);
  const { authorization } = service;
  await seed(service, questions);
  const [some] = (await fetchJson(service, '/questions?offset=4321&limit=1')).data;
  const targets: Record<string, string[]> = {
    'first page': ['/questions?limit=20'],
    [WRITTEN_TO]: ['/questions?limit=20'],
    'category, difficulty': ['/questions?category=Science&difficulty=1&limit=20'],
    'last page': [`/questions?limit=20&offset=${questions - 20}`],
    'all pages, mixed': shuffledOffsets(questions - 20).map(
      (offset) => `/questions?limit=20&offset=${offset}`,
    ),
    'one by its id': [`/questions/${some.id}`],
  };
  const bodies: Bodies = {};
  for (const path of new Set(Object.values(targets).flat())) bodies[path] = await fetchBytes(service, path);
  const bare = await startBare(stack, bodies);
  const load = startLoad(stack);

  const measured: Record<string, Round[]> = {};
  for (let round = 0; round <= rounds; round++) {
    for (const [name, paths] of Object.entries(targets)) {
      const get = paths.map((path) => ({ path, length: bodies[path]!.length }));
      const job: Job = { connections, seconds, authorization, get };
      await waitUntilIdle();
      // The order alternates between rounds.
      const order = round % 2 === 0 ? [bare, service] : [service, bare];
      const results = new Map<Server, Measured>();
      for (const each of order) {
        await using _ = name === WRITTEN_TO && each === service ? keepWriting(service) : undefined;
        results.set(each, await load.run(each, job));
      }
      const [baseline, measurement] = [results.get(bare)!, results.get(service)!];
      // The first round warms up the JIT compilers.
      if (round === 0) continue;
      measured[name] ??= [];
      measured[name].push({
        bare: baseline.perSecond,
        service: measurement.perSecond,
        ratio: measurement.perSecond / baseline.perSecond,
        bareCpu: baseline.cpu,
        cpu: measurement.cpu,
        p50: measurement.p50,
        p99: measurement.p99,
        errors: measurement.errors + baseline.errors,
        busy: baseline.busy,
      });
    }
  }

  const engine = values.postgres ? 'PostgreSQL' : 'SQLite';
  console.log(
    `Reading from ${format.integer(questions)} questions on ${engine}: ${connections} connections,`,
  );
  console.log(`${rounds} interleaved rounds of ${seconds} s; medians\n`);
  const of = (list: Round[], key: keyof Round) => list.map((round) => round[key]);
  const rows = Object.entries(measured).map(([name, list]) => [
    name,
    format.integer(median(targets[name]!.map((path) => bodies[path]!.length))),
    format.integer(median(of(list, 'bare'))),
    format.integer(median(of(list, 'service'))),
    ...format.spread(of(list, 'ratio')),
    format.integer(median(of(list, 'bareCpu'))),
    format.integer(median(of(list, 'cpu'))),
    median(of(list, 'p50')).toFixed(1),
    median(of(list, 'p99')).toFixed(1),
    format.integer(100 * median(of(list, 'busy'))),
    format.integer(of(list, 'errors').reduce((a, b) => a + b)),
  ]);
  const head = [
    '',
    'bytes',
    'bare/s',
    'service/s',
    'ratio',
    'min',
    'max',
    'bare cpu µs',
    'cpu µs',
    'p50 ms',
    'p99 ms',
    'busy %',
    'errors',
  ];
  console.log(format.table(head, rows));
  writeResults(`list-${engine.toLowerCase()}`, { questions, connections, rounds, seconds, measured });
});
