/**
 * The encoding of an XML file: by option, byte order mark, declaration, strict UTF-8, and else
 * Windows-1252 with a notice.
 */
import { isUtf8 } from 'node:buffer';
import { UnreadableFile } from '../format.ts';

export interface DecodedText {
  text: string;
  /** The bytes are not of the encoding that the file names. */
  isGuess: boolean;
}

export interface EncodedStream {
  /** Bytes in which `<` and `>` are single bytes: UTF-16 is converted to UTF-8. */
  chunks: AsyncIterable<Uint8Array>;
  decode(bytes: Uint8Array): DecodedText;
  isUtf8: boolean;
}

const DECLARATION = /^\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']/;
const PEEK_BYTES = 1_024;
/** Bytes of one character, apart from ASCII: a declaration in them is unreadable before decoding. */
const WIDE = /^utf-?16|^ucs-?2|^iso-10646/i;

/** @throws UnreadableFile for an encoding that does not exist. */
export async function openEncoded(
  source: AsyncIterable<Uint8Array>,
  encoding: string | undefined,
): Promise<EncodedStream> {
  const iterator = source[Symbol.asyncIterator]();
  const parts: Uint8Array[] = [];
  let length = 0;
  while (length < PEEK_BYTES) {
    const { value, done } = await iterator.next();
    if (done) break;
    parts.push(value);
    length += value.length;
  }
  const head = Buffer.concat(parts);
  const all = async function* () {
    if (head.length > 0) yield head as Uint8Array;
    yield* { [Symbol.asyncIterator]: () => iterator };
  };
  const { label, bomBytes } = detectXmlEncoding(head, encoding);
  if (label === 'utf-16le' || label === 'utf-16be')
    return { chunks: toUtf8(all(), label), decode: (bytes) => decodeBytes(bytes, 'utf-8'), isUtf8: true };
  return {
    chunks: bomBytes > 0 ? skipBytes(all(), bomBytes) : all(),
    decode: (bytes) => decodeBytes(bytes, label),
    isUtf8: label === 'utf-8',
  };
}

/** Decodes a whole document. */
export function decodeDocument(bytes: Uint8Array, encoding?: string): DecodedText {
  const { label, bomBytes } = detectXmlEncoding(bytes, encoding);
  return decodeBytes(bytes.subarray(bomBytes), label);
}

function detectXmlEncoding(head: Uint8Array, encoding?: string): { label: string; bomBytes: number } {
  const [a, b, c, d] = head;
  if (a === 0xef && b === 0xbb && c === 0xbf) return { label: 'utf-8', bomBytes: 3 };
  if (a === 0xff && b === 0xfe) return { label: 'utf-16le', bomBytes: 2 };
  if (a === 0xfe && b === 0xff) return { label: 'utf-16be', bomBytes: 2 };
  if (encoding !== undefined) {
    const label = toLabel(encoding);
    if (label === undefined)
      throw new UnreadableFile(
        'encoding_unknown',
        `There is no encoding "${encoding}". Use utf-8, for example.`,
      );
    return { label, bomBytes: 0 };
  }
  if (a === 0x3c && b === 0 && d === 0) return { label: 'utf-16le', bomBytes: 0 };
  if (a === 0 && b === 0x3c && c === 0) return { label: 'utf-16be', bomBytes: 0 };
  const declared = DECLARATION.exec(toBuffer(head.subarray(0, PEEK_BYTES)).toString('latin1'))?.[1];
  // A declaration that is readable as ASCII disproves the UTF-16 that it names.
  const label = declared === undefined || WIDE.test(declared) ? undefined : toLabel(declared);
  return { label: label ?? 'utf-8', bomBytes: 0 };
}

/** The label of the WHATWG encoding standard, if there is one. */
function toLabel(name: string): string | undefined {
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return undefined;
  }
}

function decodeBytes(bytes: Uint8Array, label: string): DecodedText {
  if (label !== 'utf-8')
    return { text: new TextDecoder(label, { ignoreBOM: true }).decode(bytes), isGuess: false };
  if (isUtf8(bytes)) return { text: toBuffer(bytes).toString(), isGuess: false };
  return { text: new TextDecoder('windows-1252').decode(bytes), isGuess: true };
}

/** The same bytes, not copied. */
const toBuffer = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);

async function* skipBytes(chunks: AsyncIterable<Uint8Array>, count: number) {
  let left = count;
  for await (const chunk of chunks) {
    const skipped = Math.min(left, chunk.length);
    left -= skipped;
    if (skipped < chunk.length) yield chunk.subarray(skipped);
  }
}

async function* toUtf8(chunks: AsyncIterable<Uint8Array>, label: string): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder(label);
  for await (const chunk of chunks) yield Buffer.from(decoder.decode(chunk, { stream: true }));
  yield Buffer.from(decoder.decode());
}
