/** The words of a question that made a classifier think otherwise. */
import type { Dataset } from './dataset.ts';
import type { Model } from './logistic-regression.ts';
import { extractTokenTerms, type Token, toBigram } from './terms.ts';

const MOST_WORDS = 3;
const LONGEST_WORD = 40;
/** The weight of a word that every eighth text has. More common ones, such as "which", tell readers little. */
const COMMON = 1 + Math.log(8);

/** Numbers, and words of one or two letters. */
const SAYS_LITTLE = /^(?:[\d.,]+|[a-z]{1,2})$/i;

/**
 * The places, among the words of the question, of those that speak most for one class and against the other, the
 * strongest first. What a pair of words says is said by both of them.
 */
export function findEvidence(
  model: Model,
  bank: Dataset,
  row: number,
  against: number,
  suggested: number,
): number[] {
  const { matrix } = bank;
  const units = bank.getTokens(row);
  const weightOf = (term: string): number => {
    const number = matrix.findTerm(term);
    if (number < 0) return 0;
    const first = number * model.classes;
    return matrix.idf[number]! * (model.weights[first + suggested]! - model.weights[first + against]!);
  };
  const strengths = units.map((unit) =>
    extractTokenTerms(unit).reduce((sum, term) => sum + weightOf(term), 0),
  );
  for (let i = 1; i < units.length; i++) {
    const half = weightOf(toBigram(units[i - 1]!, units[i]!)) / 2;
    strengths[i - 1]! += half;
    strengths[i]! += half;
  }
  const order = [...strengths.keys()]
    .filter((i) => strengths[i]! > 0)
    .sort((a, b) => strengths[b]! - strengths[a]! || a - b);
  const rare = order.filter((i) => {
    const { key, text } = units[i]!;
    const number = matrix.findTerm(key);
    return number >= 0 && matrix.idf[number]! > COMMON && !SAYS_LITTLE.test(text);
  });
  return firstOfEach(rare.length > 0 ? rare : order, units).slice(0, MOST_WORDS);
}

function firstOfEach(order: readonly number[], units: readonly Token[]): number[] {
  const seen = new Set<string>();
  return order.filter((i) => !seen.has(units[i]!.key) && seen.add(units[i]!.key));
}

/** Telling words of many questions, kept as places, for only few of them are ever read. */
export class EvidenceTable {
  #places: Uint16Array;

  constructor(count: number) {
    this.#places = new Uint16Array(count * MOST_WORDS);
  }

  set(i: number, places: readonly number[]): void {
    // One more than the place: zero is no word.
    for (const [k, place] of places.entries()) this.#places[i * MOST_WORDS + k] = place + 1;
  }

  has(i: number): boolean {
    return this.#places[i * MOST_WORDS]! > 0;
  }

  getWords(i: number, units: readonly Token[]): string[] {
    return [...this.#places.subarray(i * MOST_WORDS, (i + 1) * MOST_WORDS)]
      .filter((place) => place > 0)
      .map((place) => shortened(units[place - 1]!.text));
  }
}

function shortened(word: string): string {
  const characters = [...word];
  return characters.length > LONGEST_WORD ? `${characters.slice(0, LONGEST_WORD).join('')}…` : word;
}
