/** Reads any file of QTI: a package, an item of 2.x or 3.0, or a file of 1.2. */
import {
  DEFAULT_MAX_ITEM_BYTES,
  type FileSource,
  type ReadItem,
  type ReadOptions,
  UnreadableFile,
} from '../format.ts';
import { readQti12 } from '../qti12/read.ts';
import { isZip } from '../zip/detect.ts';
import { readDocument, sniff } from './document.ts';
import { readPackage } from './package.ts';

const SNIFF_BYTES = 64 * 1024;

export async function* readQti(source: FileSource, options: ReadOptions): AsyncGenerator<ReadItem> {
  const iterator = source.stream()[Symbol.asyncIterator]();
  const parts: Uint8Array[] = [];
  const readUpTo = async (limit: number) => {
    for (let bytes = Buffer.concat(parts).length; bytes < limit; ) {
      const { value, done } = await iterator.next();
      if (done) return true;
      parts.push(value);
      bytes += value.length;
    }
    return false;
  };
  try {
    await readUpTo(SNIFF_BYTES);
    const head = Buffer.concat(parts);
    if (isZip(head)) {
      await iterator.return?.();
      return yield* readPackage(source, options);
    }
    const kind = sniff(head);
    if (kind === 'qti12') return yield* readQti12(continueWith(head, iterator), options);
    if (kind !== 'item') throw toUnreadable(kind);
    const maxBytes = options.maxItemBytes ?? DEFAULT_MAX_ITEM_BYTES;
    const position = { line: 1 };
    if (await readUpTo(maxBytes + 1)) yield await readDocument(Buffer.concat(parts), position, options);
    else {
      const detail = `The item is larger than ${maxBytes} bytes. Remove embedded files.`;
      yield { kind: 'reject', value: { code: 'item_too_large', detail, position, raw: undefined } };
    }
  } finally {
    await iterator.return?.();
  }
}

async function* continueWith(
  head: Uint8Array,
  iterator: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield head;
  yield* { [Symbol.asyncIterator]: () => iterator };
}

const toUnreadable = (kind: 'test' | 'manifest' | undefined) =>
  kind === undefined
    ? new UnreadableFile('not_qti', 'The file is neither an item nor a package of QTI.')
    : new UnreadableFile('needs_package', `This ${kind} only names its items. Read the whole package (zip).`);
