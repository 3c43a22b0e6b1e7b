/**
 * Vectorizes texts by TF-IDF with feature hashing (Weinberger et al. 2009). Term frequencies are
 * binary: in texts this short, whether a term occurs is better evidence than how often. Rows are
 * scaled to unit length. A term is identified by its hash, so that no dictionary is needed.
 */
import { fnv1a } from '../../bits/hash.ts';
import type { Ticker } from '../../concurrency/ticker.ts';
import { GrowingArray } from '../shared/growing-array.ts';

/** Enough buckets for each text that few terms collide, within the bounds below. */
const BUCKETS_PER_TEXT = 256;
const MIN_BUCKET_BITS = 16;
const MAX_BUCKET_BITS = 22;

/** A sparse matrix of texts by terms, in compressed rows. */
export interface TfIdfMatrix {
  /** The number of rows. */
  readonly count: number;
  /** The number of terms, which are numbered from 0. */
  readonly termCount: number;
  /** The terms of row i are terms[starts[i]] to before terms[starts[i + 1]]. */
  readonly starts: Uint32Array;
  readonly terms: Uint32Array;
  /** By term: the inverse document frequency. */
  readonly idf: Float64Array;
  /** By row: the factor that makes its length 1; 0 for a row without terms. */
  readonly scales: Float64Array;
  /** The number of a term, or -1 if it was dropped. */
  findTerm(term: string): number;
}

/**
 * FNV-1a with the first half of MurmurHash3's finalizer. It determines the buckets and so the order
 * of the terms: with another finalizer, sums of floating-point numbers would differ in the last
 * bit.
 */
export function hashTerm(text: string, seed?: number): number {
  const hash = fnv1a(text, seed);
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}

/** Smoothed as if there were one more text with every term. */
const computeIdf = (texts: number, frequency: number): number => Math.log((1 + texts) / (1 + frequency)) + 1;

export class TfIdfVectorizer {
  /** The buckets of all rows. */
  readonly #buckets = new GrowingArray(Uint32Array);
  readonly #starts: Uint32Array;
  #count = 0;
  /** By bucket: its document frequency, and the last text (from 1) that has it. */
  readonly #frequencies: Uint32Array;
  readonly #lastTexts: Uint32Array;
  readonly #mask: number;

  constructor(capacity: number) {
    this.#starts = new Uint32Array(capacity + 1);
    const bits = Math.ceil(Math.log2(Math.max(1, capacity * BUCKETS_PER_TEXT)));
    const buckets = 2 ** Math.min(MAX_BUCKET_BITS, Math.max(MIN_BUCKET_BITS, bits));
    this.#frequencies = new Uint32Array(buckets);
    this.#lastTexts = new Uint32Array(buckets);
    this.#mask = buckets - 1;
  }

  /** Adds a text as its terms. */
  add(terms: Iterable<string>): void {
    this.#count++;
    for (const term of terms) {
      const bucket = hashTerm(term) & this.#mask;
      if (this.#lastTexts[bucket] === this.#count) continue;
      this.#lastTexts[bucket] = this.#count;
      this.#frequencies[bucket]!++;
      this.#buckets.push(bucket);
    }
    this.#starts[this.#count] = this.#buckets.length;
  }

  /**
   * Builds the matrix. Drops terms in fewer than `minTexts` texts, from which nothing can be
   * learned, and the rarest others if more than `maxTerms` remain. Can be called once.
   */
  async build(maxTerms: number, minTexts: number, ticker: Ticker): Promise<TfIdfMatrix> {
    const { numbers, idf } = this.#numberTerms(maxTerms, minTexts);
    const mask = this.#mask;
    const starts = new Uint32Array(this.#count + 1);
    const scales = new Float64Array(this.#count);
    let written = 0;
    for (let row = 0; row < this.#count; row++) {
      if (ticker.due()) await ticker.yield(row / this.#count);
      let sumOfSquares = 0;
      for (let i = this.#starts[row]!; i < this.#starts[row + 1]!; i++) {
        const term = numbers[this.#buckets.at(i)]!;
        if (term < 0) continue;
        // In place: never more is written than was read.
        this.#buckets.set(written++, term);
        sumOfSquares += idf[term]! ** 2;
      }
      starts[row + 1] = written;
      scales[row] = sumOfSquares > 0 ? 1 / Math.sqrt(sumOfSquares) : 0;
    }
    return {
      count: this.#count,
      termCount: idf.length,
      starts,
      terms: this.#buckets.release(written),
      idf,
      scales,
      findTerm: (term) => numbers[hashTerm(term) & mask]!,
    };
  }

  /** Numbers the buckets that are kept, in their order. */
  #numberTerms(maxTerms: number, minTexts: number): { numbers: Int32Array; idf: Float64Array } {
    const minFrequency = this.#findMinFrequency(maxTerms, minTexts);
    const numbers = new Int32Array(this.#frequencies.length).fill(-1);
    const idf: number[] = [];
    for (let bucket = 0; bucket < numbers.length; bucket++) {
      const frequency = this.#frequencies[bucket]!;
      if (frequency < minFrequency) continue;
      numbers[bucket] = idf.length;
      idf.push(computeIdf(this.#count, frequency));
    }
    return { numbers, idf: Float64Array.from(idf) };
  }

  /** The lowest frequency from `minTexts` on that keeps at most `maxTerms` terms. */
  #findMinFrequency(maxTerms: number, minTexts: number): number {
    const termsByFrequency = new Uint32Array(this.#count + 2);
    for (const frequency of this.#frequencies) termsByFrequency[frequency]!++;
    let minFrequency = this.#count + 1;
    for (let kept = 0; minFrequency > minTexts; minFrequency--) {
      kept += termsByFrequency[minFrequency - 1]!;
      if (kept > maxTerms) break;
    }
    return minFrequency;
  }
}
