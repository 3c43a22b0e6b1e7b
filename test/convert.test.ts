/** `quaestor convert`: from one file format to another, with what was rejected and lost. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { removeFolder, tempFolder } from './support/folders.ts';

const run = promisify(execFile);
const PROGRAM = new URL('../src/cli/main.ts', import.meta.url).pathname;

describe('quaestor convert', () => {
  const folder = tempFolder();
  after(() => removeFolder(folder));
  const file = (name: string, content?: string) => {
    const path = join(folder, name);
    if (content !== undefined) writeFileSync(path, content);
    return path;
  };
  const convert = async (...args: string[]) => {
    try {
      const { stdout } = await run(process.execPath, [PROGRAM, 'convert', ...args]);
      return { code: 0, stdout, stderr: '' };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { code, stdout, stderr };
    }
  };
  const GIFT =
    '::Q1:: What is the capital of Peru? {=Lima ~Quito ~Bogotá}\n\nWho wrote Emma? {=Jane Austen}\n';

  it('converts through a table and back', async () => {
    const gift = file('a.gift', GIFT);
    const first = await convert(gift, file('a.csv'), '--json');
    assert.equal(first.code, 0, first.stderr);
    const report = JSON.parse(first.stdout);
    assert.deepEqual([report.from, report.to, report.written, report.rejected], ['gift', 'csv', 2, []]);
    assert.deepEqual(
      report.losses.map(({ code }: { code: string }) => code),
      ['name_dropped'],
    );
    assert.equal((await convert(file('a.csv'), file('a.jsonl'))).code, 0);
    const lines = readFileSync(file('a.jsonl'), 'utf8').trim().split('\n');
    const questions = lines.map((line) => JSON.parse(line));
    const [peru, emma] = questions.filter(({ question_text }) => question_text);
    assert.equal(peru.question_text, 'What is the capital of Peru?');
    assert.deepEqual([peru.correct_answer, peru.incorrect_answers], ['Lima', ['Quito', 'Bogotá']]);
    assert.equal(emma.correct_answer, 'Jane Austen');
  });

  it('1: writes the good questions and says what was rejected, and where', async () => {
    const gift = file('b.gift', `${GIFT}\nBroken {=a\n`);
    const { code, stdout } = await convert(gift, file('b.csv'));
    assert.equal(code, 1);
    assert.match(stdout, /^2 questions written as csv, 1 rejected \(read as gift\)\./);
    assert.match(stdout, /1 × brace_error: .*\n {4}line 5, column 8/);
  });

  it('reads standard input and writes standard output, with the report on standard error', () => {
    const TMPDIR = file('temporary');
    mkdirSync(TMPDIR);
    const env = { ...process.env, TMPDIR };
    const args = [PROGRAM, 'convert', '-', '-', '--to', 'jsonl'];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      input: GIFT,
      encoding: 'utf8',
      env,
    });
    assert.equal(status, 0, stderr);
    const lines = stdout.trimEnd().split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).correct_answer),
      ['Lima', 'Jane Austen'],
    );
    assert.match(stderr, /^2 questions written as jsonl, 0 rejected \(read as gift\)\./);
    assert.deepEqual(readdirSync(TMPDIR), []);
  });

  it('2: refuses what it cannot use, and leaves no file', async () => {
    const gift = file('c.gift', GIFT);
    for (const args of [
      [gift],
      [gift, file('c.unknown')],
      [gift, file('c.csv'), '--to', 'word'],
      [gift, file('c.xml'), '--to', 'qti-1.2'],
      [file('missing.gift'), file('c.csv')],
    ]) {
      const { code, stderr } = await convert(...args);
      assert.equal(code, 2, args.join(' '));
      assert.match(stderr, /\nRun quaestor --help for usage\.\n$/);
    }
    for (const name of ['c.csv', 'c.xml', 'c.unknown', 'c.csv.partial'])
      assert.ok(!existsSync(file(name)), name);
  });
});
