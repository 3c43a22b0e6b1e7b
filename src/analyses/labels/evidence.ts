/** Finds the words of a question that made the classifier predict another label. */
import type { Dataset } from './dataset.ts';
import type { Model } from './logistic-regression.ts';
import { extractTokenTerms, type Token, toBigram } from './terms.ts';

const MAX_WORDS = 3;
const MAX_WORD_CHARS = 40;
/**
 * The IDF of a word in every eighth text. More common words, such as "which", explain little to a
 * reader.
 */
const MAX_COMMON_IDF = 1 + Math.log(8);

/** Numbers, and words of one or two letters. */
const UNINFORMATIVE = /^(?:[\d.,]+|[a-z]{1,2})$/i;

/**
 * The indices of the words with the largest weight for `suggested` against `given`, the largest
 * first. The weight of a bigram counts half for each of its words.
 */
export function findEvidence(
  model: Model,
  { matrix, getTokens }: Dataset,
  row: number,
  given: number,
  suggested: number,
): number[] {
  const tokens = getTokens(row);
  const weigh = (term: string): number => {
    const number = matrix.findTerm(term);
    if (number < 0) return 0;
    const first = number * model.classes;
    return matrix.idf[number]! * (model.weights[first + suggested]! - model.weights[first + given]!);
  };
  const weights = tokens.map((token) => extractTokenTerms(token).reduce((sum, term) => sum + weigh(term), 0));
  for (let i = 1; i < tokens.length; i++) {
    const half = weigh(toBigram(tokens[i - 1]!, tokens[i]!)) / 2;
    weights[i - 1]! += half;
    weights[i]! += half;
  }
  const order = [...weights.keys()]
    .filter((i) => weights[i]! > 0)
    .sort((a, b) => weights[b]! - weights[a]! || a - b);
  const informative = order.filter((i) => {
    const { key, text } = tokens[i]!;
    const number = matrix.findTerm(key);
    return number >= 0 && matrix.idf[number]! > MAX_COMMON_IDF && !UNINFORMATIVE.test(text);
  });
  return dropRepeats(informative.length > 0 ? informative : order, tokens).slice(0, MAX_WORDS);
}

function dropRepeats(order: readonly number[], tokens: readonly Token[]): number[] {
  const seen = new Set<string>();
  return order.filter((i) => !seen.has(tokens[i]!.key) && seen.add(tokens[i]!.key));
}

/** The evidence of many questions, stored as word indices: only a few are ever read as words. */
export class EvidenceTable {
  /** Word indices from 1; 0 for none. */
  readonly #indices: Uint16Array;

  constructor(rows: number) {
    this.#indices = new Uint16Array(rows * MAX_WORDS);
  }

  set(row: number, indices: readonly number[]): void {
    for (const [k, index] of indices.entries()) this.#indices[row * MAX_WORDS + k] = index + 1;
  }

  has(row: number): boolean {
    return this.#indices[row * MAX_WORDS]! > 0;
  }

  getWords(row: number, tokens: readonly Token[]): string[] {
    return [...this.#indices.subarray(row * MAX_WORDS, (row + 1) * MAX_WORDS)]
      .filter((index) => index > 0)
      .map((index) => truncate(tokens[index - 1]!.text));
  }
}

function truncate(word: string): string {
  const characters = [...word];
  return characters.length > MAX_WORD_CHARS ? `${characters.slice(0, MAX_WORD_CHARS).join('')}…` : word;
}
