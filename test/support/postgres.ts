/**
 * A real PostgreSQL for the tests, with nothing to set up by hand: it is made and owned by a process of its own
 * (postgres-process.ts), which removes it again however the tests end.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import pg from 'pg';
import type { Reply, ServerCommand, Settings, StopMode } from './postgres-process.ts';

export interface PostgresServer {
  url: string;
  stop(): Promise<void>;
}

/** A server of one test, which stops it, hangs it and starts it again. */
export interface OwnPostgres extends PostgresServer {
  /** Stops it, in order or as if it had crashed, until it is started again. */
  halt(mode: StopMode): Promise<void>;
  /** Starts it after a halt; resolves when it takes connections. */
  start(): Promise<void>;
  /** All its processes stand still: connections stay open, and nothing is answered. Not on Windows. */
  hang(): Promise<void>;
  resume(): Promise<void>;
}

export interface TestDatabase {
  url: string;
  /** Executes a statement on a connection of its own. */
  query(sql: string): Promise<pg.QueryResult>;
  drop(): Promise<void>;
}

/** Starts a server, or claims one of those that QUAESTOR_TEST_POSTGRES_URL names, separated by spaces. */
export async function startPostgres(options: { settings?: Settings } = {}): Promise<PostgresServer> {
  const given = process.env.QUAESTOR_TEST_POSTGRES_URL?.split(' ').filter(Boolean) ?? [];
  if (given.length === 0) return startOwnPostgres(options.settings);
  return { url: await claimServer(given), stop: async () => {} };
}

/**
 * The first server that no other test process has claimed, else any. The claim is an advisory lock of a session that
 * ends with this process. Sharing a server is correct but slow: an open transaction in one database delays the events
 * of all others.
 */
async function claimServer(urls: string[]): Promise<string> {
  for (const url of urls.length > 1 ? urls : []) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query('SELECT pg_try_advisory_lock(1) AS claimed');
    if (rows[0].claimed) {
      client.on('error', () => {});
      // Missing from the types.
      (client as pg.Client & { unref(): void }).unref();
      return url;
    }
    await client.end();
  }
  return urls[process.pid % urls.length]!;
}

export async function startOwnPostgres(settings: Settings = {}): Promise<OwnPostgres> {
  // Detached, so that Ctrl-C in the terminal ends the tests but not the keeper, which has yet to clean up.
  const keeper = fork(join(import.meta.dirname, 'postgres-process.ts'), [JSON.stringify(settings)], {
    detached: true,
    execArgv: [],
    stdio: 'ignore',
  });
  const ended = once(keeper, 'exit');
  const stop = async () => {
    keeper.ref();
    if (keeper.connected) keeper.disconnect();
    await ended;
  };
  // A server that is not stopped must not keep the test process alive.
  const tell = async (order?: ServerCommand) => {
    setKeepsAlive(keeper, true);
    const reply = await receiveReply(keeper, ended, order);
    setKeepsAlive(keeper, false);
    return reply;
  };
  try {
    const { url } = await tell();
    return {
      url,
      stop,
      halt: async (mode) => void (await tell({ do: 'halt', mode })),
      start: async () => void (await tell({ do: 'start' })),
      hang: async () => void (await tell({ do: 'hang' })),
      resume: async () => void (await tell({ do: 'resume' })),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What the keeper says next. */
async function receiveReply(keeper: ChildProcess, ended: Promise<unknown>, order: ServerCommand | undefined) {
  const heard = once(keeper, 'message') as Promise<[Reply]>;
  if (order) keeper.send(order);
  const early = ended.then((): [Reply] => [{ error: 'its keeper ended too early' }]);
  const [reply] = await Promise.race([heard, early]);
  if ('error' in reply) throw new Error(`PostgreSQL did not ${order?.do ?? 'start'}: ${reply.error}`);
  return reply;
}

function setKeepsAlive(keeper: ChildProcess, alive: boolean): void {
  if (alive) keeper.ref();
  else keeper.unref();
  if (alive) keeper.channel?.ref();
  else keeper.channel?.unref();
}

let shared: Promise<PostgresServer> | undefined;

/** Makes an empty database: on the server given, else on that of this test run, else on one of this process's own. */
export async function freshDatabase(on?: PostgresServer): Promise<TestDatabase> {
  if (!on) shared ??= startPostgres();
  const { url: server } = on ?? (await shared!);
  const name = `q_${randomBytes(8).toString('hex')}`;
  // No session can be connected to template0, so databases can be created concurrently.
  await query(server, `CREATE DATABASE ${name} TEMPLATE template0`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    query: (sql) => query(url.href, sql),
    drop: async () => void (await query(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
  };
}

async function query(url: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}
