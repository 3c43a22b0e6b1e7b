/**
 * Replays the log of disk-shim.c, and builds the states that the disk may be in after a power cut.
 *
 * A write is on disk once its file was synced after it, a new or removed name once its directory
 * was. Of the others any subset may be there, in whole or in part: sectors of 512 bytes are atomic,
 * larger writes are not. A reordering of two writes to one sector is the loss of the later one.
 * After a sync that failed, the writes before it may be lost although a later sync succeeds.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Random } from '../../test/support/random.ts';

const SECTOR_BYTES = 512;
const HEAD_BYTES = 24;
/** As in disk-shim.c. */
const KINDS = [
  ...['', 'create', 'write', 'truncate', 'sync', 'sync-directory', 'unlink', 'mkdir'],
  ...['response', 'failed-sync'],
] as const;

export interface DiskRecord {
  kind: (typeof KINDS)[number];
  path: string;
  /** The offset of a write, or the size after a truncation. */
  offset: number;
  data: Buffer;
}

export function readDiskLog(path: string): DiskRecord[] {
  const log = readFileSync(path);
  const records: DiskRecord[] = [];
  for (let at = 0; at < log.length; ) {
    const [kind, pathBytes, dataBytes] = [0, 4, 8].map((field) => log.readUInt32LE(at + field));
    const offset = Number(log.readBigUInt64LE(at + 16));
    const data = at + HEAD_BYTES + pathBytes!;
    at = data + dataBytes!;
    records.push({
      kind: KINDS[kind!]!,
      path: log.toString('utf8', data - pathBytes!, data),
      offset,
      data: log.subarray(data, at),
    });
  }
  return records;
}

/** How a power cut treats what was not synced. */
interface Fate {
  /** The probability that a write, or a name, is on disk. */
  kept: number;
  /** The probability that a write is decided sector by sector. */
  torn: number;
  /** Whether the space of lost writes at the end of a file has old content instead of zeros. */
  garbage: boolean;
}

const chooseFate = (random: Random): Fate => ({
  kept: random.pick([0, 0.1, 0.5, 0.9, 1]),
  torn: random.pick([0, 0.2, 1]),
  garbage: random.maybe(0.3),
});

class FileState {
  /** What is on disk for certain. The buffer may be larger than the file. */
  bytes = Buffer.alloc(0);
  size = 0;
  /** Writes and truncations since the last sync. */
  pending: DiskRecord[] = [];

  apply({ kind, offset, data }: DiskRecord, isKept: (sector: number) => boolean = () => true, garbage = 0) {
    if (kind === 'truncate') {
      this.bytes.fill(0, Math.min(offset, this.size), this.size);
      this.#grow(offset);
      this.size = offset;
      return;
    }
    const end = offset + data.length;
    this.#grow(end);
    for (let from = offset; from < end; ) {
      const to = Math.min(end, from - (from % SECTOR_BYTES) + SECTOR_BYTES);
      if (isKept(Math.floor(from / SECTOR_BYTES))) data.copy(this.bytes, from, from - offset, to - offset);
      else if (from >= this.size) this.bytes.fill(garbage, from, to);
      from = to;
    }
    this.size = Math.max(this.size, end);
  }

  /** What may be on disk. */
  draw(random: Random, fate: Fate): Buffer {
    const copy = new FileState();
    copy.bytes = Buffer.alloc(this.bytes.length);
    this.bytes.copy(copy.bytes, 0, 0, this.size);
    copy.size = this.size;
    copy.keepSome(this.pending, random, fate);
    return copy.bytes.subarray(0, copy.size);
  }

  keepSome(records: DiskRecord[], random: Random, { kept, torn, garbage }: Fate): void {
    for (const record of records) {
      const filler = garbage ? 1 + random.below(255) : 0;
      if (record.kind === 'write' && random.maybe(torn)) this.apply(record, () => random.maybe(kept), filler);
      else if (random.maybe(kept)) this.apply(record);
    }
  }

  sync(): void {
    for (const record of this.pending) this.apply(record);
    this.pending = [];
  }

  #grow(size: number): void {
    if (size <= this.bytes.length) return;
    const grown = Buffer.alloc(Math.max(size, 2 * this.bytes.length));
    this.bytes.copy(grown, 0, 0, this.size);
    this.bytes = grown;
  }
}

/** A name that was added to its directory, or removed from it. */
interface NameChange {
  path: string;
  target: FileState | 'directory' | undefined;
}

export class DiskState {
  readonly #root: string;
  readonly #random: Random;
  readonly #ignoresSyncs: boolean;
  /** The names as processes see them, and as they are on disk for certain. */
  readonly #names = new Map<string, FileState>();
  readonly #durable = new Map<string, FileState | 'directory'>();
  #pending: NameChange[] = [];

  /** `root` is a folder that existed before the log. `ignoresSyncs` of files is the control. */
  constructor(root: string, random: Random, ignoresSyncs = false) {
    this.#root = root;
    this.#random = random;
    this.#ignoresSyncs = ignoresSyncs;
  }

  replay(record: DiskRecord): void {
    const { kind, path } = record;
    const file = this.#names.get(path);
    if (kind === 'create') {
      const target = new FileState();
      this.#names.set(path, target);
      this.#pending.push({ path, target });
    } else if (kind === 'mkdir') this.#pending.push({ path, target: 'directory' });
    else if (kind === 'unlink') {
      this.#names.delete(path);
      this.#pending.push({ path, target: undefined });
    } else if (kind === 'write' || kind === 'truncate') file?.pending.push(record);
    else if (kind === 'sync-directory') this.#syncDirectory(path);
    else if (this.#ignoresSyncs) return;
    else if (kind === 'sync') file?.sync();
    else if (kind === 'failed-sync' && file) {
      file.keepSome(file.pending, this.#random, chooseFate(this.#random));
      file.pending = [];
    }
  }

  /** Writes one of the possible states into a folder that takes the part of `root`. */
  writeImage(folder: string, random: Random): void {
    const fate = chooseFate(random);
    const names = new Map(this.#durable);
    for (const change of this.#pending) if (random.maybe(fate.kept)) setName(names, change);
    // Folders precede what is in them.
    for (const [path, target] of [...names].sort(([a], [b]) => a.length - b.length)) {
      const copy = join(folder, relative(this.#root, path));
      // A file is lost with the name of its folder.
      if (dirname(path) !== this.#root && !names.has(dirname(path))) continue;
      if (target === 'directory') mkdirSync(copy, { recursive: true });
      else writeFileSync(copy, target.draw(random, fate));
    }
  }

  #syncDirectory(directory: string): void {
    for (const change of this.#pending)
      if (dirname(change.path) === directory) setName(this.#durable, change);
    this.#pending = this.#pending.filter(({ path }) => dirname(path) !== directory);
  }
}

function setName(names: Map<string, FileState | 'directory'>, { path, target }: NameChange): void {
  if (target) names.set(path, target);
  else names.delete(path);
}
