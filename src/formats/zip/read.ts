/**
 * Reads zip archives by their central directory, within limits. Nothing is written to disk, and no
 * archive within an archive is opened.
 */
import { crc32 } from 'node:zlib';
import { type Entry, fromBufferPromise, openPromise, type ZipFile } from 'yauzl';
import { type FileSource, UnreadableFile } from '../format.ts';
import { RejectItem } from '../reject-item.ts';

const MAX_ENTRIES = 200_000;
const MAX_TOTAL_BYTES = 2 ** 31;
/** Archives that expand to less are not suspected. */
const MIN_SUSPECT_BYTES = 10_000_000;
const MAX_RATIO = 200;
/** Without a path on disk the archive is kept in memory. */
const MAX_ARCHIVE_BYTES = 256_000_000;
const UNIX_TYPE = 0o170000;
const UNIX_LINK = 0o120000;

export interface ZipArchive {
  /** Paths of files in the order of the directory, with `/` between folders. */
  paths: string[];
  has(path: string): boolean;
  sizeOf(path: string): number;
  /** @throws RejectItem if the entry is larger or damaged. */
  read(path: string, maxBytes: number): Promise<Buffer>;
  stream(path: string): AsyncIterable<Uint8Array>;
  close(): void;
}

/** @throws UnreadableFile */
export async function openZip(source: FileSource): Promise<ZipArchive> {
  const options = { lazyEntries: true, autoClose: false } as const;
  let zip: ZipFile;
  try {
    zip =
      source.path === undefined
        ? await fromBufferPromise(await collect(source), options)
        : await openPromise(source.path, options);
  } catch (error) {
    throw toUnreadable(error);
  }
  try {
    return new Archive(zip, await listEntries(zip));
  } catch (error) {
    zip.close();
    throw toUnreadable(error);
  }
}

async function collect(source: FileSource): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of source.stream()) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_ARCHIVE_BYTES)
      throw new UnreadableFile(
        'zip_too_large',
        `An archive from a stream may have ${MAX_ARCHIVE_BYTES} bytes at most. Read it from a file.`,
      );
  }
  return Buffer.concat(chunks);
}

function toUnreadable(error: unknown): unknown {
  if (error instanceof UnreadableFile) return error;
  const { message, code } = error as Error & { code?: string };
  if (code !== undefined && !code.startsWith('ERR_')) return error;
  if (/invalid relative path|absolute path|invalid characters in fileName/i.test(message))
    return new UnreadableFile('zip_unsafe', `The archive has an unsafe name: ${message}. It is refused.`);
  return new UnreadableFile(
    'zip_damaged',
    `The archive is damaged: ${message}. Export or download it again.`,
  );
}

async function listEntries(zip: ZipFile): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  if (zip.entryCount > MAX_ENTRIES)
    throw new UnreadableFile('zip_too_large', `The archive has more than ${MAX_ENTRIES} files.`);
  let total = 0;
  let packed = 0;
  for await (const entry of zip.eachEntry()) {
    const path = entry.fileName.normalize('NFC');
    if (path.endsWith('/')) continue;
    total += entry.uncompressedSize;
    packed += entry.compressedSize;
    if (total > MAX_TOTAL_BYTES || (total > MIN_SUSPECT_BYTES && total > packed * MAX_RATIO))
      throw new UnreadableFile(
        'zip_too_large',
        'The archive expands to far more than its size. It is refused.',
      );
    if (((entry.externalFileAttributes >>> 16) & UNIX_TYPE) === UNIX_LINK)
      throw new UnreadableFile('zip_unsafe', `The archive has a link (${path}). It is refused.`);
    if (entry.isEncrypted())
      throw new UnreadableFile('zip_encrypted', 'The archive is encrypted. Export it without a password.');
    if (!entries.has(path)) entries.set(path, entry);
  }
  return entries;
}

class Archive implements ZipArchive {
  readonly paths: string[];
  readonly #zip: ZipFile;
  readonly #entries: Map<string, Entry>;

  constructor(zip: ZipFile, entries: Map<string, Entry>) {
    this.#zip = zip;
    this.#entries = entries;
    this.paths = [...entries.keys()];
  }

  has(path: string): boolean {
    return this.#entries.has(path);
  }

  sizeOf(path: string): number {
    return this.#entries.get(path)?.uncompressedSize ?? 0;
  }

  async read(path: string, maxBytes: number): Promise<Buffer> {
    const entry = this.#entries.get(path)!;
    if (entry.uncompressedSize > maxBytes)
      throw new RejectItem('item_too_large', `${path} is larger than ${maxBytes} bytes.`, { line: 1, path });
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.stream(path)) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    if (crc32(bytes) !== entry.crc32) throw damaged(path, 'its checksum is wrong');
    return bytes;
  }

  async *stream(path: string): AsyncGenerator<Uint8Array> {
    const entry = this.#entries.get(path);
    if (!entry) throw damaged(path, 'it is not in the archive');
    try {
      yield* await this.#zip.openReadStreamPromise(entry);
    } catch (error) {
      throw damaged(path, (error as Error).message);
    }
  }

  close(): void {
    this.#zip.close();
  }
}

const damaged = (path: string, reason: string) =>
  new RejectItem('zip_damaged', `${path} cannot be unpacked: ${reason}.`, { line: 1, path });
