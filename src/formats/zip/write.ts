/** Writes zip archives as a stream. The same files give the same bytes. */
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';

export interface ZipContent {
  path: string;
  content: Uint8Array | AsyncIterable<Uint8Array>;
}

/** In local time, which the format has. */
const FIXED_TIME = new Date(1980, 0, 1);
const OPTIONS = { mtime: FIXED_TIME, forceDosTimestamp: true, mode: 0o100644 };

export async function* writeZip(files: AsyncIterable<ZipContent>): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  const closed = new AbortController();
  output.once('close', () => closed.abort());
  const feed = async () => {
    for await (const { path, content } of files) {
      const stream = content instanceof Uint8Array ? Readable.from([content]) : Readable.from(content);
      stream.once('error', (error) => output.destroy(error));
      const ended = once(stream, 'close', { signal: closed.signal }).catch(() => {});
      zip.addReadStreamLazy(path, OPTIONS, (callback) => callback(null, stream));
      await ended;
      if (output.destroyed) return;
    }
    zip.end();
  };
  const feeding = feed().catch((error) => output.destroy(error));
  try {
    yield* output as AsyncIterable<Uint8Array>;
    await feeding;
  } finally {
    output.destroy();
  }
}
