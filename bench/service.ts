/** Starts what is measured, as processes of their own: the service as anyone runs it, and the bare server. */
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '../test/postgres.ts';
import type { Bodies } from './bare.ts';
import { within } from './tools.ts';

export interface Server {
  port: number;
  pid: number;
}

export interface ServiceOptions {
  postgres?: boolean | undefined;
  /** A folder that is kept; else the data is in a temporary one. */
  data?: string | undefined;
  /** Where the service leaves CPU profiles of all its threads when it ends. */
  profile?: string | undefined;
}

/** Nothing is lost in a power cut, as the service promises; the rest suits a database larger than a test's. */
const DURABLE = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  shared_buffers: '512MB',
  max_wal_size: '4GB',
};

export async function startService(
  stack: AsyncDisposableStack,
  options: ServiceOptions = {},
): Promise<Server> {
  const env: NodeJS.ProcessEnv = { PORT: '0', HOST: '127.0.0.1' };
  // Settings of whoever runs this must not change what is measured.
  for (const [name, value] of Object.entries(process.env)) {
    if (!name.startsWith('QUAESTOR_') && !(name in env)) env[name] = value;
  }
  env.QUAESTOR_DATA_DIR = options.data ?? temporaryFolder(stack);
  if (options.postgres) {
    // A server that is there already would have settings of its own.
    delete process.env.QUAESTOR_TEST_POSTGRES_URL;
    const server = await startPostgres({ settings: DURABLE });
    stack.defer(() => server.stop());
    env.QUAESTOR_DATABASE_URL = server.url;
  }
  const profiling = options.profile ? ['--cpu-prof', `--cpu-prof-dir=${options.profile}`] : [];
  const main = join(import.meta.dirname, '..', 'src', 'main.ts');
  // The log is written at its default level, into /dev/null.
  const child = spawn(process.execPath, [...profiling, main], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  stack.defer(async () => {
    child.kill('SIGTERM');
    const stopped = await Promise.race([ended, sleep(30_000, undefined, { ref: false })]);
    if (!stopped) child.kill('SIGKILL');
    await ended;
  });
  let said = '';
  const ready = new Promise<number>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text) => {
      said += text;
      const port = /http:\/\/127\.0\.0\.1:(\d+)\/questions/.exec(said)?.[1];
      if (port) resolve(Number(port));
    });
    void ended.then(() => reject(new Error(`The service ended: ${said}`)));
  });
  return { port: await within(60_000, 'The start of the service', ready), pid: child.pid! };
}

/** A bare `node:http` server that answers each of these paths with these bytes. */
export async function startBare(stack: AsyncDisposableStack, bodies: Bodies): Promise<Server> {
  const child = fork(join(import.meta.dirname, 'bare.ts'), { execArgv: [], serialization: 'advanced' });
  const ended = once(child, 'exit');
  stack.defer(async () => {
    if (child.connected) child.disconnect();
    await ended;
  });
  child.send(bodies);
  const [port] = await within(10_000, 'The start of the bare server', once(child, 'message'));
  return { port, pid: child.pid! };
}

/** The CPU time that all threads of the process have used, in seconds; known on Linux alone. */
export function cpuOf({ pid }: Server): number {
  try {
    const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ').slice(11, 13);
    // In ticks, of which there are a hundred a second.
    return (Number(user) + Number(system)) / 100;
  } catch {
    return NaN;
  }
}

export function temporaryFolder(stack: AsyncDisposableStack): string {
  const folder = mkdtempSync(join(tmpdir(), 'quaestor-bench-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The bytes that GET answers with, or POST where there is something to send. */
export async function fetchBytes(port: number, path: string, post?: string): Promise<Buffer> {
  const init = post ? { method: 'POST', headers: { 'content-type': 'application/json' }, body: post } : {};
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
  const bytes = Buffer.from(await response.arrayBuffer());
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${bytes}`);
  return bytes;
}

export async function fetchTotal(port: number, path: string): Promise<number> {
  return JSON.parse(String(await fetchBytes(port, path))).pagination.total;
}
