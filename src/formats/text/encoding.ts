/**
 * Decodes a file to text, chunk by chunk. The encoding is that of the byte order mark, else of
 * the option, else UTF-16 where every second byte is zero, else UTF-8 while the bytes are valid,
 * else Windows-1252 with a notice.
 *
 * A file that is ASCII up to its first invalid byte is Windows-1252 from there on, which is right
 * for the ASCII part too. A file with valid multi-byte characters before that byte stays UTF-8, and
 * only its invalid bytes are read as Windows-1252.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import { type FileSource, type Notice, type ReadOptions, UnreadableFile } from '../format.ts';

/** The bytes from which an encoding is found. */
const HEAD_BYTES = 64 * 1024;
const NEWLINE = 10;
const WINDOWS_1252 = new TextDecoder('windows-1252');

export interface DecodedText {
  /** Filled while the chunks are read. A reader takes its elements away. */
  notices: Notice[];
  /** Never empty strings. A character is never split between two chunks. */
  chunks(): AsyncGenerator<string, void, undefined>;
  /**
   * The bytes of a text of this file: in the encoding of the file if that is UTF-8 or has one byte
   * per character, else in UTF-8.
   */
  encode(text: string): Uint8Array;
}

export function decodeFile(source: FileSource, options: ReadOptions): DecodedText {
  if (options.encoding !== undefined) createDecoder(options.encoding); // Refuses an unknown label.
  const decoder = new FileDecoder(options.encoding);
  return {
    notices: decoder.notices,
    encode: (text) => decoder.encode(text),
    async *chunks() {
      let head: Buffer[] | undefined = [];
      let headBytes = 0;
      for await (const chunk of source.stream()) {
        const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
        if (head === undefined) {
          const text = decoder.decode(bytes, false);
          if (text !== '') yield text;
          continue;
        }
        head.push(bytes);
        headBytes += bytes.length;
        if (headBytes < HEAD_BYTES) continue;
        const text = decoder.decode(Buffer.concat(head), false);
        head = undefined;
        if (text !== '') yield text;
      }
      const text = decoder.decode(Buffer.concat(head ?? []), true);
      if (text !== '') yield text;
    },
  };
}

/** Decodes the first bytes of a file, to recognise its format. */
export function decodeHead(head: Uint8Array): string {
  return new FileDecoder(undefined).decode(Buffer.from(head), false);
}

class FileDecoder {
  readonly notices: Notice[] = [];
  readonly #label: string | undefined;
  #mode: 'undecided' | 'utf-8' | 'windows-1252' | 'other' = 'undecided';
  #other: TextDecoder | undefined;
  /** Bytes of an incomplete character at the end of the last chunk. */
  #rest: Buffer = Buffer.alloc(0);
  #lines = 0;
  #hasMultiByte = false;
  #hasNotice = false;
  #bytesByCharacter: Map<string, number> | undefined;

  constructor(label: string | undefined) {
    this.#label = label;
  }

  decode(chunk: Buffer, isLast: boolean): string {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = Buffer.alloc(0);
    if (this.#mode === 'undecided') {
      const skipped = this.#decide(bytes);
      bytes = bytes.subarray(skipped);
    }
    const text =
      this.#mode === 'utf-8'
        ? this.#decodeUtf8(bytes, isLast)
        : this.#mode === 'windows-1252'
          ? WINDOWS_1252.decode(bytes)
          : this.#decodeOther(bytes, isLast);
    this.#lines += countNewlines(bytes);
    return text;
  }

  /** Returns the number of bytes to skip. `TextDecoder` skips the mark of its own encoding. */
  #decide(bytes: Buffer): number {
    const mark = findByteOrderMark(bytes);
    const label = mark?.label ?? this.#label ?? findUtf16(bytes) ?? 'utf-8';
    this.#other = createDecoder(label);
    const { encoding } = this.#other;
    this.#mode = encoding === 'utf-8' || encoding === 'windows-1252' ? encoding : 'other';
    return this.#mode === 'utf-8' ? (mark?.length ?? 0) : 0;
  }

  #decodeOther(bytes: Buffer, isLast: boolean): string {
    const text = this.#other!.decode(bytes, { stream: !isLast });
    if (text.includes('\uFFFD'))
      this.#addNotice(
        'invalid_bytes',
        `The file has bytes that are not ${this.#other!.encoding}. Name its encoding.`,
        countNewlines(Buffer.from(text.slice(0, text.indexOf('\uFFFD')))),
      );
    return text;
  }

  #decodeUtf8(bytes: Buffer, isLast: boolean): string {
    const end = isLast ? bytes.length : findCompleteEnd(bytes);
    const whole = bytes.subarray(0, end);
    this.#rest = Buffer.from(bytes.subarray(end));
    if (isAscii(whole)) return whole.toString('latin1');
    if (isUtf8(whole)) {
      this.#hasMultiByte = true;
      return whole.toString('utf8');
    }
    return this.#decodeInvalid(whole, bytes);
  }

  #decodeInvalid(bytes: Buffer, withRest: Buffer): string {
    const parts = splitUtf8(bytes);
    const invalid = parts.find(({ isValid }) => !isValid)!;
    const line = countNewlines(bytes.subarray(0, invalid.start));
    const valid = parts.reduce((sum, part) => sum + (part.isValid ? part.multiByte : 0), 0);
    const bad = parts.filter(({ isValid }) => !isValid).length;
    if (!this.#hasMultiByte && valid <= bad && this.#label === undefined) {
      this.#mode = 'windows-1252';
      this.#addNotice(
        'encoding_assumed',
        'The file is not valid UTF-8 and is read as Windows-1252. If characters are wrong, name its encoding.',
        line,
      );
      this.#rest = Buffer.alloc(0);
      return WINDOWS_1252.decode(withRest);
    }
    this.#hasMultiByte = true;
    this.#addNotice(
      'invalid_bytes',
      'The file is UTF-8 but has invalid bytes, which are read as Windows-1252. Check the characters on this line.',
      line,
    );
    return parts
      .map(({ isValid, start, end }) =>
        isValid ? bytes.toString('utf8', start, end) : WINDOWS_1252.decode(bytes.subarray(start, end)),
      )
      .join('');
  }

  /** One notice for each file: the first place is the one to look at. */
  #addNotice(code: string, detail: string, line: number): void {
    if (this.#hasNotice) return;
    this.#hasNotice = true;
    this.notices.push({ code, detail, position: { line: this.#lines + line + 1 } });
  }

  encode(text: string): Uint8Array {
    if (this.#mode !== 'windows-1252' && !(this.#mode === 'other' && isSingleByte(this.#other!.encoding)))
      return Buffer.from(text);
    this.#bytesByCharacter ??= listCharacters(this.#mode === 'other' ? this.#other! : WINDOWS_1252);
    const bytes = Buffer.allocUnsafe(text.length);
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      bytes[i] = code < 0x80 ? code : (this.#bytesByCharacter.get(text[i]!) ?? 0x3f);
    }
    return bytes;
  }
}

function createDecoder(label: string): TextDecoder {
  try {
    return new TextDecoder(label);
  } catch {
    throw new UnreadableFile(
      'encoding_unknown',
      `The encoding "${label}" is unknown. Use a label such as utf-8, utf-16le, windows-1252, iso-8859-2, koi8-r, shift_jis or gb18030.`,
    );
  }
}

function findByteOrderMark(bytes: Buffer): { label: string; length: number } | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return { label: 'utf-8', length: 3 };
  if (bytes[0] === 0xff && bytes[1] === 0xfe) {
    if (bytes.length >= 4 && bytes[2] === 0 && bytes[3] === 0)
      throw new UnreadableFile('encoding_unknown', 'The file is UTF-32. Save it as UTF-8.');
    return { label: 'utf-16le', length: 2 };
  }
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { label: 'utf-16be', length: 2 };
}

/** UTF-16 without a byte order mark: at least a third of the bytes in even or odd places are 0. */
function findUtf16(bytes: Buffer): string | undefined {
  const length = Math.min(bytes.length, HEAD_BYTES);
  const zeros = [0, 0];
  for (let i = 0; i < length; i++) if (bytes[i] === 0) zeros[i % 2]!++;
  const few = length / 6;
  if (length >= 4 && zeros[1]! > few && zeros[0]! < few / 4) return 'utf-16le';
  if (length >= 4 && zeros[0]! > few && zeros[1]! < few / 4) return 'utf-16be';
}

function countNewlines(bytes: Buffer): number {
  let count = 0;
  for (let i = bytes.indexOf(NEWLINE); i !== -1; i = bytes.indexOf(NEWLINE, i + 1)) count++;
  return count;
}

/** The end of the last complete character of UTF-8, if its beginning is within the last 3 bytes. */
function findCompleteEnd(bytes: Buffer): number {
  for (let i = bytes.length - 1; i >= Math.max(0, bytes.length - 3); i--) {
    const byte = bytes[i]!;
    if (byte < 0x80) return bytes.length;
    if (byte < 0xc0) continue;
    const length = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return i + length > bytes.length ? i : bytes.length;
  }
  return bytes.length;
}

interface Utf8Part {
  isValid: boolean;
  start: number;
  end: number;
  /** The number of characters of several bytes. */
  multiByte: number;
}

/** Divides bytes into valid UTF-8 and single invalid bytes. */
function splitUtf8(bytes: Buffer): Utf8Part[] {
  const parts: Utf8Part[] = [];
  let start = 0;
  let multiByte = 0;
  const close = (end: number) => {
    if (end > start) parts.push({ isValid: true, start, end, multiByte });
    multiByte = 0;
  };
  for (let i = 0; i < bytes.length; ) {
    const byte = bytes[i]!;
    const length = byte < 0x80 ? 1 : byte < 0xc2 ? 0 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    if (length > 0 && isUtf8(bytes.subarray(i, i + length)) && i + length <= bytes.length) {
      if (length > 1) multiByte++;
      i += length;
      continue;
    }
    close(i);
    parts.push({ isValid: false, start: i, end: i + 1, multiByte: 0 });
    start = ++i;
  }
  close(bytes.length);
  return parts;
}

const isSingleByte = (encoding: string) =>
  /^(windows-|iso-8859-|koi8-|macintosh|x-mac-|ibm866)/.test(encoding);

function listCharacters(decoder: TextDecoder): Map<string, number> {
  const single = new TextDecoder(decoder.encoding);
  return new Map(
    Array.from({ length: 128 }, (_, i) => [single.decode(Uint8Array.of(i + 128)), i + 128] as const),
  );
}
