/** run.mjs and quaestor.mjs: signals, the end of the parent process, and the oldest supported Node. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from './support/until.ts';

const ROOT = resolve(import.meta.dirname, '..');
const RUN = join(ROOT, 'run.mjs');
const SKIP_ON_WINDOWS = process.platform === 'win32' && 'Windows has no signals and keeps the parent id';

/** A program that prints its process id, and says so when it is asked to stop. */
const PROGRAM = `
  console.log('pid ' + process.pid);
  process.on('SIGTERM', () => { console.log('stopped'); process.exit(0); });
  setInterval(() => {}, 1000);
`;
/** Starts run.mjs as its child, with its own output and environment. */
const PARENT = `
  require('node:child_process').spawn(process.execPath, process.argv.slice(1), { stdio: 'inherit' });
  setInterval(() => {}, 1000);
`;

/** Starts run.mjs by a parent process, and kills the parent once the program runs. */
async function startAndOrphan(t: TestContext, env: Record<string, string>) {
  const parent = spawn(process.execPath, ['-e', PARENT, RUN, '-e', PROGRAM], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [parent.stdout, parent.stderr]) stream.on('data', (chunk) => (text += chunk));
  const pid = Number(await until('the program', () => /pid (\d+)/.exec(text)?.[1]));
  t.after(() => {
    if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  });
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  return { pid, output: () => text };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('run.mjs', { skip: SKIP_ON_WINDOWS }, () => {
  it('stops the program and says why when the npm that started it has ended', async (t) => {
    const { pid, output } = await startAndOrphan(t, { npm_lifecycle_event: 'start' });
    await until('the end of the program', () => !isAlive(pid));
    await until('its last line', () => output().includes('stopped'));
    assert.match(output(), /^npm, which started this process, has ended: stopping\.$/m);
  });

  it('keeps the program running without its parent if npm did not start it', async (t) => {
    const { pid, output } = await startAndOrphan(t, {});
    // Several times the interval at which the parent is checked.
    await sleep(2_000);
    assert.ok(isAlive(pid));
    assert.doesNotMatch(output(), /stop/);
  });
});

/** Another Node on this machine, at least the version that package.json requires. */
function findOlderNode(): string | undefined {
  const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const oldest = Number(/^>=(\d+)$/.exec(engines.node)![1]);
  const current = Number.parseInt(process.versions.node, 10);
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'node'))
    .find((path) => {
      if (!existsSync(path)) return false;
      const major = Number.parseInt(execFileSync(path, ['-p', 'process.versions.node']).toString(), 10);
      return major >= oldest && major < current;
    });
}

describe('an older Node', () => {
  const node = findOlderNode();
  const skip = node === undefined && 'PATH has no Node older than the one npm installed';
  const run = (...args: string[]) => execFileSync(node!, args, { cwd: ROOT, encoding: 'utf8' });

  it('runs a script with the Node that npm installed', { skip }, () => {
    assert.equal(run('run.mjs', '-p', 'process.version').trim(), process.version);
  });

  it('runs the command line', { skip }, () => {
    assert.match(run('quaestor.mjs', '--help'), /^ {2}migrate /m);
  });
});
