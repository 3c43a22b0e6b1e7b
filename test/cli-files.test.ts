/** `quaestor import` and `export`, on a data folder and through a running service. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { listen, openService } from './support/engines.ts';
import { removeFolder, tempFolder } from './support/folders.ts';
import { INHERITED } from './support/process.ts';
import { until } from './support/until.ts';

const PROGRAM = new URL('../src/cli/main.ts', import.meta.url).pathname;
const GIFT =
  '$CATEGORY: science\n\nWhat is H2O? {=water ~salt ~sand}\n\n$CATEGORY: Atlantis\n\nWho sank? {=it ~he}\n\nBroken {=a\n';

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

function run(args: string[], env: Record<string, string>, input?: string): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [PROGRAM, ...args],
      { env: { ...INHERITED, ...env } },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
    child.stdin!.end(input);
  });
}

const targets = {
  'a data folder': async () => {
    const folder = tempFolder();
    return { env: { QUAESTOR_DATA_DIR: folder }, close: async () => removeFolder(folder) };
  },
  'a running service': async () => {
    const service = await openService('sqlite');
    const { url, token } = await listen(service);
    return { env: { QUAESTOR_URL: url, QUAESTOR_KEY: token }, close: () => service.close() };
  },
};

for (const [name, open] of Object.entries(targets)) {
  describe(`the program, on ${name}`, async () => {
    const files = tempFolder();
    const { env, close } = await open();
    after(async () => {
      await close();
      removeFolder(files);
    });
    const path = (file: string) => join(files, file);

    it('imports a file, says what was rejected, writes the rejects, and imports them again', async () => {
      writeFileSync(path('a.gift'), GIFT);
      const args = ['import', path('a.gift'), '--difficulty', '1', '--rejects', path('rejects.gift')];
      const dry = await run([...args, '--dry-run', '--json'], env);
      assert.equal(dry.code, 1, dry.stderr);
      const report = JSON.parse(dry.stdout);
      assert.deepEqual([report.created, report.rejected, report.format], [1, 2, 'gift']);
      const done = await run(args, env);
      assert.equal(done.code, 1);
      assert.match(done.stdout, /^Imported: 1 created, 0 updated, 0 unchanged, 0 skipped, 2 rejected/);
      assert.match(done.stdout, /1 × rejected, brace_error: /);
      const rejects = readFileSync(path('rejects.gift'), 'utf8');
      assert.ok(rejects.includes('Who sank?') && rejects.includes('Broken {=a'), rejects);
      writeFileSync(path('again.gift'), rejects.replace('Broken {=a', 'Broken {=a ~b}'));
      const again = await run(
        ['import', path('again.gift'), '--difficulty', '1', '--category', 'Science'],
        env,
      );
      assert.deepEqual([again.code, /2 created/.test(again.stdout)], [0, true], again.stdout + again.stderr);
      const skipped = await run(
        ['import', '-', '--format', 'gift', '--difficulty', '1', '--map', 'Atlantis=Science', '--json'],
        env,
        GIFT,
      );
      assert.equal(JSON.parse(skipped.stdout).skipped, 2, skipped.stderr);
    });

    it('exports to a file and to standard output, and says what is lost', async () => {
      const csv = await run(['export', path('b.csv')], env);
      assert.equal(csv.code, 0, csv.stderr);
      assert.match(csv.stdout, /as csv/);
      assert.match(readFileSync(path('b.csv'), 'utf8'), /What is H2O\?/);
      const piped = await run(['export', '--filter', 'q=water'], env);
      assert.equal(JSON.parse(piped.stdout).question_text, 'What is H2O?');
      assert.equal(piped.stderr, '');
      const aiken = await run(['export', path('b.aiken')], env);
      assert.match(aiken.stderr, /3 × fields_not_written/);
    });

    it('2: refuses wrong arguments, and leaves no file', async () => {
      for (const [args, message] of [
        [['import'], /quaestor import FILE/],
        [['import', path('none.csv')], /none\.csv does not exist/],
        [['import', path('a.gift'), '--mode', 'some'], /mode must be/],
        [['import', path('a.gift'), '--map', 'x'], /--map must be/],
        [['export', path('c.docx')], /Name the format/],
        [['export', path('c.csv'), '--format', 'docx'], /--format must be one of/],
      ] as const) {
        const { code, stderr } = await run([...args], env);
        assert.deepEqual([code, message.test(stderr)], [2, true], stderr);
      }
      const filtered = await run(['export', path('c.csv'), '--filter', 'category=nowhere'], env);
      assert.notEqual(filtered.code, 0);
      assert.ok(!existsSync(path('c.csv')));
    });
  });
}

describe('the program, interrupted', () => {
  it('undoes what it has imported', async () => {
    const folder = tempFolder();
    const service = await openService('sqlite');
    const { url, token } = await listen(service);
    const rows = Array.from({ length: 30_000 }, (_, i) => `Long ${i}?,yes,Science,1`);
    const file = join(folder, 'long.csv');
    writeFileSync(file, `question,answer,category,difficulty\n${rows.join('\n')}\n`);
    const env = { ...INHERITED, QUAESTOR_URL: url, QUAESTOR_KEY: token };
    const child = spawn(process.execPath, [PROGRAM, 'import', file], { env });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const messages = child.stderr.setEncoding('utf8').toArray();
    await until('some questions', async () => {
      const { total } = (await service.call('GET', '/questions?limit=1')).body.pagination;
      return total > 0;
    });
    child.kill('SIGINT');
    assert.equal(await ended, 130);
    assert.equal((await messages).join(''), 'Interrupted: what had been imported is undone.\n');
    assert.equal((await service.call('GET', '/questions?limit=1')).body.pagination.total, 0);
    await service.close();
    removeFolder(folder);
  });
});
