/** The program as npm packs it, installed below node_modules, where Node strips no types. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { buildConsole } from '../../console/build.ts';
import { removeFolder, tempFolder } from '../support/folders.ts';
import { startService } from '../support/process.ts';
import { until } from '../support/until.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** Installs the tarball; the dependencies are links to those of this folder. */
function install(folder: string): string {
  const options = { cwd: ROOT, encoding: 'utf8', shell: process.platform === 'win32' } as const;
  const [tarball] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--offline', '--pack-destination', folder], {
      ...options,
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
  const modules = join(folder, 'node_modules');
  const target = join(modules, 'quaestor');
  mkdirSync(target, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, tarball.filename), '-C', target, '--strip-components=1']);
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (!name.startsWith('.')) symlinkSync(join(ROOT, 'node_modules', name), join(modules, name), 'junction');
  return target;
}

describe('the packed program', () => {
  const folder = tempFolder();
  after(() => removeFolder(folder));
  const target = install(folder);
  const program = join(target, 'quaestor.mjs');
  const dataDir = join(folder, 'data');
  const quaestor = (...args: string[]) =>
    execFileSync(process.execPath, [program, ...args], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env.PATH!, QUAESTOR_DATA_DIR: dataDir },
    });

  it('contains what it needs, and no tests', () => {
    const names = readdirSync(target);
    for (const name of ['src', 'console', 'docs', 'README.md', 'LICENSE'])
      assert.ok(names.includes(name), name);
    for (const name of ['test', 'bench', 'torture', 'data']) assert.ok(!names.includes(name), name);
    const { private: isPrivate, bin } = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8'));
    assert.equal(isPrivate, undefined);
    assert.ok(existsSync(join(target, bin.quaestor)));
  });

  it('prints its version, and imports a file in a thread', () => {
    assert.match(quaestor('--version'), /^\d+\.\d+\.\d+\n$/);
    const file = join(folder, 'a.csv');
    writeFileSync(
      file,
      'question,answer,category,difficulty\nWhat is the the sea made of?,water,Science,1\n',
    );
    assert.match(quaestor('import', file), /^Imported: 1 created/);
  });

  it('serves the API and the console, and runs an analysis in a worker', async () => {
    const service = await startService({ QUAESTOR_DATA_DIR: dataDir }, [program, 'serve']);
    try {
      const post = await service.fetch('/analysis/run', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ analysis_type: 'quality' }),
      });
      const { id } = (await post.json()) as { id: string };
      const read = async () => (await (await service.fetch(`/analysis/${id}`)).json()) as { status: string };
      const done = await until('the end of the run', async () => {
        const run = await read();
        return ['queued', 'running'].includes(run.status) ? undefined : run;
      });
      assert.equal(done.status, 'succeeded', JSON.stringify(done));
      const page = await (await fetch(`${service.url}/`)).text();
      const [, asset] = /src="(\/console\/assets\/[^"]+\.js)"/.exec(page) ?? assert.fail(page);
      const bytes = Buffer.from(await (await fetch(`${service.url}${asset}`)).arrayBuffer());
      // Hashes in the names depend on the folder, sizes do not.
      const { assets, script } = await buildConsole();
      assert.equal(bytes.length, assets.get(script)!.bytes.length);
    } finally {
      assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null });
    }
    assert.doesNotMatch(service.output(), /Warning/);
  });
});
