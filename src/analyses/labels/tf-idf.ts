/**
 * Texts as rows of weighted terms (tf-idf): a term counts the more the fewer texts have it, and every row has the length
 * 1. Whether a term stands in a text counts, not how often: in texts this short that tells more. Terms are numbered by
 * their hashes, so that no dictionary is kept.
 */

/** Places for hashes: so many for each text that few terms share one, within what there is memory for. */
const PLACES_PER_TEXT = 256;
const LEAST_BITS = 16;
const MOST_BITS = 22;
const CHUNK = 2 ** 20;
/** Texts between two breaths. */
const BREATH = 20_000;

/** Rows of terms, one after the other: those of row i are terms[starts[i]] up to terms[starts[i + 1]]. */
export interface TfIdfMatrix {
  readonly count: number;
  /** How many terms there are. They are numbered from 0. */
  readonly termCount: number;
  readonly starts: Uint32Array;
  readonly terms: Uint32Array;
  /** By term: how much it counts in a row, before that is made as long as all others. */
  readonly idf: Float64Array;
  /** By row: what makes its length 1. */
  readonly scales: Float64Array;
  /** The number of a term; -1 if it was left out. */
  findTerm(term: string): number;
}

/** FNV-1a, its bits mixed once more so that the lower ones depend on all. */
export function hashTerm(text: string, seed = 0x811c9dc5): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/** The usual smoothed one: as if there were one more text, with every term. */
const inverseFrequency = (texts: number, having: number): number => Math.log((1 + texts) / (1 + having)) + 1;

export class TfIdfVectorizer {
  #chunks: Uint32Array[] = [];
  #filled = 0;
  #count = 0;
  #starts: Uint32Array;
  /** By hash: in how many texts, and in which one last. */
  #frequencies: Uint32Array;
  #last: Uint32Array;
  #mask: number;

  constructor(count: number) {
    this.#starts = new Uint32Array(count + 1);
    const bits = Math.ceil(Math.log2(Math.max(1, count * PLACES_PER_TEXT)));
    const places = 2 ** Math.min(MOST_BITS, Math.max(LEAST_BITS, bits));
    this.#frequencies = new Uint32Array(places);
    this.#last = new Uint32Array(places);
    this.#mask = places - 1;
  }

  /** The next text, as its terms. */
  add(terms: Iterable<string>): void {
    this.#count++;
    for (const term of terms) {
      const bucket = hashTerm(term) & this.#mask;
      if (this.#last[bucket] === this.#count) continue;
      this.#last[bucket] = this.#count;
      this.#frequencies[bucket]!++;
      this.#push(bucket);
    }
    this.#starts[this.#count] = this.#filled;
  }

  #push(bucket: number): void {
    if (this.#filled % CHUNK === 0) this.#chunks.push(new Uint32Array(CHUNK));
    this.#put(this.#filled++, bucket);
  }

  #put(place: number, value: number): void {
    this.#chunks[Math.floor(place / CHUNK)]![place % CHUNK] = value;
  }

  /**
   * The rows. Terms in fewer than `minimum` texts are left out, for nothing can be learned from them; if more than
   * `limit` are left, the rarer ones are left out as well. `breathe` is waited for now and then.
   */
  async build(limit: number, minimum: number, breathe: () => Promise<void>): Promise<TfIdfMatrix> {
    const { numbers, weights } = this.#numbered(limit, minimum);
    const mask = this.#mask;
    const starts = new Uint32Array(this.#count + 1);
    const scales = new Float64Array(this.#count);
    let next = 0;
    for (let row = 0; row < this.#count; row++) {
      if (row % BREATH === 0) await breathe();
      let squares = 0;
      for (let i = this.#starts[row]!; i < this.#starts[row + 1]!; i++) {
        const number = numbers[this.#bucketAt(i)]!;
        if (number < 0) continue;
        // What is kept never overtakes what is read, so it can be written where that stood.
        this.#put(next++, number);
        squares += weights[number]! ** 2;
      }
      starts[row + 1] = next;
      scales[row] = squares > 0 ? 1 / Math.sqrt(squares) : 0;
    }
    return {
      count: this.#count,
      termCount: weights.length,
      starts,
      terms: this.#joined(next),
      idf: weights,
      scales,
      findTerm: (term) => numbers[hashTerm(term) & mask]!,
    };
  }

  /** The first so many places as one array. The chunks are let go of on the way. */
  #joined(length: number): Uint32Array {
    const joined = new Uint32Array(length);
    for (let from = 0; from < length; from += CHUNK) {
      joined.set(this.#chunks.shift()!.subarray(0, length - from), from);
    }
    this.#chunks = [];
    return joined;
  }

  #bucketAt(place: number): number {
    return this.#chunks[Math.floor(place / CHUNK)]![place % CHUNK]!;
  }

  /** Numbers for the hashes that are kept, in their order, and the weights of those. */
  #numbered(limit: number, minimum: number): { numbers: Int32Array; weights: Float64Array } {
    const least = this.#leastFrequency(limit, minimum);
    const numbers = new Int32Array(this.#frequencies.length).fill(-1);
    const weights: number[] = [];
    for (let hash = 0; hash < numbers.length; hash++) {
      const frequency = this.#frequencies[hash]!;
      if (frequency < least) continue;
      numbers[hash] = weights.length;
      weights.push(inverseFrequency(this.#count, frequency));
    }
    return { numbers, weights: Float64Array.from(weights) };
  }

  /** The minimum, or the lowest frequency above it such that no more than `limit` terms are as frequent. */
  #leastFrequency(limit: number, minimum: number): number {
    const having = new Uint32Array(this.#count + 2);
    for (let hash = 0; hash < this.#frequencies.length; hash++) having[this.#frequencies[hash]!]!++;
    let least = this.#count + 1;
    for (let kept = 0; least > minimum; least--) {
      kept += having[least - 1]!;
      if (kept > limit) break;
    }
    return least;
  }
}
