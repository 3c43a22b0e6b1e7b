/** The service as a process of its own, for what only a process can show: starting, dying, sockets. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

const MAIN = resolve(import.meta.dirname, '../../src/main.ts');

/** The admin's, wherever a test does not ask for another. */
export const ADMIN_SECRET = 'a secret of the tests';

export interface ServiceProcess {
  url: string;
  port: number;
  /** An access token that may do everything. */
  token: string;
  /** A request with that token, unless it brings one of its own. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  child: ChildProcess;
  /** Everything it has written so far. */
  output(): string;
  /** Sends the signal and resolves when the process has ended. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: string | null }>;
}

const NO_LIMITS = Object.fromEntries(
  ['READ', 'WRITE', 'ANALYSIS', 'TOKEN'].map((budget) => [`QUAESTOR_LIMIT_${budget}`, '0']),
);

export function spawnService(env: Record<string, string>): ChildProcess & { output(): string } {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const inherited = { PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) };
  const child = spawn(process.execPath, [MAIN], {
    env: { ...inherited, PORT: '0', QUAESTOR_ADMIN_SECRET: ADMIN_SECRET, ...NO_LIMITS, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  child.stdout.on('data', (chunk) => (text += chunk));
  child.stderr.on('data', (chunk) => (text += chunk));
  return Object.assign(child, { output: () => text });
}

export async function startService(env: Record<string, string>): Promise<ServiceProcess> {
  const child = spawnService(env);
  const port = await new Promise<number>((done, failed) => {
    const look = () => {
      const found = /http:\/\/[^:\s]+:(\d+)\/questions/.exec(child.output());
      if (found) done(Number(found[1]));
    };
    child.stderr!.on('data', look);
    child.once('exit', (code) => failed(new Error(`it ended with ${code}: ${child.output()}`)));
  });
  const url = `http://127.0.0.1:${port}`;
  const signedIn = await fetch(`${url}/auth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'admin',
      client_secret: ADMIN_SECRET,
    }),
  });
  // Where a test has given another secret, it has no need of the token.
  const { access_token: token = '' } = (await signedIn.json()) as { access_token?: string };
  return {
    url,
    port,
    token,
    fetch: (path, init = {}) =>
      fetch(`${url}${path}`, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } }),
    child,
    output: child.output,
    end: async (signal) => {
      const ended = once(child, 'exit');
      child.kill(signal);
      const [code, by] = await ended;
      return { code, signal: by };
    },
  };
}

/** What it says when it cannot start. */
export async function startAndFail(
  env: Record<string, string>,
): Promise<{ code: number | null; output: string }> {
  const child = spawnService(env);
  const [code] = await once(child, 'close');
  return { code, output: child.output() };
}
