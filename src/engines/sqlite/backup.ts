/**
 * Backups of a bank: one file, which is a SQLite database followed by a trailer. The trailer ends with
 * the SHA-256 hash of everything before it, so that a file that is truncated or changed anywhere is
 * recognised: SQLite and the checksums of rows do not cover every byte. SQLite ignores the trailer.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { type FileHandle, link, open, rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import { StartError } from '../start-error.ts';
import { Connection } from './connection.ts';
import { lockFolder, makeFolder, syncFolder } from './folder.ts';
import { migrations } from './migrations.ts';

const MAGIC = 'quaestor-backup 1 ';
const TRAILER_BYTES = 256;
/** The hash in hexadecimal and a newline. */
const HASH_BYTES = 65;
const BUSY_TIMEOUT_MS = 5000;
/** Pages between two reports of the progress. */
const PAGES_PER_STEP = 1000;

export interface BackupInfo {
  /** The release that wrote it. */
  version: string;
  schema: number;
  created_at: string;
  /** The size of the database in it. */
  bytes: number;
}

export interface BackupOptions {
  folder: string;
  file: string;
  version: string;
  /** Verifies a database; throws if it is damaged. */
  verify: (path: string) => Promise<void>;
  /** Receives the pages that are copied. May throw to end the backup. */
  report: (done: number, total: number) => void;
}

/** Copies a bank that may be in use. The file has its name once it is complete and verified. */
export async function writeBackup(options: BackupOptions): Promise<BackupInfo> {
  const { folder, verify, report } = options;
  const source = join(resolve(folder), 'quaestor.db');
  const file = resolve(options.file);
  if (!existsSync(source)) throw new StartError(`There is no bank in ${resolve(folder)}.`);
  if (existsSync(file)) throw refuseOverwrite(file);
  const partial = `${file}.${process.pid}.partial`;
  await createFile(partial);
  try {
    await copyDatabase(source, partial, report);
    const schema = readSchema(partial);
    // The rows of an older schema cannot be verified by this release.
    if (schema === migrations.length) await verify(partial);
    makeSingleFile(partial);
    const { size: bytes } = await stat(partial);
    const info = { version: options.version, schema, created_at: new Date().toISOString(), bytes };
    await appendTrailer(partial, info);
    await publish(partial, file);
    return info;
  } catch (error) {
    throw explainFailure(error, file);
  } finally {
    await removeDatabase(partial);
  }
}

/** An error of the system or of SQLite, such as a full disk. */
function explainFailure(error: unknown, path: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof StartError || !/^(?:E[A-Z]+|ERR_SQLITE_ERROR)$/.test(code ?? '')) return error;
  return new StartError(`${path} could not be written: ${message}. Nothing was left there.`);
}

const refuseOverwrite = (file: string) =>
  new StartError(`${file} exists. Choose another name: a backup is never overwritten.`);

async function createFile(path: string): Promise<void> {
  try {
    await (await open(path, 'wx', 0o600)).close();
  } catch (error) {
    throw new StartError(`${path} cannot be written: ${(error as Error).message}.`);
  }
}

/**
 * The open transaction pins a snapshot. Without it, SQLite starts the copy over whenever another
 * process writes, and may never end.
 */
async function copyDatabase(source: string, target: string, report: BackupOptions['report']): Promise<void> {
  const database = new DatabaseSync(source, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    database.exec('BEGIN');
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    await backup(database, target, {
      rate: PAGES_PER_STEP,
      progress: ({ totalPages, remainingPages }) => report(totalPages - remainingPages, totalPages),
    });
  } finally {
    database.close();
  }
}

function readSchema(path: string): number {
  const connection = new Connection(path);
  try {
    const fault = connection.get<{ fault: string }>(`${connection.dialect.structureFaults} LIMIT 1`)?.fault;
    if (fault !== undefined) throw new StartError(`The bank is damaged: ${fault}.`);
    const { user_version } = connection.get<{ user_version: number }>('PRAGMA user_version')!;
    if (user_version === 0) throw new StartError('The database is not a bank.');
    return user_version;
  } finally {
    connection.close();
  }
}

/** Without write-ahead log, so that nothing beside the file belongs to it. */
function makeSingleFile(path: string): void {
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA journal_mode = DELETE');
  } finally {
    database.close();
  }
}

async function appendTrailer(path: string, info: BackupInfo): Promise<void> {
  const head = Buffer.from(`\n${MAGIC}${JSON.stringify(info)}`.padEnd(TRAILER_BYTES - HASH_BYTES));
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  const handle = await open(path, 'a');
  try {
    await handle.write(Buffer.concat([head, Buffer.from(`${hash.update(head).digest('hex')}\n`)]));
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Gives a file its name, unless there is one of that name. */
async function publish(partial: string, file: string): Promise<void> {
  try {
    await link(partial, file);
    await unlink(partial);
  } catch (error) {
    if (existsSync(file)) throw refuseOverwrite(file);
    // File systems of removable media have no links.
    if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK'].includes((error as { code?: string }).code ?? ''))
      throw error;
    await rename(partial, file);
  }
  if (process.platform !== 'win32') syncFolder(dirname(file));
}

async function removeDatabase(path: string): Promise<void> {
  for (const suffix of ['', '-wal', '-shm', '-journal']) await rm(`${path}${suffix}`, { force: true });
}

interface Checked {
  info: BackupInfo;
  trailer: Buffer;
}

/** Compares a backup with its hash. Throws if it is not a backup, damaged, or of a newer release. */
export async function checkBackup(file: string): Promise<BackupInfo> {
  const { info, trailer } = await openBackup(file, readTrailer);
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file, { end: info.bytes - 1 })) hash.update(chunk);
  compareHash(file, hash, trailer);
  if (info.schema > migrations.length)
    throw new StartError(
      `The schema of ${file} is version ${info.schema}; this release supports up to ${migrations.length}. ` +
        `Restore it with release ${info.version} or newer.`,
    );
  return info;
}

async function openBackup<R>(
  file: string,
  read: (handle: FileHandle, file: string) => Promise<R>,
): Promise<R> {
  const handle = await open(file).catch((error: Error) => {
    throw new StartError(`${file} cannot be read: ${error.message}.`);
  });
  try {
    return await read(handle, file);
  } finally {
    await handle.close();
  }
}

async function readTrailer(handle: FileHandle, file: string): Promise<Checked> {
  const { size } = await handle.stat();
  const trailer = Buffer.alloc(TRAILER_BYTES);
  const start = size - TRAILER_BYTES;
  if (start > 0) await handle.read(trailer, 0, TRAILER_BYTES, start);
  const head = trailer.toString('utf8', 0, TRAILER_BYTES - HASH_BYTES);
  try {
    const info: BackupInfo = JSON.parse(head.slice(head.indexOf('{')));
    if (head.startsWith(`\n${MAGIC}{`) && info.bytes === start) return { info, trailer };
  } catch {
    // Reported below.
  }
  throw new StartError(`${file} is not a backup of Quaestor, or it is truncated. Use another one.`);
}

function compareHash(file: string, hash: ReturnType<typeof createHash>, trailer: Buffer): void {
  const found = hash.update(trailer.subarray(0, -HASH_BYTES)).digest('hex');
  if (`${found}\n` !== trailer.toString('latin1', TRAILER_BYTES - HASH_BYTES))
    throw new StartError(`${file} is damaged: its content does not match its hash. Use another backup.`);
}

export interface RestoreOptions extends Pick<BackupOptions, 'folder' | 'file' | 'verify'> {
  /** Receives the bytes that are copied. May throw to end the restore. */
  report: (done: number, total: number) => void;
}

/** Restores a backup to a folder without a bank. The bank has its name once it is complete. */
export async function restoreBackup({ folder, file, verify, report }: RestoreOptions): Promise<BackupInfo> {
  const info = await checkBackup(file);
  const directory = resolve(folder);
  const path = join(directory, 'quaestor.db');
  refuseBank(path);
  makeFolder(directory);
  const lock = lockFolder(directory);
  const partial = join(directory, 'quaestor.db.partial');
  try {
    // Another process may have created one meanwhile.
    refuseBank(path);
    await removeDatabase(partial);
    await createFile(partial);
    await copyChecked(file, partial, report);
    if (readSchema(partial) === migrations.length) await verify(partial);
    await syncFile(partial);
    await rename(partial, path);
    if (process.platform !== 'win32') syncFolder(directory);
    return info;
  } catch (error) {
    throw explainFailure(error, path);
  } finally {
    await removeDatabase(partial);
    lock.close();
  }
}

function refuseBank(path: string): void {
  const found = ['', '-wal', '-shm'].map((suffix) => `${path}${suffix}`).find((name) => existsSync(name));
  if (found === undefined) return;
  throw new StartError(
    `${found} exists. A backup is restored to a folder without a bank only: ` +
      'set another one with --data-dir, or stop the service and move the files of the bank away.',
  );
}

/** Hashes what is written: the backup may have changed since it was checked. */
async function copyChecked(file: string, target: string, report: RestoreOptions['report']): Promise<void> {
  const { info, trailer } = await openBackup(file, readTrailer);
  const hash = createHash('sha256');
  async function* read() {
    let done = 0;
    for await (const chunk of createReadStream(file, { end: info.bytes - 1 })) {
      hash.update(chunk);
      done += chunk.length;
      report(done, info.bytes);
      yield chunk;
    }
  }
  await pipeline(read(), createWriteStream(target, { flags: 'r+' }));
  compareHash(file, hash, trailer);
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
