/** Reads and writes files of formats in memory. */
import assert from 'node:assert/strict';
import type {
  FileSource,
  Format,
  Notice,
  PortableQuestion,
  ReadItem,
  ReadOptions,
  ReadQuestion,
  Reject,
  WriteNotice,
} from '../../src/formats/format.ts';

/** A file in memory, in chunks of at most this many bytes. */
export function toSource(content: string | Uint8Array, chunkBytes = 64 * 1024): FileSource {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return {
    async *stream() {
      for (let i = 0; i < bytes.length; i += chunkBytes) yield bytes.subarray(i, i + chunkBytes);
    },
  };
}

export interface ReadFile {
  items: ReadItem[];
  questions: PortableQuestion[];
  read: ReadQuestion[];
  rejects: Reject[];
  /** Those of the file and of its questions. */
  notices: Notice[];
}

export async function readAll(
  format: Format,
  content: string | Uint8Array | FileSource,
  options: ReadOptions = {},
  chunkBytes?: number,
): Promise<ReadFile> {
  const source =
    typeof content === 'string' || content instanceof Uint8Array ? toSource(content, chunkBytes) : content;
  const items: ReadItem[] = [];
  for await (const item of format.read!(source, options)) items.push(item);
  const read = items.flatMap((item) => (item.kind === 'question' ? [item.value] : []));
  return {
    items,
    read,
    questions: read.map(({ question }) => question),
    rejects: items.flatMap((item) => (item.kind === 'reject' ? [item.value] : [])),
    notices: [
      ...items.flatMap((item) => (item.kind === 'notice' ? [item.value] : [])),
      ...read.flatMap(({ notices }) => notices),
    ],
  };
}

export async function writeAll(
  format: Format,
  questions: PortableQuestion[],
): Promise<{ bytes: Buffer; text: string; notices: WriteNotice[] }> {
  const notices: WriteNotice[] = [];
  const chunks: Uint8Array[] = [];
  const stream = format.write!(toAsync(questions), { onNotice: (notice) => notices.push(notice) });
  for await (const chunk of stream) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  return { bytes, text: bytes.toString(), notices };
}

export async function* toAsync<T>(list: Iterable<T>): AsyncGenerator<T> {
  yield* list;
}

export const listCodes = (list: { code: string }[]) => list.map(({ code }) => code);

/** Every notice of a read or written file has a declared loss. */
export function assertDeclared(format: Format, notices: { code: string }[]): void {
  const unknown = listCodes(notices).filter((code) => !(code in format.losses));
  assert.deepEqual([...new Set(unknown)], [], `losses of ${format.name}`);
}

/**
 * Reading a prefix of the file of any length neither fails with another error than `UnreadableFile`
 * nor hangs.
 */
export async function assertSurvivesCuts(format: Format, content: Uint8Array, step = 1): Promise<void> {
  for (let length = 0; length <= content.length; length += step) {
    try {
      await readAll(format, content.subarray(0, length));
    } catch (error) {
      assert.equal((error as Error).name, 'UnreadableFile', `${format.name} cut at ${length}: ${error}`);
    }
  }
}
