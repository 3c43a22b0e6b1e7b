/**
 * Measures the latency of the first, middle and last page of a large bank, for many filters and
 * searches.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Load, startLoad } from './load.ts';
import { generateQuestion, getTopic, seed, TAGS, WORDS } from './seed.ts';
import {
  type Access,
  fetchBytes,
  fetchJson,
  fetchTotal,
  post,
  type Service,
  startService,
} from './service.ts';
import { format, median, runBenchmark, waitUntilIdle, writeResults } from './tools.ts';

const { values } = parseArgs({
  options: {
    questions: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '7' },
    requests: { type: 'string', default: '15' },
    postgres: { type: 'boolean', default: false },
    data: { type: 'string' },
  },
});
const [questions, rounds, requests] = [
  Number(values.questions),
  Number(values.rounds),
  Number(values.requests),
];
const PAGE_SIZE = 20;

const LISTS: Record<string, string> = {
  'no filter': '',
  category: 'category=Science',
  difficulty: 'difficulty=1',
  'category, difficulty': 'category=Science&difficulty=1',
  tag: `tag=${TAGS[0]}`,
  'tag, category': `tag=${TAGS[0]}&category=Science`,
  'rare tag': `tag=${TAGS[150]}`,
  'two tags': `tag=${TAGS[0]}&tag=${TAGS[1]}`,
  topic: `topic_focus=${getTopic(4, 0)}`,
  'newest first': 'sort=-created_at',
  'by update': 'sort=updated_at',
  'by update, newest first': 'sort=-updated_at',
  'q=common': 'q=common',
  'q=common, category': 'q=common&category=Science',
  'q=common, newest first': 'q=common&sort=-created_at',
  'q=common, relevance': 'q=common&sort=relevance',
  'q of a rarer word': `q=${WORDS[400]}`,
  'q of two words': `q=common+${WORDS[20]}`,
  'q with a prefix': `q=${WORDS[0]!.slice(0, 3)}*`,
};

type Position = 'first' | 'middle' | 'last';

interface Target {
  name: string;
  position: Position;
  /** Each is requested once per round, so that no page is cached. */
  paths: string[];
  /**
   * Latencies in ms: the first request with this filter, the median of each round, the first after
   * a write.
   */
  cold: number;
  warm: number[];
  afterWrite: number[];
}

const target = (name: string, position: Position, paths: string[]): Target => ({
  name,
  position,
  paths,
  cold: 0,
  warm: [],
  afterWrite: [],
});

async function prepareTargets(
  load: Load,
  service: Service,
): Promise<{ targets: Target[]; totals: Record<string, number> }> {
  const [some] = (await fetchJson(service, `/questions?offset=${questions >> 1}&limit=1`)).data;
  const totals: Record<string, number> = {};
  const targets = [
    target('by id', 'first', [`/questions/${some.id}`]),
    target('categories, counted', 'first', ['/categories']),
  ];
  for (const each of targets) each.cold = await measure(load, service, each, 1);
  for (const [name, query] of Object.entries(LISTS)) {
    const pages = (from: number, step: 1 | -1) =>
      Array.from({ length: requests }, (_, i) =>
        `/questions?${query}&limit=${PAGE_SIZE}&offset=${Math.max(0, from + i * step)}`.replace('?&', '?'),
      );
    const first = target(name, 'first', pages(0, 1));
    // Before any other request with this filter.
    first.cold = await measure(load, service, first, 1);
    const total = await fetchTotal(service, first.paths[0]!);
    totals[name] = total;
    targets.push(
      first,
      target(name, 'middle', pages(total >> 1, 1)),
      target(name, 'last', pages(total - PAGE_SIZE, -1)),
    );
  }
  return { targets, totals };
}

async function measure(
  load: Load,
  service: Service,
  { paths }: Target,
  maxResponses: number,
): Promise<number> {
  const { authorization } = service;
  const one = { connections: 1, seconds: 20, maxResponses, warmup: 0, authorization };
  const { p50, errors } = await load.run(service, { ...one, get: paths.map((path) => ({ path })) });
  if (errors > 0) throw new Error(`${paths[0]} failed.`);
  return p50;
}

/** Creates a question, which invalidates the cached index. */
async function write(access: Access, n: number): Promise<void> {
  await fetchBytes(access, '/questions', post(generateQuestion(n)));
}

await runBenchmark(async (stack) => {
  const reused = !values.postgres && values.data && existsSync(join(values.data, 'quaestor.db'));
  const service = await startService(stack, values);
  const existing = reused ? await fetchTotal(service, '/questions?limit=1') : 0;
  const began = performance.now();
  await seed(service, questions, existing);
  const took = (performance.now() - began) / 1000;
  if (existing < questions)
    console.error(
      `Seeded in ${format.integer(took)} s: ${format.integer((questions - existing) / took)} questions/s`,
    );

  const load = startLoad(stack);
  const { targets, totals } = await prepareTargets(load, service);
  for (let round = 0; round < rounds; round++) {
    await waitUntilIdle();
    for (const each of round % 2 === 0 ? targets : targets.toReversed()) {
      each.warm.push(await measure(load, service, each, requests));
      await write(service, questions + round);
      each.afterWrite.push(await measure(load, service, each, 1));
    }
  }

  const engine = values.postgres ? 'PostgreSQL' : 'SQLite';
  console.log(
    `Pages of ${PAGE_SIZE} from ${format.integer(questions)} questions on ${engine}: one connection, ms;`,
  );
  console.log(`medians of ${rounds} interleaved rounds of ${requests} requests\n`);
  const rows = [...Map.groupBy(targets, ({ name }) => name)].map(([name, list]) => {
    const at = (position: Position) => list.find((each) => each.position === position);
    const warm = (position: Position) => (at(position) ? median(at(position)!.warm) : undefined);
    const [first, middle, last] = [warm('first')!, warm('middle'), warm('last')];
    const write = (position: Position) => (at(position) ? format.ms(median(at(position)!.afterWrite)) : '');
    return [
      name,
      totals[name] === undefined ? '' : format.integer(totals[name]),
      format.ms(first),
      middle ? format.ms(middle) : '',
      last ? format.ms(last) : '',
      last ? (last / first).toFixed(2) : '',
      write('first'),
      write('last'),
      format.ms(at('first')!.cold),
    ];
  });
  const head = ['', 'total', 'first', 'middle', 'last', 'last/first', 'first+w', 'last+w', 'cold'];
  console.log(format.table(head, rows));
  console.log('\n+w: the first request after a write; cold: the first request with this filter');
  writeResults(`pages-${engine.toLowerCase()}`, {
    questions,
    rounds,
    requests,
    seededIn: took,
    totals,
    targets,
  });
});
