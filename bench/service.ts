/** Starts the processes under test: the service with its default settings, and the bare server. */
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '../test/support/postgres.ts';
import type { Bodies } from './bare.ts';
import { withTimeout } from './tools.ts';

export interface Server {
  port: number;
  pid: number;
}

export interface Access {
  port: number;
  authorization: string;
}

export type Service = Server & Access;

export interface ServiceOptions {
  postgres?: boolean | undefined;
  /** The URL of an existing PostgreSQL database. */
  database?: string | undefined;
  /** A data folder to keep; by default a temporary one. */
  data?: string | undefined;
  /** The folder for CPU profiles of all threads of the service. */
  profile?: string | undefined;
  /** The rate limit of each kind, in requests a minute; by default unlimited. */
  limit?: number | undefined;
}

export const ADMIN = 'admin';
/** Constant, because a reused data folder keeps the secret of its first start. */
const SECRET = 'only-for-benchmarks';
const LIMITS = ['READ', 'WRITE', 'ANALYSIS', 'TOKEN'];

/** Durable, as in production, and sized for more data than in tests. */
const POSTGRES_SETTINGS = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  shared_buffers: '512MB',
  max_wal_size: '4GB',
};

export async function startService(
  stack: AsyncDisposableStack,
  options: ServiceOptions = {},
): Promise<Service> {
  const env: NodeJS.ProcessEnv = { PORT: '0', HOST: '127.0.0.1' };
  // The caller's settings must not affect the measurement.
  for (const [name, value] of Object.entries(process.env)) {
    if (!name.startsWith('QUAESTOR_') && !(name in env)) env[name] = value;
  }
  env.QUAESTOR_DATA_DIR = options.data ?? temporaryFolder(stack);
  env.QUAESTOR_ADMIN_SECRET = SECRET;
  for (const name of LIMITS) env[`QUAESTOR_LIMIT_${name}`] = String(options.limit ?? 0);
  const database = options.database ?? (options.postgres ? await startDatabase(stack) : undefined);
  if (database) env.QUAESTOR_DATABASE_URL = database;
  const profiling = options.profile ? ['--cpu-prof', `--cpu-prof-dir=${options.profile}`] : [];
  const main = join(import.meta.dirname, '..', 'src', 'main.ts');
  // The log is written at its default level, to /dev/null.
  const child = spawn(process.execPath, [...profiling, main], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  stack.defer(async () => {
    child.kill('SIGTERM');
    const stopped = await Promise.race([ended, sleep(30_000, undefined, { ref: false })]);
    if (!stopped) child.kill('SIGKILL');
    await ended;
  });
  let output = '';
  const ready = new Promise<number>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text) => {
      output += text;
      const port = /http:\/\/127\.0\.0\.1:(\d+)\/questions/.exec(output)?.[1];
      if (port) resolve(Number(port));
    });
    void ended.then(() => reject(new Error(`The service exited: ${output}`)));
  });
  const port = await withTimeout(60_000, 'The start of the service', ready);
  const access = await signIn(port);
  return { pid: child.pid!, port, authorization: await createKey(access, { name: 'bench' }) };
}

/** Starts a PostgreSQL server and returns its URL. */
export async function startDatabase(stack: AsyncDisposableStack): Promise<string> {
  // An existing server may have other settings.
  delete process.env.QUAESTOR_TEST_POSTGRES_URL;
  const server = await startPostgres({ settings: POSTGRES_SETTINGS });
  stack.defer(() => server.stop());
  return server.url;
}

async function signIn(port: number): Promise<Access> {
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  const basic = { port, authorization: basicAuthorization(ADMIN, SECRET) };
  const { access_token } = await fetchJson(basic, '/auth/token', { method: 'POST', body: form });
  return { port, authorization: `Bearer ${access_token}` };
}

export const basicAuthorization = (client: string, secret: string) => `Basic ${btoa(`${client}:${secret}`)}`;

/** Creates a key and returns its `Authorization`. An access token could expire during a run. */
export async function createKey(
  access: Access,
  request: { name: string; scopes?: string[] },
): Promise<string> {
  const { token } = await fetchJson(access, '/auth/tokens', post(request));
  return `Bearer ${token}`;
}

/** Starts a bare `node:http` server that returns these bytes for each path. */
export async function startBare(stack: AsyncDisposableStack, bodies: Bodies): Promise<Server> {
  const child = fork(join(import.meta.dirname, 'bare.ts'), { execArgv: [], serialization: 'advanced' });
  const ended = once(child, 'exit');
  stack.defer(async () => {
    if (child.connected) child.disconnect();
    await ended;
  });
  child.send(bodies);
  const [port] = await withTimeout(10_000, 'The start of the bare server', once(child, 'message'));
  return { port, pid: child.pid! };
}

/** CPU time of all threads of the process, in seconds; NaN on systems other than Linux. */
export function readCpuSeconds({ pid }: Server): number {
  try {
    const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ').slice(11, 13);
    // In clock ticks, 100 per second.
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

export const post = (json: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(json),
});

/** Returns the bytes of the response body; throws unless the status is 2xx. */
export async function fetchBytes(
  { port, authorization }: Access,
  path: string,
  init: RequestInit = {},
): Promise<Buffer> {
  const headers = new Headers(init.headers);
  headers.set('authorization', authorization);
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (!response.ok) throw new Error(`${path} returned ${response.status}: ${bytes}`);
  return bytes;
}

export async function fetchJson(access: Access, path: string, init?: RequestInit) {
  return JSON.parse(String(await fetchBytes(access, path, init)));
}

export async function fetchTotal(access: Access, path: string): Promise<number> {
  return (await fetchJson(access, path)).pagination.total;
}
