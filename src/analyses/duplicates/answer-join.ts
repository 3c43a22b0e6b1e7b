/**
 * Joins questions whose answers share a word on the TF-IDF cosine of their content words.
 *
 * Words are ordered from rare to frequent, and only a prefix of each text goes into the inverted
 * index: the words before those that remain are too short a vector to reach the cosine by themselves
 * (prefix filter; Bayardo et al. 2007). Few questions of one answer share a word of their prefixes.
 */
import type { Ticker } from '../../concurrency/ticker.ts';
import type { JoinCounts, JoinLimits } from './similarity-join.ts';
import type { TextIndex } from './text-index.ts';

/** Reads a hash that questions to be compared have in common. */
export type KeyReader = (question: number) => number;

export type PairFilter = (a: number, b: number) => boolean;

export class AnswerJoin {
  readonly counts: JoinCounts = { compared: 0, skipped: 0, bounded: [] };
  readonly #texts: TextIndex;
  readonly #textOf: Uint32Array;
  readonly #minCosine: number;
  readonly #limits: JoinLimits;
  /** By word: its squared weight, and its rank from rare to frequent. */
  readonly #squares: Float64Array;
  readonly #ranks: Uint32Array;
  readonly #wordOfRank: Uint32Array;
  /** By text: the squared length of its vector, and of the part after its prefix. */
  readonly #lengths: Float64Array;
  readonly #remainders: Float64Array;
  /** By question: the squared weights of the words shared with the question that is compared. */
  readonly #shared: Float64Array;

  constructor(texts: TextIndex, minCosine: number, limits: JoinLimits) {
    this.#texts = texts;
    this.#textOf = texts.textOfQuestion.view();
    this.#minCosine = minCosine;
    this.#limits = limits;
    const weights = texts.weighWords();
    this.#squares = weights.map((weight) => weight ** 2);
    this.#wordOfRank = Uint32Array.from(weights.keys()).sort((a, b) => weights[b]! - weights[a]! || a - b);
    this.#ranks = new Uint32Array(weights.length);
    this.#wordOfRank.forEach((word, rank) => {
      this.#ranks[word] = rank;
    });
    this.#lengths = new Float64Array(texts.count);
    this.#remainders = new Float64Array(texts.count);
    this.#shared = new Float64Array(this.#textOf.length);
  }

  /**
   * Calls `emit` for the pairs with the same key that pass the filter, the older question first. The
   * filter must be the complement of an equivalence: if no question differs from the first, none do.
   */
  async join(
    questions: readonly number[],
    readKey: KeyReader,
    includes: PairFilter,
    emit: (a: number, b: number) => void,
    ticker: Ticker,
  ): Promise<void> {
    const order = sortByKey(questions, readKey);
    for (let start = 0, end = 0; start < order.length; start = end) {
      const first = order[start]!;
      let isEmpty = true;
      for (end = start + 1; end < order.length && readKey(order[end]!) === readKey(first); end++)
        isEmpty &&= !includes(first, order[end]!);
      if (isEmpty) continue;
      const index = new Map<number, number[]>();
      for (let i = start; i < end; i++) {
        if (ticker.due()) await ticker.yield(i / order.length);
        this.#probe(order[i]!, index, includes, emit);
      }
    }
  }

  /** Compares a question with the older ones of the index, then adds it to the index. */
  #probe(
    question: number,
    index: Map<number, number[]>,
    includes: PairFilter,
    emit: (a: number, b: number) => void,
  ): void {
    const text = this.#textOf[question]!;
    const seen: number[] = [];
    let left = this.#limits.maxLookups;
    for (const word of this.#findPrefix(text)) {
      const square = this.#squares[word]!;
      const others = index.get(word);
      if (!others) {
        index.set(word, [question]);
        continue;
      }
      for (let i = 0; i < others.length && left > 0; i++, left--) {
        const other = others[i]!;
        if (this.#shared[other] === 0) seen.push(other);
        this.#shared[other]! += square;
      }
      others.push(question);
    }
    const candidates = seen.filter(
      (other) =>
        this.#textOf[other] !== text && this.#mayReachCosine(other, text) && includes(other, question),
    );
    for (const other of seen) this.#shared[other] = 0;
    const max = this.#limits.maxPairs(text);
    if (candidates.length > max) candidates.sort((a, b) => a - b);
    for (const other of candidates.slice(0, max)) {
      if (this.#reachesCosine(this.#textOf[other]!, text)) emit(other, question);
    }
    this.counts.compared += Math.min(max, candidates.length);
    this.counts.skipped += Math.max(0, candidates.length - max);
    if (left <= 0 || candidates.length > max) this.counts.bounded.push(text);
  }

  /** The words of the prefix of a text, from rare to frequent. */
  #findPrefix(text: number): Uint32Array {
    const words = this.#texts.wordsOf(text);
    let remainder = 0;
    for (let i = 0; i < words.length; i++) {
      remainder += this.#squares[words[i]!]!;
      words[i] = this.#ranks[words[i]!]!;
    }
    words.sort();
    this.#lengths[text] = remainder;
    const min = remainder * this.#minCosine ** 2;
    let count = 0;
    for (; count < words.length && remainder >= min; count++) {
      words[count] = this.#wordOfRank[words[count]!]!;
      const square = this.#squares[words[count]!]!;
      if (square === 0) break;
      remainder -= square;
    }
    this.#remainders[text] = remainder;
    return words.subarray(0, count);
  }

  /**
   * The words that two texts share but not in both prefixes come after the prefix of one of them,
   * because all texts have the same order.
   */
  #mayReachCosine(other: number, text: number): boolean {
    const otherText = this.#textOf[other]!;
    const max = this.#shared[other]! + Math.max(this.#remainders[text]!, this.#remainders[otherText]!);
    return max >= this.#minCosine * Math.sqrt(this.#lengths[text]! * this.#lengths[otherText]!);
  }

  #reachesCosine(a: number, b: number): boolean {
    const [wordsA, wordsB] = [this.#texts.wordsOf(a), this.#texts.wordsOf(b)];
    let shared = 0;
    for (let i = 0, j = 0; i < wordsA.length && j < wordsB.length; ) {
      const difference = wordsA[i]! - wordsB[j]!;
      if (difference === 0) shared += this.#squares[wordsA[i]!]!;
      if (difference <= 0) i++;
      if (difference >= 0) j++;
    }
    return shared >= this.#minCosine * Math.sqrt(this.#lengths[a]! * this.#lengths[b]!);
  }
}

/** The questions by their keys; those with the same key in the given order. */
function sortByKey(questions: readonly number[], readKey: KeyReader): Uint32Array {
  // Key and index share the 53 bits of an integer: in banks of millions some keys coincide.
  const indexes = 2 ** Math.ceil(Math.log2(questions.length + 1));
  const maxKey = 2 ** 53 / indexes;
  const sorted = Float64Array.from(questions, (question, i) => (readKey(question) % maxKey) * indexes + i);
  return Uint32Array.from(sorted.sort(), (value) => questions[value % indexes]!);
}
