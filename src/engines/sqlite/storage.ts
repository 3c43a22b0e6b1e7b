/**
 * The space of a bank's folder: how much is free, and a reserve. The reserve is a file that is
 * deleted when the disk is full, so that deletions, revocations and sign-ins still work. It is
 * created again when there is space.
 */
import { closeSync, existsSync, fsyncSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errors } from '../../errors.ts';
import type { CommandName } from '../../store/command-names.ts';

const RESERVE_FILE = 'quaestor.reserve';
/** Enough for some hundred small writes before the write-ahead log is reused. */
const RESERVE_BYTES = 8 * 1024 * 1024;
/** The reserve is created again when this much is free, so that it does not fill the disk itself. */
const MIN_FREE_FOR_RESERVE_BYTES = 4 * RESERVE_BYTES;
/** Below this, opening a database may fail: its shared memory file alone takes 32 KiB or more. */
const MIN_FREE_TO_OPEN_BYTES = 1024 * 1024;
const FREE_SPACE_TTL_MS = 1000;
/**
 * Bytes that a byte of a request can take on disk: in the table, in the index, and both again in the
 * write-ahead log.
 */
const WRITE_AMPLIFICATION = 4;

/** Writes that free space, or that clients need to sign in to free some. */
const ESSENTIAL: ReadonlySet<CommandName> = new Set<CommandName>([
  ...(['deleteQuestion', 'deleteRespondent', 'deleteCategory', 'deleteClient', 'deleteKey'] as const),
  ...([
    'endAnalysis',
    'issueTokens',
    'refreshTokens',
    'revokeToken',
    'revokeDrawTokens',
    'changeSecret',
  ] as const),
  ...(['deleteExpiredKeys', 'deleteExpiredTokens', 'deleteOldEvents', 'deleteOldDraws'] as const),
  ...(['fillChecksums', 'fillKinds'] as const),
  ...(['fillContentHashes', 'discardChunks', 'deleteStaleChunks', 'deleteIdleOpentdbTokens'] as const),
]);

export class Storage {
  readonly #database: string;
  readonly #reserve: string;
  #free = { bytes: 0, until: 0 };
  #reserved = false;

  /** `database` is the path of the database file. */
  constructor(database: string) {
    this.#database = database;
    this.#reserve = join(dirname(database), RESERVE_FILE);
  }

  /** Before the database is opened: frees the reserve if there is not enough space for that. */
  prepareToOpen(): void {
    if (this.#readFreeBytes() < MIN_FREE_TO_OPEN_BYTES) this.#release();
  }

  /** Creates the reserve if there is space for it. */
  maintainReserve(): void {
    const { size } = statSync(this.#reserve, { throwIfNoEntry: false }) ?? {};
    this.#reserved = size === RESERVE_BYTES;
    if (!this.#reserved && this.#readFreeBytes() >= MIN_FREE_FOR_RESERVE_BYTES) this.#createReserve();
  }

  /** Refuses a write that would fill the disk, before it is started. */
  requireSpace(bytes: number): void {
    if (!this.#hasFree(bytes * WRITE_AMPLIFICATION))
      throw errors.insufficientStorage(
        'There is not enough free space for this request. Nothing was written; send less, or make space first.',
      );
  }

  /**
   * Runs a write. While the reserve is in use, only essential writes are accepted; one that fails
   * because the disk is full frees the reserve and is repeated.
   */
  async write<R>(command: CommandName, work: () => Promise<R>): Promise<R> {
    const essential = ESSENTIAL.has(command);
    if (!essential && !this.#hasFree(0)) throw errors.diskFull();
    try {
      return await work();
    } catch (error) {
      if (!essential || !this.#isFull(error) || !this.#release()) throw error;
      return work();
    }
  }

  /** The sizes of the database and of its write-ahead log. */
  get sizes(): { bytes: number; wal_bytes: number; free_bytes: number } {
    const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    return {
      bytes: sizeOf(this.#database),
      wal_bytes: sizeOf(`${this.#database}-wal`),
      free_bytes: this.#freeBytes(),
    };
  }

  #isFull(error: unknown): boolean {
    const { code } = error as { code?: string };
    // Some file systems report a full disk as an error of input and output.
    return code === 'disk_full' || (code === 'unavailable' && this.#readFreeBytes() < MIN_FREE_TO_OPEN_BYTES);
  }

  /** Whether this much is free besides the reserve. Looks again before it says no. */
  #hasFree(bytes: number): boolean {
    const fits = () =>
      this.#freeBytes() - (this.#reserved ? 0 : RESERVE_BYTES + MIN_FREE_TO_OPEN_BYTES) >= bytes;
    if (fits()) return true;
    this.#free.until = 0;
    return fits();
  }

  #freeBytes(): number {
    const now = performance.now();
    if (now >= this.#free.until) {
      this.maintainReserve();
      this.#free = { bytes: this.#readFreeBytes(), until: now + FREE_SPACE_TTL_MS };
    }
    return this.#free.bytes;
  }

  #readFreeBytes(): number {
    try {
      const { bavail, bsize } = statfsSync(dirname(this.#database));
      return bavail * bsize;
    } catch {
      return Number.POSITIVE_INFINITY;
    }
  }

  /** Deletes the reserve; false if there was none. */
  #release(): boolean {
    const existed = existsSync(this.#reserve);
    rmSync(this.#reserve, { force: true });
    this.#reserved = false;
    this.#free.until = 0;
    return existed;
  }

  #createReserve(): void {
    try {
      const file = openSync(this.#reserve, 'w', 0o600);
      try {
        // Not zeros: a file system that compresses or detects holes would not allocate them.
        const chunk = crypto.getRandomValues(new Uint8Array(65_536));
        for (let at = 0; at < RESERVE_BYTES; at += chunk.length) writeSync(file, chunk);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      this.#reserved = true;
    } catch {
      rmSync(this.#reserve, { force: true });
    }
  }
}
