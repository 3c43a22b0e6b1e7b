/**
 * Measures the latency of the counts by facet and of the attention list, of a large bank with many
 * tags: of a request for the first time, while it is cached, and after a write.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CATEGORIES, generateQuestion, seedDirectly, WORDS } from './seed.ts';
import {
  type Access,
  fetchBytes,
  fetchJson,
  post,
  startDatabase,
  startService,
  temporaryFolder,
} from './service.ts';
import { format, median, runBenchmark, waitUntilIdle, writeResults } from './tools.ts';

const { values } = parseArgs({
  options: {
    questions: { type: 'string', default: '1000000' },
    tags: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '7' },
    postgres: { type: 'boolean', default: false },
    data: { type: 'string' },
  },
});
const [questions, tags, rounds] = [Number(values.questions), Number(values.tags), Number(values.rounds)];
/** The attention list is made from what these found. */
const ANALYSES = ['quality', 'coverage'];
const POLL_INTERVAL_MS = 200;

/** Adds tags of which each is on as many questions: the worst case for finding the most frequent. */
function generateTagged(n: number) {
  const question = generateQuestion(n);
  const added = new Set([...question.tags, `tag ${n % tags}`, `tag ${(7 * n) % tags}`]);
  return { ...question, tags: [...added] };
}

/** Runs an analysis of the whole bank to its end. */
async function runAnalysis(access: Access, analysis_type: string): Promise<void> {
  const { id } = await fetchJson(access, '/analysis/run', post({ analysis_type }));
  for (;;) {
    const { status } = await fetchJson(access, `/analysis/${id}?limit=1`);
    if (status === 'succeeded') return;
    if (status !== 'queued' && status !== 'running') throw new Error(`${analysis_type} has ${status}.`);
    await sleep(POLL_INTERVAL_MS);
  }
}

const PATHS: Record<string, string> = {
  'no filter': '/questions/facets?',
  category: `/questions/facets?category=${CATEGORIES[4]}`,
  'two categories, difficulty': `/questions/facets?category=${CATEGORIES[0]}&category=${CATEGORIES[4]}&difficulty=1`,
  'missing explanation': '/questions/facets?missing=explanation',
  'not a tag': '/questions/facets?not_tag=tag+1',
  'q=common': '/questions/facets?q=common',
  'q of a rare word': `/questions/facets?q=${WORDS[4000]}`,
  attention: '/attention?',
  'attention, one reason': '/attention?reason=major_flaw',
};

async function measureOnce(access: Access, path: string): Promise<number> {
  const began = performance.now();
  await fetchBytes(access, path);
  return performance.now() - began;
}

await runBenchmark(async (stack) => {
  const data = values.data ?? temporaryFolder(stack);
  const database = values.postgres ? await startDatabase(stack) : undefined;
  const began = performance.now();
  await seedDirectly({ dataDir: data, databaseUrl: database }, questions, generateTagged);
  const seedSeconds = (performance.now() - began) / 1000;
  const service = await startService(stack, { data, database });
  for (const type of ANALYSES) await runAnalysis(service, type);
  const results: Record<string, { cold: number; cached: number[]; other: number[]; afterWrite: number[] }> =
    {};
  for (const [name, path] of Object.entries(PATHS)) {
    const result = { cold: 0, cached: [] as number[], other: [] as number[], afterWrite: [] as number[] };
    results[name] = result;
    await waitUntilIdle();
    result.cold = await measureOnce(service, path);
    for (let round = 0; round < rounds; round++) {
      result.cached.push(await measureOnce(service, path));
      // The counts are computed again, from cached sets.
      result.other.push(await measureOnce(service, `${path}&limit=${49 - round}`));
      await fetchBytes(service, '/questions', post(generateTagged(questions + round)));
      result.afterWrite.push(await measureOnce(service, path));
    }
  }
  const engine = values.postgres ? 'PostgreSQL' : 'SQLite';
  console.log(
    `Counts by facet and attention list of ${format.integer(questions)} questions with ${format.integer(tags)} tags on ${engine}, ms;`,
  );
  console.log(`medians of ${rounds} rounds; seeded in ${seedSeconds.toFixed(0)} s\n`);
  const rows = Object.entries(results).map(([name, { cold, cached, other, afterWrite }]) => [
    name,
    ...[cold, median(cached), median(other), median(afterWrite)].map(format.ms),
  ]);
  console.log(format.table(['', 'first', 'cached', 'computed', 'after a write'], rows));
  writeResults(`facets-${engine.toLowerCase()}`, { questions, tags, rounds, seedSeconds, results });
});
