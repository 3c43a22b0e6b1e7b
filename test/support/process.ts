/** Runs the service as a child process, for tests of startup, shutdown, crashes and connections. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { resolve } from 'node:path';

const MAIN = resolve(import.meta.dirname, '../../src/main.ts');

/** The default secret of the client `admin`. */
export const ADMIN_SECRET = 'a secret of the tests';

export interface ServiceProcess {
  url: string;
  port: number;
  /** An access token of the admin. */
  token: string;
  /** Sends the token unless the request has an Authorization header. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  child: ChildProcess;
  /** The output of the process so far. */
  output(): string;
  /** Sends the signal and resolves when the process has ended. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: string | null }>;
}

const NO_LIMITS = Object.fromEntries(
  ['READ', 'WRITE', 'ANALYSIS', 'TOKEN'].map((limit) => [`QUAESTOR_LIMIT_${limit}`, '0']),
);

const { PATH, NODE_COMPILE_CACHE, NODE_OPTIONS } = process.env;
/** What a process needs of the environment; the settings of this one are left out. */
export const INHERITED: Record<string, string> = JSON.parse(
  JSON.stringify({ PATH, NODE_COMPILE_CACHE, NODE_OPTIONS }),
);

export function spawnService(
  env: Record<string, string>,
  command = [MAIN],
): ChildProcess & { output(): string } {
  const child = spawn(process.execPath, command, {
    env: { ...INHERITED, PORT: '0', QUAESTOR_ADMIN_SECRET: ADMIN_SECRET, ...NO_LIMITS, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  child.stdout.on('data', (chunk) => (text += chunk));
  child.stderr.on('data', (chunk) => (text += chunk));
  return Object.assign(child, { output: () => text });
}

/** `command`: the arguments of Node. */
export async function startService(env: Record<string, string>, command?: string[]): Promise<ServiceProcess> {
  const child = spawnService(env, command);
  const port = await new Promise<number>((done, failed) => {
    const findPort = () => {
      const found = /http:\/\/[^:\s]+:(\d+)\/questions/.exec(child.output());
      if (found) done(Number(found[1]));
    };
    child.stderr!.on('data', findPort);
    child.once('exit', (code) => failed(new Error(`the service ended with ${code}: ${child.output()}`)));
  });
  const url = `http://127.0.0.1:${port}`;
  // A service that a failed test leaves running must neither keep the test process alive nor
  // outlive it.
  setKeepsAlive(child, false);
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  const response = await fetch(`${url}/auth/token`, {
    method: 'POST',
    // An idle connection would delay the end of the service.
    headers: { connection: 'close' },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'admin',
      client_secret: ADMIN_SECRET,
    }),
  });
  // A test that sets another secret does not use the token.
  const { access_token: token = '' } = (await response.json()) as { access_token?: string };
  return {
    url,
    port,
    token,
    fetch: (path, init = {}) =>
      fetch(`${url}${path}`, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } }),
    child,
    output: child.output,
    end: async (signal) => {
      if (child.exitCode === null && child.signalCode === null) {
        setKeepsAlive(child, true);
        const ended = once(child, 'exit');
        child.kill(signal);
        await ended;
      }
      return { code: child.exitCode, signal: child.signalCode };
    },
  };
}

function setKeepsAlive(child: ChildProcess, keepsAlive: boolean): void {
  for (const handle of [child, child.stdout as Socket, child.stderr as Socket]) {
    if (keepsAlive) handle.ref();
    else handle.unref();
  }
}

/** Waits for a service that cannot start to end, and returns its output. */
export async function startAndFail(
  env: Record<string, string>,
): Promise<{ code: number | null; output: string }> {
  const child = spawnService(env);
  const [code] = await once(child, 'close');
  return { code, output: child.output() };
}
