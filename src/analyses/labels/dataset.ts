/** The questions as they are learned from: read once, kept small. */
import type { Input, QuestionWithoutAnswers } from '../define.ts';
import { groupsOf } from './folds.ts';
import { termsOf, type Unit, unitsOf } from './terms.ts';
import { Texts } from './text-store.ts';
import { Collector, type Examples, hashOf } from './tf-idf.ts';

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

export interface Bank {
  readonly count: number;
  readonly examples: Examples;
  /** For each question the first one with the same text. */
  readonly groups: Uint32Array;
  readonly categories: Labels;
  readonly difficulties: Labels;
  idOf(row: number): string;
  /** The question itself; the beginning of a very long one. */
  textOf(row: number): string;
  /** The words of a question and its options, in order. */
  unitsOf(row: number): Unit[];
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
function keyOf(text: string, units: readonly Unit[]): number {
  const words = units.length > 0 ? units.map((unit) => unit.key).join(' ') : text.trim();
  return hashOf(words) * 2 ** 21 + (hashOf(words, 0x2545f491) >>> 11);
}

export async function readBank(
  input: Input<QuestionWithoutAnswers>,
  progress: (share: number) => Promise<void>,
): Promise<Bank> {
  const texts = new Texts(input.count);
  const collector = new Collector(input.count);
  const categories = new Labelling(input.count);
  const difficulties = new Labelling(input.count);
  const keys = new Float64Array(input.count);
  let row = 0;
  for await (const batch of input.questions) {
    for (const question of batch) {
      const text = question.question_text.slice(0, LONGEST_QUESTION);
      const choices = question.choices.map((choice) => choice.slice(0, LONGEST_CHOICE));
      const units = unitsOf(text);
      collector.add(termsOf(units, choices.flatMap(unitsOf)));
      texts.add([question.id, text, ...choices]);
      categories.set(row, question.category);
      difficulties.set(row, String(question.difficulty));
      keys[row] = keyOf(text, units);
      row++;
      if (row % BREATH === 0) await progress((0.9 * row) / input.count);
    }
  }
  const most = Math.floor(MOST_WEIGHTS / Math.max(1, categories.size));
  const examples = await collector.finish(Math.min(MOST_TERMS, most), LEAST_TEXTS, () => progress(0.95));
  const groups = await groupsOf(keys.subarray(0, row), () => progress(0.98));
  await progress(1);
  return {
    count: row,
    examples,
    groups,
    categories: categories.finish(row),
    difficulties: difficulties.finish(row),
    idOf: (place) => texts.get(place)[0]!,
    textOf: (place) => texts.get(place)[1]!,
    unitsOf: (place) => texts.get(place).slice(1).flatMap(unitsOf),
  };
}
