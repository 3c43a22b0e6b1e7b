/** A window on a stream of bytes, addressed by offsets in the stream, that knows its line. */

const MIN_CAPACITY = 1 << 17;
const NEWLINE = 0x0a;

export class ByteWindow {
  /** Offsets of the first byte in the window and behind the last one. */
  start = 0;
  end = 0;
  /** Position of the byte at `start`. */
  line = 1;
  column = 1;
  /** The stream has ended. */
  isComplete = false;

  #iterator: AsyncIterator<Uint8Array>;
  #buffer: Buffer = Buffer.allocUnsafe(MIN_CAPACITY);
  /** Offset of the first byte of the buffer. */
  #base = 0;
  /** No pattern occurs between `origin` and `at`, or between `origin` and `searched` if `at` is -1. */
  readonly #found = new Map<string, { origin: number; at: number; searched: number }>();

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#iterator = chunks[Symbol.asyncIterator]();
  }

  /** Reads more; false at the end of the stream. */
  async fill(): Promise<boolean> {
    if (this.isComplete) return false;
    const { value, done } = await this.#iterator.next();
    if (done) {
      this.isComplete = true;
      return false;
    }
    this.#reserve(value.length);
    this.#buffer.set(value, this.end - this.#base);
    this.end += value.length;
    return true;
  }

  #reserve(bytes: number): void {
    const kept = this.end - this.start;
    if (this.end - this.#base + bytes <= this.#buffer.length) return;
    const isRoomy = (kept + bytes) * 2 <= this.#buffer.length;
    const target = isRoomy ? this.#buffer : Buffer.allocUnsafe(Math.max(MIN_CAPACITY, (kept + bytes) * 2));
    this.#buffer.copy(target, 0, this.start - this.#base, this.end - this.#base);
    this.#buffer = target;
    this.#base = this.start;
  }

  byteAt(offset: number): number {
    return this.#buffer[offset - this.#base]!;
  }

  /** A view that is valid until the next read. */
  slice(from: number, to: number): Buffer {
    return this.#buffer.subarray(from - this.#base, to - this.#base);
  }

  /** The first occurrence of the pattern at or behind the offset within the window, or -1. */
  indexOf(pattern: string, from: number): number {
    const known = this.#found.get(pattern);
    let begin = Math.max(from, this.start);
    if (known && known.origin <= from) {
      if (known.at >= from) return known.at;
      if (known.at < 0) begin = Math.max(begin, known.searched);
    }
    const index = this.slice(this.#base, this.end).indexOf(pattern, begin - this.#base, 'latin1');
    const at = index < 0 ? -1 : index + this.#base;
    const searched = Math.max(begin, this.end - pattern.length + 1);
    this.#found.set(pattern, { origin: from, at, searched });
    return at;
  }

  /** Moves the beginning of the window. */
  consume(to: number): void {
    const view = this.slice(this.start, to);
    let lineStart = 0;
    for (let at = view.indexOf(NEWLINE); at >= 0; at = view.indexOf(NEWLINE, at + 1)) {
      this.line++;
      this.column = 1;
      lineStart = at + 1;
    }
    for (let at = lineStart; at < view.length; at++) if ((view[at]! & 0xc0) !== 0x80) this.column++;
    this.start = to;
  }

  async close(): Promise<void> {
    await this.#iterator.return?.();
  }
}
