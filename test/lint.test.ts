/** `quaestor lint`: flaws and duplicates of files, with their lines, in every report. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { removeFolder, tempFolder } from './support/folders.ts';

const PROGRAM = new URL('../src/cli/main.ts', import.meta.url).pathname;

describe('quaestor lint', () => {
  const folder = tempFolder();
  after(() => removeFolder(folder));
  const write = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const run = (...args: string[]) =>
    new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      execFile(process.execPath, [PROGRAM, 'lint', ...args], (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
      );
    });
  const clean = write('clean.gift', 'Which planet is the largest? {=Jupiter ~Saturn ~Mars ~Venus}\n');
  const flawed = write(
    'flawed.gift',
    [
      'Who wrote the the novel Emma? {=Jane Austen ~Mary Shelley ~George Eliot}',
      'Broken {=a',
      'Which planet is the largest? {=Saturn ~Jupiter ~Mars ~Venus}',
    ].join('\n\n'),
  );

  it('0: finds nothing', async () => {
    assert.deepEqual(await run(clean), { code: 0, stdout: '', stderr: '' });
  });

  it('1: finds flaws, rejected items and duplicates across files, at their lines', async () => {
    const { code, stdout } = await run(clean, flawed, '--report', 'json');
    assert.equal(code, 1);
    const found = JSON.parse(stdout).map(({ file, line, level, rule }: Record<string, unknown>) => [
      file === flawed ? 'flawed' : 'clean',
      line,
      level,
      rule,
    ]);
    assert.deepEqual(found, [
      ['flawed', 1, 'warning', 'doubled_word'],
      ['flawed', 3, 'error', 'brace_error'],
      ['flawed', 5, 'warning', 'conflict'],
    ]);
  });

  it('reports as text, as annotations of GitHub and as SARIF', async () => {
    const [text, github, sarif, again] = await Promise.all([
      run(flawed),
      run(flawed, '--report', 'github'),
      run(flawed, '--report', 'sarif'),
      run(flawed, '--report', 'sarif'),
    ]);
    assert.match(
      text.stdout,
      /flawed\.gift:1: warning doubled_word: .*\n.*flawed\.gift:3:8: error brace_error: /,
    );
    assert.match(text.stdout, /\n2 findings\.\n$/);
    assert.match(github.stdout, /^::warning file=.*flawed\.gift,line=1,title=doubled_word::/);
    assert.match(github.stdout, /\n::error file=.*,line=3,col=8,title=brace_error::/);
    const { version, runs } = JSON.parse(sarif.stdout);
    assert.equal(version, '2.1.0');
    assert.deepEqual(
      runs[0].results.map(({ ruleId, level, locations }: never) => [
        ruleId,
        level,
        (locations as { physicalLocation: { region: { startLine: number } } }[])[0]!.physicalLocation.region
          .startLine,
      ]),
      [
        ['doubled_word', 'warning', 1],
        ['brace_error', 'error', 3],
      ],
    );
    assert.equal(sarif.stdout, again.stdout);
    const major = await run(flawed, '--min-severity', 'major', '--json');
    assert.deepEqual(
      JSON.parse(major.stdout).map(({ rule }: { rule: string }) => rule),
      ['brace_error'],
    );
  });

  it('2: refuses wrong arguments; 3: reports an unreadable file and reads the others', async () => {
    assert.equal((await run()).code, 2);
    assert.equal((await run(flawed, '--report', 'html')).code, 2);
    assert.equal((await run(flawed, '--min-severity', 'high')).code, 2);
    const none = await run(join(folder, 'none.gift'));
    assert.equal(none.code, 2);
    const table = write('table.csv', 'a,b\n1,2\n');
    const { code, stdout } = await run(table, flawed, '--format', 'csv');
    assert.equal(code, 3);
    assert.match(stdout, /table\.csv:1: error no_header: /);
  });
});
