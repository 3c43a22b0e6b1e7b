/**
 * Measures the latency of the counts by facet of a large bank with many tags: of a filter for the
 * first time, while it is cached, and after a write.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CATEGORIES, generateQuestion, WORDS } from './seed.ts';
import { type Access, fetchBytes, fetchTotal, post, startService } from './service.ts';
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
const BATCH_QUESTIONS = 1000;

/** Adds tags of which each is on as many questions: the worst case for finding the most frequent. */
function generateTagged(n: number) {
  const question = generateQuestion(n);
  const added = new Set([...question.tags, `tag ${n % tags}`, `tag ${(7 * n) % tags}`]);
  return { ...question, tags: [...added] };
}

async function seedTagged(access: Access, first: number): Promise<void> {
  for (let at = first; at < questions; at += BATCH_QUESTIONS) {
    const length = Math.min(BATCH_QUESTIONS, questions - at);
    const batch = Array.from({ length }, (_, i) => generateTagged(at + i));
    await fetchBytes(access, '/questions', post(batch));
  }
}

const FILTERS: Record<string, string> = {
  'no filter': '',
  category: `category=${CATEGORIES[4]}`,
  'two categories, difficulty': `category=${CATEGORIES[0]}&category=${CATEGORIES[4]}&difficulty=1`,
  'missing explanation': 'missing=explanation',
  'not a tag': 'not_tag=tag+1',
  'q=common': 'q=common',
  'q of a rare word': `q=${WORDS[4000]}`,
};

async function measureOnce(access: Access, path: string): Promise<number> {
  const began = performance.now();
  await fetchBytes(access, path);
  return performance.now() - began;
}

await runBenchmark(async (stack) => {
  const reused = !values.postgres && values.data && existsSync(join(values.data, 'quaestor.db'));
  const service = await startService(stack, values);
  await seedTagged(service, reused ? await fetchTotal(service, '/questions?limit=1') : 0);
  const results: Record<string, { cold: number; cached: number[]; other: number[]; afterWrite: number[] }> =
    {};
  for (const [name, query] of Object.entries(FILTERS)) {
    const path = `/questions/facets?${query}`;
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
    `Counts by facet of ${format.integer(questions)} questions with ${format.integer(tags)} tags on ${engine}, ms;`,
  );
  console.log(`medians of ${rounds} rounds\n`);
  const rows = Object.entries(results).map(([name, { cold, cached, other, afterWrite }]) => [
    name,
    ...[cold, median(cached), median(other), median(afterWrite)].map(format.ms),
  ]);
  console.log(format.table(['', 'first', 'cached', 'computed', 'after a write'], rows));
  writeResults(`facets-${engine.toLowerCase()}`, { questions, tags, rounds, results });
});
