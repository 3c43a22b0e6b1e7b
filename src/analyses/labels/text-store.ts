/** Keeps texts outside the heap of the engine, which a million of them would fill: as bytes, read back when needed. */

const CHUNK = 2 ** 22;
/** No text has this character: it is refused when questions come in. */
const SEPARATOR = '\u0000';

export class TextStore {
  #encoder = new TextEncoder();
  #decoder = new TextDecoder();
  #chunks: Uint8Array[] = [];
  #filled = CHUNK;
  #count = 0;
  #starts: Float64Array;
  #lengths: Uint32Array;

  constructor(count: number) {
    this.#starts = new Float64Array(count);
    this.#lengths = new Uint32Array(count);
  }

  /** The next row: a few texts, far shorter than a chunk together. */
  add(texts: readonly string[]): void {
    const bytes = this.#encoder.encode(texts.join(SEPARATOR));
    if (this.#filled + bytes.length > CHUNK) {
      this.#chunks.push(new Uint8Array(CHUNK));
      this.#filled = 0;
    }
    this.#chunks.at(-1)!.set(bytes, this.#filled);
    this.#starts[this.#count] = (this.#chunks.length - 1) * CHUNK + this.#filled;
    this.#lengths[this.#count] = bytes.length;
    this.#filled += bytes.length;
    this.#count++;
  }

  get(row: number): string[] {
    const start = this.#starts[row]!;
    const chunk = this.#chunks[Math.floor(start / CHUNK)]!;
    const from = start % CHUNK;
    return this.#decoder.decode(chunk.subarray(from, from + this.#lengths[row]!)).split(SEPARATOR);
  }
}
