/** Measures the check for duplicates of new questions in a large bank, by `validate_only`. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { generateQuestion, seed } from './seed.ts';
import { fetchJson, fetchTotal, post, type Service, startService } from './service.ts';
import { format, quantile, runBenchmark, waitUntilIdle, writeResults } from './tools.ts';

const { values } = parseArgs({
  options: {
    questions: { type: 'string', default: '1000000' },
    requests: { type: 'string', default: '200' },
    postgres: { type: 'boolean', default: false },
    database: { type: 'string' },
    data: { type: 'string' },
  },
});
const [questions, requests] = [Number(values.questions), Number(values.requests)];
const BATCH_QUESTIONS = 1000;
/** Spreads the questions that are asked again over the bank. */
const STEP = 103_951;

type Input = ReturnType<typeof generateQuestion>;

const pickStored = (i: number) => generateQuestion((i * STEP) % questions);

function changeWords(question: Input, change: (words: string[]) => string[]): Input {
  return { ...question, question_text: change(question.question_text.split(' ')).join(' ') };
}

const dropLetter = (word: string) => word.slice(0, 2) + word.slice(3);

const TEXTS: Record<string, (i: number) => Input> = {
  identical: pickStored,
  'one word less': (i) => changeWords(pickStored(i), (words) => words.toSpliced(2 + (i % 8), 1)),
  'one typo': (i) =>
    changeWords(pickStored(i), (words) => {
      const at = words.indexOf(words.toSorted((a, b) => b.length - a.length)[0]!);
      return words.with(at, dropLetter(words[at]!));
    }),
  new: (i) => generateQuestion(2 * questions + i),
};

/** The CPU time of the service in ms; Linux only. */
function readCpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

interface Check {
  complete: boolean;
  matches: { class: string }[];
}

async function check(service: Service, body: Input | Input[], checks = true): Promise<Check[]> {
  const path = `/questions?validate_only=true&check_duplicates=${checks}`;
  return (await fetchJson(service, path, post(body))).duplicates ?? [];
}

const isFound = ({ matches }: Check) => matches.some((match) => match.class === 'duplicate');

async function measure(service: Service, make: (i: number) => Input, checks = true) {
  await waitUntilIdle();
  const times = new Float64Array(requests);
  let found = 0;
  const cpu = readCpuMs(service.pid);
  for (let i = 0; i < requests; i++) {
    const began = performance.now();
    const [result] = await check(service, make(i), checks);
    times[i] = performance.now() - began;
    if (result && isFound(result)) found++;
  }
  times.sort();
  return {
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    cpu: (readCpuMs(service.pid) - cpu) / requests,
    found,
  };
}

await runBenchmark(async (stack) => {
  const service = await startService(stack, values);
  const isKept = values.database ?? (values.data && existsSync(join(values.data, 'quaestor.db')));
  await seed(service, questions, isKept ? await fetchTotal(service, '/questions?limit=1') : 0);

  const began = performance.now();
  await check(service, pickStored(0));
  const first = performance.now() - began;
  // The second search thread draws its sample, and the JIT compilers warm up.
  for (let i = 0; i < 50; i++) await check(service, pickStored(i));

  const results = { 'without the check': await measure(service, pickStored, false) };
  for (const [name, make] of Object.entries(TEXTS))
    Object.assign(results, { [name]: await measure(service, make) });

  const batch = Array.from({ length: BATCH_QUESTIONS }, (_, i) => pickStored(i));
  const batchBegan = performance.now();
  const checks = await check(service, batch);
  const batchMs = performance.now() - batchBegan;

  const engine = values.postgres || values.database ? 'PostgreSQL' : 'SQLite';
  console.log(`validate_only with ${format.integer(questions)} questions on ${engine}: one connection\n`);
  console.log(
    format.table(
      ['', 'p50 ms', 'p99 ms', 'cpu ms', 'found'],
      Object.entries(results).map(([name, { p50, p99, cpu, found }]) => [
        name,
        ...[p50, p99, cpu].map(format.ms),
        `${found} of ${requests}`,
      ]),
    ),
  );
  const complete = checks.filter((result) => result.complete).length;
  console.log(`\nFirst request: ${format.ms(first)} ms`);
  console.log(
    `Batch of ${format.integer(BATCH_QUESTIONS)}: ${format.ms(batchMs)} ms, ${complete} checked, ${checks.filter(isFound).length} found`,
  );
  writeResults(`duplicate-check-${engine.toLowerCase()}`, {
    questions,
    requests,
    results,
    first,
    batchMs,
    complete,
  });
});
