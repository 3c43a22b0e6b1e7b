/** Finds similar questions within a request. */
import { tokenize } from '../store/questions/words.ts';

/** The weighted share of common words below which two texts are not compared. */
const MIN_COMMON_SHARE = 0.25;

export class BatchIndex {
  /** By word: the questions that contain it, ascending. */
  readonly #questions = new Map<string, number[]>();
  /** By question: its different words. */
  readonly #words: string[][] = [];
  /** By question: the sum of the weights of its words, once all questions were added. */
  readonly #sums: number[] = [];

  add(text: string): void {
    const words = [...new Set(tokenize(text))];
    for (const word of words) this.#questions.getOrInsertComputed(word, () => []).push(this.#words.length);
    this.#words.push(words);
  }

  /**
   * The earlier questions that have many words in common with the question, those with the largest
   * weighted share first.
   */
  findEarlier(question: number, limit: number): number[] {
    const common = new Float64Array(question);
    const found: number[] = [];
    for (const word of this.#words[question]!) {
      const weight = this.#weigh(word);
      for (const other of this.#questions.get(word)!) {
        if (other >= question) break;
        if (common[other] === 0) found.push(other);
        common[other]! += weight;
      }
    }
    if (found.length === 0) return [];
    const own = this.#sumWeights(question);
    const share = (other: number) => common[other]! / (own + this.#sumWeights(other) - common[other]!);
    return found
      .map((other) => ({ other, share: share(other) }))
      .filter(({ share }) => share >= MIN_COMMON_SHARE)
      .sort((a, b) => b.share - a.share || a.other - b.other)
      .slice(0, limit)
      .map(({ other }) => other);
  }

  #sumWeights(question: number): number {
    this.#sums[question] ??= this.#words[question]!.reduce((sum, word) => sum + this.#weigh(word), 0);
    return this.#sums[question];
  }

  #weigh(word: string): number {
    return Math.log(1 + this.#words.length / this.#questions.get(word)!.length);
  }
}
