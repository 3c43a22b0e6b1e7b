/** What a page costs in a large bank: at its beginning, in its middle and at its end, for many filters and searches. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Load, startLoad } from './load.ts';
import { question, seed, TAGS, topicOf, WORDS } from './seed.ts';
import {
  type Access,
  fetchBytes,
  fetchJson,
  fetchTotal,
  post,
  type Service,
  startService,
} from './service.ts';
import { bench, keep, median, ms, quiet, table, whole } from './tools.ts';

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
const LIMIT = 20;

const LISTS: Record<string, string> = {
  'no filter': '',
  category: 'category=Science',
  difficulty: 'difficulty=1',
  'category, difficulty': 'category=Science&difficulty=1',
  tag: `tag=${TAGS[0]}`,
  'tag, category': `tag=${TAGS[0]}&category=Science`,
  'rare tag': `tag=${TAGS[150]}`,
  'two tags': `tag=${TAGS[0]}&tag=${TAGS[1]}`,
  topic: `topic_focus=${topicOf(4, 0)}`,
  'newest first': 'sort=-created_at',
  'by update': 'sort=updated_at',
  'by update, newest first': 'sort=-updated_at',
  'q=common': 'q=common',
  'q=common, category': 'q=common&category=Science',
  'q=common, newest first': 'q=common&sort=-created_at',
  'q=common, relevance': 'q=common&sort=relevance',
  'q of a rarer word': `q=${WORDS[400]}`,
  'q of two words': `q=common+${WORDS[20]}`,
  'q of a beginning': `q=${WORDS[0]!.slice(0, 3)}*`,
};

type Place = 'first' | 'middle' | 'last';

interface Target {
  name: string;
  place: Place;
  /** Each asked for once in a round, so that no answer is one that was given before. */
  paths: string[];
  /** The first request of all with this filter, each round's median, and the one right after a write, in ms. */
  cold: number;
  warm: number[];
  afterWrite: number[];
}

const target = (name: string, place: Place, paths: string[]): Target => ({
  name,
  place,
  paths,
  cold: 0,
  warm: [],
  afterWrite: [],
});

async function targetsOf(
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
        `/questions?${query}&limit=${LIMIT}&offset=${Math.max(0, from + i * step)}`.replace('?&', '?'),
      );
    const first = target(name, 'first', pages(0, 1));
    // Before anything else asks for this filter.
    first.cold = await measure(load, service, first, 1);
    const total = await fetchTotal(service, first.paths[0]!);
    totals[name] = total;
    targets.push(
      first,
      target(name, 'middle', pages(total >> 1, 1)),
      target(name, 'last', pages(total - LIMIT, -1)),
    );
  }
  return { targets, totals };
}

async function measure(load: Load, service: Service, { paths }: Target, most: number): Promise<number> {
  const { authorization } = service;
  const one = { connections: 1, seconds: 20, most, warmup: 0, authorization };
  const { p50, errors } = await load.run(service, { ...one, get: paths.map((path) => ({ path })) });
  if (errors > 0) throw new Error(`${paths[0]} was refused.`);
  return p50;
}

/** One more question, so that whatever was remembered of the index is out of date. */
async function write(access: Access, n: number): Promise<void> {
  await fetchBytes(access, '/questions', post(question(n)));
}

await bench(async (stack) => {
  const reused = !values.postgres && values.data && existsSync(join(values.data, 'quaestor.db'));
  const service = await startService(stack, values);
  const there = reused ? await fetchTotal(service, '/questions?limit=1') : 0;
  const began = performance.now();
  await seed(service, questions, there);
  const took = (performance.now() - began) / 1000;
  if (there < questions)
    console.error(`Seeded in ${whole(took)} s: ${whole((questions - there) / took)} questions/s`);

  const load = startLoad(stack);
  const { targets, totals } = await targetsOf(load, service);
  for (let round = 0; round < rounds; round++) {
    await quiet();
    for (const each of round % 2 === 0 ? targets : targets.toReversed()) {
      each.warm.push(await measure(load, service, each, requests));
      await write(service, questions + round);
      each.afterWrite.push(await measure(load, service, each, 1));
    }
  }

  const engine = values.postgres ? 'PostgreSQL' : 'SQLite';
  console.log(`Pages of ${LIMIT} from ${whole(questions)} questions on ${engine}: one connection, ms;`);
  console.log(`medians of ${rounds} interleaved rounds of ${requests} requests\n`);
  const rows = [...Map.groupBy(targets, ({ name }) => name)].map(([name, list]) => {
    const at = (place: Place) => list.find((each) => each.place === place);
    const warm = (place: Place) => (at(place) ? median(at(place)!.warm) : undefined);
    const [first, middle, last] = [warm('first')!, warm('middle'), warm('last')];
    const write = (place: Place) => (at(place) ? ms(median(at(place)!.afterWrite)) : '');
    return [
      name,
      totals[name] === undefined ? '' : whole(totals[name]),
      ms(first),
      middle ? ms(middle) : '',
      last ? ms(last) : '',
      last ? (last / first).toFixed(2) : '',
      write('first'),
      write('last'),
      ms(at('first')!.cold),
    ];
  });
  const head = ['', 'total', 'first', 'middle', 'last', 'last/first', 'first+w', 'last+w', 'cold'];
  console.log(table(head, rows));
  console.log('\n+w: the first request after a write; cold: the first one of all with this filter');
  keep(`pages-${engine.toLowerCase()}`, { questions, rounds, requests, seededIn: took, totals, targets });
});
