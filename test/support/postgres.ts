/**
 * PostgreSQL servers for the tests, without any setup. Each is owned by a child process
 * (postgres-process.ts), which removes it however the tests end.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import pg from 'pg';
import type { Reply, ServerCommand, ServerOptions, Settings, StopMode } from './postgres-process.ts';

export interface PostgresServer {
  url: string;
  stop(): Promise<void>;
}

/** A server that one test stops, suspends and restarts. */
export interface OwnPostgres extends PostgresServer {
  /** Stops the server until `start`. */
  halt(mode: StopMode): Promise<void>;
  /** Resolves when the server accepts connections. */
  start(): Promise<void>;
  /**
   * Suspends all processes of the server: connections stay open without answers. Not on Windows.
   */
  hang(): Promise<void>;
  resume(): Promise<void>;
  /** Ends all processes of the server by SIGKILL. Not on Windows. */
  kill(): Promise<void>;
  /** Makes a standby the primary; resolves when it accepts writes. */
  promote(): Promise<void>;
}

export interface TestDatabase {
  url: string;
  /** Executes a statement on a new connection. */
  query(sql: string): Promise<pg.QueryResult>;
  drop(): Promise<void>;
}

/**
 * Starts a server, or claims one of those that QUAESTOR_TEST_POSTGRES_URL names, separated by
 * spaces.
 */
export async function startPostgres(options: { settings?: Settings } = {}): Promise<PostgresServer> {
  const given = process.env.QUAESTOR_TEST_POSTGRES_URL?.split(' ').filter(Boolean) ?? [];
  if (given.length === 0) return startOwnPostgres(options.settings);
  return { url: await claimServer(given), stop: async () => {} };
}

/**
 * Returns the first server that no other test process has claimed, else any. The claim is an
 * advisory lock of a session that ends with this process. Sharing a server is correct but slow: an
 * open transaction in one database delays the events of all others.
 */
async function claimServer(urls: string[]): Promise<string> {
  for (const url of urls.length > 1 ? urls : []) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query('SELECT pg_try_advisory_lock(1) AS claimed');
    if (rows[0].claimed) {
      client.on('error', () => {});
      // `unref` is missing from the types.
      (client as pg.Client & { unref(): void }).unref();
      return url;
    }
    await client.end();
  }
  return urls[process.pid % urls.length]!;
}

export const startOwnPostgres = (settings: Settings = {}) => startServer({ settings });

/**
 * Starts a standby of the primary, which must keep its WAL meanwhile (`wal_keep_size`). Not on
 * Windows.
 */
export const startStandby = (primary: PostgresServer) => startServer({ standbyOf: primary.url });

async function startServer(options: ServerOptions): Promise<OwnPostgres> {
  // Detached, so that Ctrl-C in the terminal does not end the owner process before it has cleaned
  // up.
  const owner = fork(join(import.meta.dirname, 'postgres-process.ts'), [JSON.stringify(options)], {
    detached: true,
    execArgv: [],
    stdio: 'ignore',
  });
  const ended = once(owner, 'exit');
  const stop = async () => {
    owner.ref();
    if (owner.connected) owner.disconnect();
    await ended;
  };
  // A server that is not stopped must not keep the test process alive.
  const execute = async (command?: ServerCommand) => {
    setKeepsAlive(owner, true);
    const reply = await receiveReply(owner, ended, command);
    setKeepsAlive(owner, false);
    return reply;
  };
  try {
    const { url } = await execute();
    return {
      url,
      stop,
      halt: async (mode) => void (await execute({ do: 'halt', mode })),
      start: async () => void (await execute({ do: 'start' })),
      hang: async () => void (await execute({ do: 'hang' })),
      resume: async () => void (await execute({ do: 'resume' })),
      kill: async () => void (await execute({ do: 'kill' })),
      promote: async () => void (await execute({ do: 'promote' })),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Sends a command, if any, and waits for the next reply. */
async function receiveReply(
  owner: ChildProcess,
  ended: Promise<unknown>,
  command: ServerCommand | undefined,
) {
  const message = once(owner, 'message') as Promise<[Reply]>;
  if (command) owner.send(command);
  const early = ended.then((): [Reply] => [{ error: 'its owner process has ended' }]);
  const [reply] = await Promise.race([message, early]);
  if ('error' in reply) throw new Error(`PostgreSQL did not ${command?.do ?? 'start'}: ${reply.error}`);
  return reply;
}

function setKeepsAlive(owner: ChildProcess, alive: boolean): void {
  if (alive) owner.ref();
  else owner.unref();
  if (alive) owner.channel?.ref();
  else owner.channel?.unref();
}

let shared: Promise<PostgresServer> | undefined;

/**
 * Creates a database on the given server, else on the server shared by this process: an empty one,
 * or a copy of a database without sessions.
 */
export async function freshDatabase(on?: PostgresServer, template = 'template0'): Promise<TestDatabase> {
  if (!on) shared ??= startPostgres();
  const { url: server } = on ?? (await shared!);
  const name = `q_${randomBytes(8).toString('hex')}`;
  // No session can be connected to template0, so databases can be created concurrently.
  await query(server, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    query: (sql) => query(url.href, sql),
    drop: async () => void (await query(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
  };
}

export async function query(url: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}
