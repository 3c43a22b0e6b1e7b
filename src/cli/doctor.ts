/** `quaestor doctor`: checks what the service needs, and says what to do where something is missing. */
import { constants, existsSync } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { type Config, readConfig } from '../config.ts';
import { type Inspection, inspectBank } from '../engines/index.ts';
import type { Outcome } from './command.ts';
import { applyOptions, type ServiceOptions } from './serve.ts';
import { alignColumns } from './table.ts';

interface Check {
  name: string;
  status: 'ok' | 'warning' | 'failed';
  detail: string;
  /** What to do. */
  remedy?: string;
}
type Finding = Omit<Check, 'name'>;

const MIN_NODE_VERSION = 26;
/** Below this the reserve for a full disk cannot be created. */
const MIN_FREE_BYTES = 32 * 1024 * 1024;
const LOW_FREE_BYTES = 1024 * 1024 * 1024;
const MAX_CLOCK_DIFFERENCE_MS = 5_000;
/** The program was written after this time. */
const MIN_TIME_MS = Date.UTC(2026, 0, 1);
const HEALTH_TIMEOUT_MS = 2_000;

const ok = (detail: string): Finding => ({ status: 'ok', detail });
const warn = (detail: string, remedy: string): Finding => ({ status: 'warning', detail, remedy });
const fail = (detail: string, remedy: string): Finding => ({ status: 'failed', detail, remedy });

export async function diagnose(
  _args: string[],
  options: ServiceOptions,
  _table?: unknown,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Outcome> {
  const checks: Check[] = [{ name: 'Node', ...checkNode() }];
  const check = async (name: string, run: () => Finding | Promise<Finding>) => {
    const finding = await Promise.try(run).catch((error: Error) => fail(error.message, SETTINGS_REMEDY));
    checks.push({ name, ...finding });
  };
  let config: Config | undefined;
  await check('settings', () => {
    config = readConfig(applyOptions(env, options));
    return ok('are valid');
  });
  if (config) await checkConfigured(config, check);
  await check('console', checkConsole);
  return formatChecks(checks);
}

type Add = (name: string, run: () => Finding | Promise<Finding>) => Promise<void>;

async function checkConfigured(config: Config, check: Add): Promise<void> {
  const { QUAESTOR_DATABASE_URL: url, QUAESTOR_DATA_DIR: folder, PORT: port, HOST: host } = config;
  const path = join(resolve(folder), 'quaestor.db');
  if (!url) {
    await check('data folder', () => checkFolder(dirname(path)));
    await check('free space', () => checkSpace(dirname(path)));
  }
  let bank: Inspection | undefined;
  await check('database', async () => {
    if (!url && !existsSync(path)) return ok(`${path} does not exist yet: the first start creates it`);
    try {
      bank = await inspectBank(url ? { url } : { path });
    } catch (error) {
      return fail((error as Error).message, url ? POSTGRES_REMEDY : SQLITE_REMEDY);
    }
    return describeSchema(bank, url ? 'PostgreSQL' : path);
  });
  await check('clock', () => checkClock(bank, Date.now()));
  await check('port', () => checkPort(port, host));
}

const SETTINGS_REMEDY = 'Correct the environment variable. docs/operations.md explains them.';
const POSTGRES_REMEDY = 'Start the server, and check QUAESTOR_DATABASE_URL with psql.';
const SQLITE_REMEDY = 'Run `quaestor verify`. If the file is damaged, restore a backup.';

function checkNode(): Finding {
  const { node } = process.versions;
  if (Number.parseInt(node, 10) >= MIN_NODE_VERSION) return ok(`${node} at ${process.execPath}`);
  return fail(
    `${node} is older than ${MIN_NODE_VERSION}`,
    'Run `npm ci`, which installs Node, or install it.',
  );
}

/** The closest folder that exists: the service creates those below it. */
function findExisting(folder: string): string {
  return existsSync(folder) ? folder : findExisting(dirname(folder));
}

async function checkFolder(folder: string): Promise<Finding> {
  const existing = findExisting(folder);
  try {
    await access(existing, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return fail(
      `${existing} cannot be written to by this user`,
      'Change its owner with chown, or set QUAESTOR_DATA_DIR to another folder.',
    );
  }
  if (existing !== folder) return ok(`${folder} does not exist yet: the first start creates it`);
  // Windows has no such permissions.
  if (process.platform === 'win32') return ok(folder);
  for (const [path, mode] of [
    [folder, '700'],
    ...['quaestor.db', 'quaestor.db-wal', 'quaestor.db-shm'].map((name) => [join(folder, name), '600']),
  ] as [string, string][]) {
    const found = await stat(path).catch(() => undefined);
    if (found && found.mode & 0o077)
      return warn(`${path} is open to other users of the machine`, `Run chmod ${mode} '${path}'.`);
  }
  return ok(`${folder} is readable and writable by this user alone`);
}

async function checkSpace(folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(findExisting(folder));
  const free = bavail * bsize;
  const detail = `${formatBytes(free)} are free`;
  const remedy = 'Free space on the disk of the data folder. Writes are refused when it is full.';
  if (free < MIN_FREE_BYTES) return fail(detail, remedy);
  return free < LOW_FREE_BYTES ? warn(detail, remedy) : ok(detail);
}

const formatBytes = (bytes: number) =>
  bytes < 1024 ** 3 ? `${Math.floor(bytes / 1024 ** 2)} MiB` : `${(bytes / 1024 ** 3).toFixed(1)} GiB`;

function describeSchema({ schemaVersion, supportedVersion }: Inspection, where: string): Finding {
  if (schemaVersion === 0) return ok(`${where} has no bank yet: the first start creates it`);
  if (schemaVersion > supportedVersion)
    return fail(
      `the schema of ${where} is version ${schemaVersion}; this release supports up to ${supportedVersion}`,
      'Use the newer release that last opened it.',
    );
  if (schemaVersion < supportedVersion)
    return warn(
      `the schema of ${where} is version ${schemaVersion}; that of this release is ${supportedVersion}`,
      'Back up the bank. The next start migrates it.',
    );
  return ok(`${where}, schema version ${schemaVersion}`);
}

export function checkClock(bank: Inspection | undefined, now: number): Finding {
  const remedy = 'Set the clock, and keep it right with NTP: tokens expire by it.';
  const time = new Date(now).toISOString();
  if (now < MIN_TIME_MS) return fail(`it is set to ${time}`, remedy);
  const { now: databaseNow = now, lastAt = 0 } = bank?.clock ?? {};
  if (Math.abs(databaseNow - now) > MAX_CLOCK_DIFFERENCE_MS)
    return fail(
      `it is set to ${time}, that of the database to ${new Date(databaseNow).toISOString()}`,
      remedy,
    );
  if (lastAt - now > MAX_CLOCK_DIFFERENCE_MS)
    return fail(`it is set to ${time}, before the latest write at ${new Date(lastAt).toISOString()}`, remedy);
  return ok(time);
}

async function checkPort(port: number, host: string): Promise<Finding> {
  const server = createServer();
  const { promise, resolve: settle } = Promise.withResolvers<NodeJS.ErrnoException | undefined>();
  server.once('error', settle).listen({ port, host }, () => settle(undefined));
  const error = await promise;
  if (!error) {
    await new Promise((closed) => server.close(closed));
    return ok(`${port} on ${host} is free`);
  }
  if (error.code === 'EADDRINUSE') {
    if (await isQuaestor(port, host)) return ok(`${port} on ${host} is in use by a running Quaestor`);
    return fail(`${port} on ${host} is in use`, 'Stop the process that listens there, or set PORT.');
  }
  if (error.code === 'EACCES') return fail(`this user may not listen on ${port}`, 'Set PORT above 1023.');
  return fail(`${host} is not an address of this machine`, 'Set HOST to 127.0.0.1 or 0.0.0.0.');
}

async function isQuaestor(port: number, host: string): Promise<boolean> {
  const local = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  const address = local.includes(':') ? `[${local}]` : local;
  try {
    const signal = AbortSignal.timeout(HEALTH_TIMEOUT_MS);
    const response = await fetch(`http://${address}:${port}/health`, { signal });
    return response.ok && ((await response.json()) as { status?: unknown }).status === 'ok';
  } catch {
    return false;
  }
}

/** The pages of the console are bundled by a program of esbuild, which is a package per platform. */
async function checkConsole(): Promise<Finding> {
  try {
    const esbuild = await import('esbuild');
    await esbuild.transform('let x: number = 1', { loader: 'ts' });
    await esbuild.stop();
    return ok(`esbuild ${esbuild.version} starts`);
  } catch (error) {
    return fail(
      `esbuild does not start: ${(error as Error).message}`,
      'Run `npm ci` on this machine: packages of another platform do not work. The API works without.',
    );
  }
}

function formatChecks(checks: Check[]): Outcome {
  const rows = checks.flatMap(({ name, status, detail, remedy }) => [
    [status, name, detail],
    ...(remedy === undefined ? [] : [['', '', `→ ${remedy}`]]),
  ]);
  const failed = checks.filter(({ status }) => status === 'failed').length;
  return {
    data: { checks },
    text: alignColumns(rows),
    note: failed === 0 ? 'The service can run here.' : `${failed} of ${checks.length} checks failed.`,
    exitCode: failed === 0 ? 0 : 1,
  };
}
