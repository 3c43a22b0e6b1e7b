/**
 * Measures responses through the API: durable recording, 10,000 per request, with concurrent
 * readers; then lists and analyses of all of them. Abilities and questions are simulated
 * deterministically.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { mulberry32 } from '../test/support/random.ts';
import { startLoad } from './load.ts';
import { generateQuestions } from './seed.ts';
import {
  fetchBytes,
  fetchJson,
  fetchTotal,
  post,
  readCpuSeconds,
  type Service,
  startService,
} from './service.ts';
import { format, median, runBenchmark, writeResults } from './tools.ts';

const { values } = parseArgs({
  options: {
    responses: { type: 'string', default: '1000000' },
    questions: { type: 'string', default: '50' },
    types: { type: 'string', default: 'item_statistics,reliability,irt,difficulty_audit,dif' },
    data: { type: 'string' },
    postgres: { type: 'boolean', default: false },
    profile: { type: 'string' },
  },
});
const [responses, questions] = [Number(values.responses), Number(values.questions)];
const BATCH_RESPONSES = 10_000;

/** Simulates responses by a Rasch-like model: logit = 3 · ability + ease. */
function simulateBatch(first: number, ids: string[]) {
  const random = mulberry32(first + 1);
  const people = BATCH_RESPONSES / questions;
  return Array.from({ length: BATCH_RESPONSES }, (_, i) => {
    const person = first / questions + Math.floor(i / questions);
    const ability = ((person * 7919) % people) / people - 0.5;
    const ease = ((i % questions) * 4) / questions - 2;
    const right = random() < 1 / (1 + Math.exp(-(3 * ability + ease)));
    return {
      question_id: ids[i % questions],
      respondent: `respondent-${person}`,
      session: 'exam',
      group: person % 2 === 0 ? 'even' : 'odd',
      answer: right ? `answer ${i % questions}` : `option ${i % 3} of ${i % questions}`,
    };
  });
}

async function createQuestions(service: Service): Promise<string[]> {
  const body = generateQuestions(1, questions).map((question: object, i: number) => ({
    ...question,
    external_id: `answered ${i}`,
    correct_answer: `answer ${i}`,
    incorrect_answers: [0, 1, 2].map((n) => `option ${n} of ${i}`),
  }));
  const { data } = await fetchJson(service, '/questions', post(body));
  return data.map(({ id }: { id: string }) => id);
}

async function measureMedian(times: number, work: () => Promise<unknown>): Promise<number> {
  const took: number[] = [];
  for (let i = 0; i < times; i++) {
    const began = performance.now();
    await work();
    took.push(performance.now() - began);
  }
  return median(took);
}

await runBenchmark(async (stack) => {
  const reused = !values.postgres && values.data && existsSync(join(values.data, 'quaestor.db'));
  const service = await startService(stack, values);
  const load = startLoad(stack);
  const { authorization } = service;
  const reading = { connections: 2, seconds: 1, authorization, get: [{ path: '/questions?limit=20' }] };
  const alone = (await load.run(service, reading)).p99;
  if (!reused) {
    const ids = await createQuestions(service);
    const began = performance.now();
    const cpu = readCpuSeconds(service);
    const busy: number[] = [];
    let recorded = 0;
    let next = 0;
    const send = async () => {
      while (next < responses) {
        const first = next;
        next += BATCH_RESPONSES;
        await fetchBytes(service, '/responses', post(simulateBatch(first, ids)));
        recorded += BATCH_RESPONSES;
      }
    };
    const readers = async () => {
      while (recorded < responses) busy.push((await load.run(service, reading)).p99);
    };
    await Promise.all([send(), send(), readers()]);
    const seconds = (performance.now() - began) / 1000;
    console.log(
      `${format.integer(responses)} responses recorded: ${format.integer(responses / seconds)} a second, ` +
        `${((1e6 * (readCpuSeconds(service) - cpu)) / responses).toFixed(1)} µs of CPU each (readers included).`,
    );
    console.log(
      `p99 of a page meanwhile ${format.ms(median(busy))} ms, alone ${format.ms(alone)} ms, ratio ${format.ratio(median(busy) / alone)}.\n`,
    );
  }
  const [{ question_id }] = (await fetchJson(service, '/responses?limit=1')).data;
  const total = await fetchTotal(service, '/responses?limit=1');
  const paths = [
    '/responses?limit=20',
    `/responses?limit=20&offset=${total >> 1}`,
    '/responses?limit=1000',
    `/responses?limit=20&question_id=${question_id}`,
    `/responses?limit=20&question_id=${question_id}&group=odd`,
    '/responses?limit=20&respondent=respondent-7',
    '/responses?limit=20&session=exam',
  ];
  const lists = [];
  for (const path of paths) {
    const took = await measureMedian(5, () => fetchBytes(service, path));
    lists.push([path.replace(question_id, '…'), format.ms(took)]);
  }
  console.log(format.table([`lists of ${format.integer(total)}`, 'ms'], lists));
  const analyses = [];
  for (const type of values.types.split(',').filter(Boolean)) {
    const { id } = await fetchJson(service, '/analysis/run', {
      ...post({ analysis_type: type }),
      headers: { 'content-type': 'application/json', prefer: 'respond-async' },
    });
    for (;;) {
      const run = await fetchJson(service, `/analysis/${id}?limit=1`);
      if (run.status === 'failed') throw new Error(JSON.stringify(run.error));
      if (run.status === 'succeeded') {
        analyses.push([type, ((Date.parse(run.finished_at) - Date.parse(run.started_at)) / 1000).toFixed(1)]);
        break;
      }
      await load.run(service, reading);
    }
  }
  console.log(`\n${format.table(['analysis', 'seconds'], analyses)}`);
  writeResults('responses', { responses, questions, lists, analyses });
});
