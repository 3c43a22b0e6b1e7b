/**
 * Measures the CSV reader against csv-parse on the same text, in turns, and the readers of
 * questions. Rates are rows per second of CPU time, which other processes affect least.
 */
import { parseArgs } from 'node:util';
import { parse } from 'csv-parse/sync';
import { csv } from '../src/formats/csv/csv.ts';
import { CsvRecords } from '../src/formats/csv/records.ts';
import type { Format, PortableQuestion } from '../src/formats/format.ts';
import { jsonl } from '../src/formats/json/jsonl.ts';
import { generateQuestion } from './seed.ts';
import { format, runBenchmark, writeResults } from './tools.ts';

const { values } = parseArgs({
  options: { questions: { type: 'string', default: '50000' }, rounds: { type: 'string', default: '5' } },
});
const [questions, rounds] = [Number(values.questions), Number(values.rounds)];
const CHUNK_BYTES = 64 * 1024;
/** A part of the rows has quotation marks and line breaks within values. */
const QUOTED_SHARE = 4;

async function* generate(): AsyncGenerator<PortableQuestion> {
  for (let i = 0; i < questions; i++) {
    const question = generateQuestion(i) as PortableQuestion;
    if (i % QUOTED_SHARE === 0) question.explanation = `"So", he said,\nit is ${i}.`;
    yield question;
  }
}

async function write(target: Format): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of target.write!(generate(), { onNotice() {} })) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const readRecords = (text: string) => {
  const dialect = { delimiter: ',', newline: '\n', skippedLines: 0, width: undefined };
  const records = new CsvRecords(dialect, 2 ** 20);
  let count = 0;
  for (let i = 0; i < text.length; i += CHUNK_BYTES)
    count += records.push(text.slice(i, i + CHUNK_BYTES)).length;
  return count + records.push('', true).length;
};

async function readQuestions(source: Format, bytes: Buffer) {
  const stream = async function* () {
    for (let i = 0; i < bytes.length; i += CHUNK_BYTES) yield bytes.subarray(i, i + CHUNK_BYTES);
  };
  let count = 0;
  for await (const item of source.read!({ stream }, {})) if (item.kind === 'question') count++;
  return count;
}

await runBenchmark(async () => {
  const bytes = await write(csv);
  const text = bytes.toString();
  const lines = await write(jsonl);
  const tasks: Record<string, () => number | Promise<number>> = {
    'csv-parse': () => parse(text, { bom: true }).length,
    'CSV records': () => readRecords(text),
    'CSV questions': () => readQuestions(csv, bytes),
    'JSON Lines': () => readQuestions(jsonl, lines),
  };
  const rates: Record<string, number[]> = {};
  for (let round = 0; round < rounds; round++)
    for (const [name, task] of Object.entries(tasks)) {
      const began = process.cpuUsage();
      const count = await task();
      const { user, system } = process.cpuUsage(began);
      rates[name] = [...(rates[name] ?? []), (1e6 * count) / (user + system)];
    }
  const best = Object.fromEntries(Object.entries(rates).map(([name, list]) => [name, Math.max(...list)]));
  const rows = Object.entries(best).map(([name, rate]) => [
    name,
    format.integer(rate),
    format.ratio(rate / best['csv-parse']!),
  ]);
  console.log(format.table(['reader', 'rows/CPU s', 'x csv-parse'], rows));
  writeResults('csv', { questions, rounds, rates });
});
