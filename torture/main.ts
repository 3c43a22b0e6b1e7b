/**
 * Runs the torture catalogue. Prints a table, writes the report as JSON, and exits with 1 if a promise
 * was broken.
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { CASES } from './cases/index.ts';
import { type CaseResult, runCase } from './run.ts';

const USAGE = `npm run torture -- [CASE...] [OPTIONS]

Without a case, the whole catalogue is run.

  --seed N      repeats the run with this seed
  --scale F     multiplies the rounds of each case, such as 0.1
  --minutes M   divides this time between the cases; no round is started after it
  --json FILE   the report (torture-report.json)
  --list        prints the cases and their rounds
  --help        prints this text`;

function parseOptions() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        seed: { type: 'string', default: String(Date.now() % 1_000_000) },
        scale: { type: 'string', default: '1' },
        minutes: { type: 'string' },
        json: { type: 'string', default: 'torture-report.json' },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    process.exit(2);
  }
}

const { values: options, positionals } = parseOptions();
if (options.help) {
  console.log(USAGE);
  process.exit(0);
}

function readNumber(name: 'seed' | 'scale' | 'minutes', text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  console.error(`--${name} must be a positive number.`);
  process.exit(2);
}

function selectCases() {
  const unknown = positionals.filter((name) => !CASES.some((item) => item.name === name));
  if (unknown.length > 0) {
    console.error(`Unknown case: ${unknown.join(', ')}. Cases: ${CASES.map(({ name }) => name).join(', ')}.`);
    process.exit(2);
  }
  return positionals.length === 0 ? CASES : CASES.filter(({ name }) => positionals.includes(name));
}

function getOutcome({ skipped, violations, rounds, planned }: CaseResult): string {
  if (violations.length > 0) return 'BROKEN';
  if (skipped !== undefined) return 'skipped';
  return rounds < planned ? 'held, out of time' : 'held';
}

function printResult(result: CaseResult): void {
  const { name, rounds, planned, seconds, figures, violations, skipped } = result;
  console.log(
    `${name.padEnd(22)} ${getOutcome(result).padEnd(18)} ${rounds}/${planned} rounds, ${seconds} s`,
  );
  for (const [figure, value] of Object.entries(figures)) console.log(`    ${figure.padEnd(36)} ${value}`);
  if (skipped !== undefined) console.log(`    ${skipped}`);
  for (const violation of violations.slice(0, 20)) console.log(`    ! ${violation}`);
}

const cases = selectCases();
if (options.list) {
  for (const { name, promise, rounds } of cases)
    console.log(`${name.padEnd(22)} ${rounds.long} rounds  ${promise}`);
  process.exit(0);
}
const seed = readNumber('seed', options.seed);
const scale = readNumber('scale', options.scale);
const maxMs = options.minutes ? (readNumber('minutes', options.minutes) * 60_000) / cases.length : Infinity;
console.log(`seed ${seed}`);
const results: CaseResult[] = [];
for (const item of cases) {
  const progress = (done: number, rounds: number) => {
    if (process.stderr.isTTY) process.stderr.write(`\r${item.name} ${done}/${rounds} `);
  };
  const result = await runCase(item, { seed, form: 'long', scale, maxMs, progress });
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  printResult(result);
  results.push(result);
  // Rewritten after each case, so that an interrupted run leaves a report.
  writeFileSync(
    options.json,
    `${JSON.stringify({ seed, scale, cores: availableParallelism(), memory: totalmem(), node: process.version, results }, null, 2)}\n`,
  );
}
process.exit(results.some(({ violations }) => violations.length > 0) ? 1 : 0);
