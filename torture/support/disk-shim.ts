/** Compiles disk-shim.c, and arms the faults that it injects. */
import { spawnSync } from 'node:child_process';
import { closeSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';

const SOURCE = join(import.meta.dirname, 'disk-shim.c');

/** Returns the path of the library, or the reason why there is none. */
export function compileDiskShim(folder: string): { library: string } | { skipped: string } {
  if (process.platform !== 'linux') return { skipped: 'needs LD_PRELOAD of Linux' };
  const library = join(folder, 'disk-shim.so');
  const args = ['-shared', '-fPIC', '-O2', '-pthread', '-o', library, SOURCE];
  const { status, stderr, error } = spawnSync('cc', args, { encoding: 'utf8' });
  if (error) return { skipped: 'needs a C compiler: cc is not installed' };
  if (status !== 0) throw new Error(`cc ${args.join(' ')}\n${stderr}`);
  // The loader ignores a library that it cannot load, for example from a folder mounted noexec.
  const probe = spawnSync(process.execPath, ['--version'], {
    env: { LD_PRELOAD: library },
    encoding: 'utf8',
  });
  if (probe.stderr !== '') return { skipped: `the library cannot be preloaded: ${probe.stderr.trim()}` };
  return { library };
}

/** As in disk-shim.c. */
export const FAULT_KINDS = { write: 1, sync: 2, truncate: 4, open: 8, read: 16 };
const COUNT_OFFSET = 0;
const FIRST_OFFSET = 8;
const FAILED_OFFSET = 24;
const KINDS_OFFSET = 32;
const FAULTS_BYTES = 40;
const FOREVER = 2n ** 63n;

export interface Fault {
  /** The number of the operation, from 1, counted since the fault was armed. */
  at: number;
  error: 'EIO' | 'ENOSPC';
  /** Whether all later operations fail too, until `heal`. */
  lasts: boolean;
}

/** The control file of the shim. It is mapped by the service, so that changes apply at once. */
export class DiskFaults {
  readonly path: string;
  readonly #fd: number;

  constructor(path: string) {
    this.path = path;
    this.#fd = openSync(path, 'w+', 0o600);
    ftruncateSync(this.#fd, FAULTS_BYTES);
  }

  /** Fails nothing, and counts operations of these kinds from 0. */
  count(kinds: number): void {
    const bytes = Buffer.alloc(FAULTS_BYTES);
    bytes.writeUInt32LE(kinds, KINDS_OFFSET);
    writeSync(this.#fd, bytes, 0, FAULTS_BYTES, 0);
  }

  arm({ at, error, lasts }: Fault, kinds: number): void {
    this.count(0);
    const bytes = Buffer.alloc(FAULTS_BYTES);
    bytes.writeBigUInt64LE(BigInt(at), FIRST_OFFSET);
    bytes.writeBigUInt64LE(lasts ? FOREVER : BigInt(at), FIRST_OFFSET + 8);
    bytes.writeUInt32LE(kinds, KINDS_OFFSET);
    bytes.writeUInt32LE(constants.errno[error], KINDS_OFFSET + 4);
    writeSync(this.#fd, bytes, 0, FAULTS_BYTES, 0);
  }

  /** Ends the fault; the numbers of operations remain. */
  heal(): void {
    writeSync(this.#fd, Buffer.alloc(16), 0, 16, FIRST_OFFSET);
  }

  /** Operations of the armed kinds since then. */
  get operations(): number {
    return this.#read(COUNT_OFFSET);
  }

  get failed(): number {
    return this.#read(FAILED_OFFSET);
  }

  close(): void {
    closeSync(this.#fd);
  }

  #read(offset: number): number {
    const bytes = Buffer.alloc(8);
    readSync(this.#fd, bytes, 0, 8, offset);
    return Number(bytes.readBigUInt64LE());
  }
}
