/** The questions as they are learned from: read once, kept small. */
import type { Input, QuestionWithoutAnswers } from '../define.ts';
import { groupByKey } from './folds.ts';
import { extractTerms, type Token, tokenize } from './terms.ts';
import { TextStore } from './text-store.ts';
import { hashTerm, type TfIdfMatrix, TfIdfVectorizer } from './tf-idf.ts';

/** Of very long texts the beginning says enough. */
const LONGEST_QUESTION = 2000;
const LONGEST_CHOICE = 200;
/** Nothing is learned from a word that only one question has. */
const LEAST_TEXTS = 2;
const MOST_TERMS = 2 ** 18;
/** Terms times classes, so that what is learned takes no more than 128 megabytes. */
const MOST_WEIGHTS = 2 ** 25;
/** Questions between two breaths, while they are read. */
const BREATH = 500;

export interface Labels {
  /** The class of each question, as a place in `names`. */
  readonly values: Uint32Array;
  readonly names: readonly string[];
}

export interface Dataset {
  readonly count: number;
  readonly matrix: TfIdfMatrix;
  /** For each question the first one with the same text. */
  readonly groups: Uint32Array;
  readonly categories: Labels;
  readonly difficulties: Labels;
  getId(row: number): string;
  /** The question itself; the beginning of a very long one. */
  getText(row: number): string;
  /** The words of a question and its options, in order. */
  getTokens(row: number): Token[];
}

class Labelling {
  readonly values: Uint32Array;
  #numbers = new Map<string, number>();

  constructor(count: number) {
    this.values = new Uint32Array(count);
  }

  set(row: number, name: string): void {
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.#numbers.size;
      this.#numbers.set(name, number);
    }
    this.values[row] = number;
  }

  get size(): number {
    return this.#numbers.size;
  }

  finish(count: number): Labels {
    return { values: this.values.subarray(0, count), names: [...this.#numbers.keys()] };
  }
}

/** The same for texts with the same words in the same order; 53 bits, so that no two of a million meet by chance. */
function keyOf(text: string, units: readonly Token[]): number {
  const words = units.length > 0 ? units.map((unit) => unit.key).join(' ') : text.trim();
  return hashTerm(words) * 2 ** 21 + (hashTerm(words, 0x2545f491) >>> 11);
}

export async function readDataset(
  input: Input<QuestionWithoutAnswers>,
  progress: (share: number) => Promise<void>,
): Promise<Dataset> {
  const texts = new TextStore(input.count);
  const collector = new TfIdfVectorizer(input.count);
  const categories = new Labelling(input.count);
  const difficulties = new Labelling(input.count);
  const keys = new Float64Array(input.count);
  let row = 0;
  for await (const batch of input.questions) {
    for (const question of batch) {
      const text = question.question_text.slice(0, LONGEST_QUESTION);
      const choices = question.choices.map((choice) => choice.slice(0, LONGEST_CHOICE));
      const units = tokenize(text);
      collector.add(extractTerms(units, choices.flatMap(tokenize)));
      texts.add([question.id, text, ...choices]);
      categories.set(row, question.category);
      difficulties.set(row, String(question.difficulty));
      keys[row] = keyOf(text, units);
      row++;
      if (row % BREATH === 0) await progress((0.9 * row) / input.count);
    }
  }
  const most = Math.floor(MOST_WEIGHTS / Math.max(1, categories.size));
  const matrix = await collector.build(Math.min(MOST_TERMS, most), LEAST_TEXTS, () => progress(0.95));
  const groups = await groupByKey(keys.subarray(0, row), () => progress(0.98));
  await progress(1);
  return {
    count: row,
    matrix,
    groups,
    categories: categories.finish(row),
    difficulties: difficulties.finish(row),
    getId: (place) => texts.get(place)[0]!,
    getText: (place) => texts.get(place)[1]!,
    getTokens: (place) => texts.get(place).slice(1).flatMap(tokenize),
  };
}
