/** The training data: TF-IDF rows, labels and texts of all questions, stored compactly. */
import type { Ticker } from '../../concurrency/ticker.ts';
import type { Input, QuestionWithoutAnswers } from '../define.ts';
import { groupByKey } from './folds.ts';
import { extractTerms, type Token, tokenize } from './terms.ts';
import { TextStore } from './text-store.ts';
import { hashTerm, type TfIdfMatrix, TfIdfVectorizer } from './tf-idf.ts';

/** Longer texts are cut: the beginning is enough to classify them. */
const MAX_QUESTION_CHARS = 2000;
const MAX_OPTION_CHARS = 200;
/** A term of a single question never occurs in both training and test rows. */
const MIN_TEXTS_PER_TERM = 2;
const MAX_TERMS = 2 ** 18;
/** Terms times classes: bounds the weights of the classifier to 128 MiB. */
const MAX_WEIGHTS = 2 ** 25;

export interface Labels {
  /** The class of each question, as an index of `names`. */
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
  /** The question text, at most MAX_QUESTION_CHARS of it. */
  getText(row: number): string;
  /** The words of the question and its options, in order. */
  getTokens(row: number): Token[];
}

/** Numbers labels in the order of first occurrence. */
class LabelEncoder {
  readonly #values: Uint32Array;
  readonly #numbers = new Map<string, number>();

  constructor(capacity: number) {
    this.#values = new Uint32Array(capacity);
  }

  set(row: number, name: string): void {
    this.#values[row] = this.#numbers.getOrInsertComputed(name, () => this.#numbers.size);
  }

  get size(): number {
    return this.#numbers.size;
  }

  build(count: number): Labels {
    return { values: this.#values.subarray(0, count), names: [...this.#numbers.keys()] };
  }
}

/** Hashes a text by its words, to 53 bits: among a million texts a collision is improbable. */
function hashText(text: string, tokens: readonly Token[]): number {
  const words = tokens.length > 0 ? tokens.map(({ key }) => key).join(' ') : text.trim();
  return hashTerm(words) * 2 ** 21 + (hashTerm(words, 0x2545f491) >>> 11);
}

export async function readDataset(input: Input<QuestionWithoutAnswers>, ticker: Ticker): Promise<Dataset> {
  const texts = new TextStore(input.count);
  const vectorizer = new TfIdfVectorizer(input.count);
  const categories = new LabelEncoder(input.count);
  const difficulties = new LabelEncoder(input.count);
  const hashes = new Float64Array(input.count);
  let row = 0;
  for await (const batch of input.questions) {
    for (const question of batch) {
      if (ticker.due()) await ticker.yield((0.9 * row) / input.count);
      const text = question.question_text.slice(0, MAX_QUESTION_CHARS);
      const options = question.choices.map((choice) => choice.slice(0, MAX_OPTION_CHARS));
      const tokens = tokenize(text);
      vectorizer.add(extractTerms(tokens, options.flatMap(tokenize)));
      texts.add([question.id, text, ...options]);
      categories.set(row, question.category);
      difficulties.set(row, String(question.difficulty));
      hashes[row] = hashText(text, tokens);
      row++;
    }
  }
  const maxTerms = Math.min(MAX_TERMS, Math.floor(MAX_WEIGHTS / Math.max(1, categories.size)));
  const matrix = await vectorizer.build(maxTerms, MIN_TEXTS_PER_TERM, ticker.part(0.9, 0.97));
  const groups = await groupByKey(hashes.subarray(0, row), ticker.part(0.97, 1));
  return {
    count: row,
    matrix,
    groups,
    categories: categories.build(row),
    difficulties: difficulties.build(row),
    getId: (question) => texts.get(question)[0]!,
    getText: (question) => texts.get(question)[1]!,
    getTokens: (question) => texts.get(question).slice(1).flatMap(tokenize),
  };
}
