/** Stores texts as UTF-8 outside the JavaScript heap, which a million of them would fill. */

const CHUNK_BYTES = 2 ** 22;
/** No text contains this character: the API rejects it. */
const SEPARATOR = '\u0000';

export class TextStore {
  #encoder = new TextEncoder();
  #decoder = new TextDecoder();
  #chunks: Uint8Array[] = [];
  #filled = CHUNK_BYTES;
  #count = 0;
  #starts: Float64Array;
  #lengths: Uint32Array;

  constructor(capacity: number) {
    this.#starts = new Float64Array(capacity);
    this.#lengths = new Uint32Array(capacity);
  }

  /** Appends a row of texts. Together they must be shorter than a chunk. */
  add(texts: readonly string[]): void {
    const bytes = this.#encoder.encode(texts.join(SEPARATOR));
    if (this.#filled + bytes.length > CHUNK_BYTES) {
      this.#chunks.push(new Uint8Array(CHUNK_BYTES));
      this.#filled = 0;
    }
    this.#chunks.at(-1)!.set(bytes, this.#filled);
    this.#starts[this.#count] = (this.#chunks.length - 1) * CHUNK_BYTES + this.#filled;
    this.#lengths[this.#count] = bytes.length;
    this.#filled += bytes.length;
    this.#count++;
  }

  get(row: number): string[] {
    const start = this.#starts[row]!;
    const chunk = this.#chunks[Math.floor(start / CHUNK_BYTES)]!;
    const offset = start % CHUNK_BYTES;
    return this.#decoder.decode(chunk.subarray(offset, offset + this.#lengths[row]!)).split(SEPARATOR);
  }
}
