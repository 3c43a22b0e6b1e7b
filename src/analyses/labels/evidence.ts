/** Finds the words of a question that made the classifier predict another label. */
import type { Dataset } from './dataset.ts';
import { FORM_WORDS } from './form-words.ts';
import type { Model } from './logistic-regression.ts';
import { extractTokenTerms, type Token, toBigram } from './terms.ts';

const MAX_WORDS = 3;
/** One word can stand for something else in this question: "game" in "Game Over". */
const MIN_WORDS = 2;
const MAX_WORD_CHARS = 40;
/**
 * Words in more texts than every eighth, or than a class has on average, are not about the subject
 * of a class.
 */
const MIN_COMMON_SHARE = 1 / 8;

/** Numbers, and words of one or two letters. */
const UNINFORMATIVE = /^(?:[\d.,]+|[a-z]{1,2})$/i;

export interface EvidenceQuery {
  given: number;
  suggested: number;
  /** Whether only words about a subject are evidence. The form of a question can show its difficulty. */
  bySubject: boolean;
}

/**
 * The indices of the words with the largest weight for `suggested` against `given`, the largest
 * first. Empty if the content words do not support the prediction: if they make another class more
 * probable than `suggested`, or do not outweigh `given` without the strongest of them. The
 * prediction then rests on the form of the question, on the sizes of the classes or on one word.
 */
export function findEvidence(
  model: Model,
  dataset: Dataset,
  row: number,
  { given, suggested, bySubject }: EvidenceQuery,
): number[] {
  const tokens = dataset.getTokens(row);
  const isContent = bySubject ? createSubjectWordTest(dataset, model.classes) : () => true;
  const content = computeContentLogits(model, dataset, tokens, isContent);
  const supporting = content
    .map(({ index, logits }) => ({ index, margin: logits[suggested]! - logits[given]! }))
    .filter(({ margin }) => margin > 0)
    .sort((a, b) => b.margin - a.margin || a.index - b.index);
  if (supporting.length < MIN_WORDS) return [];
  const total = new Float64Array(model.classes);
  for (const { logits } of content) for (let c = 0; c < model.classes; c++) total[c]! += logits[c]!;
  const isMostProbable = total.every((sum) => sum <= total[suggested]!);
  const restMargin = total[suggested]! - total[given]! - supporting[0]!.margin;
  return isMostProbable && restMargin > 0 ? supporting.slice(0, MAX_WORDS).map(({ index }) => index) : [];
}

interface ContentWord {
  /** The index of its token. */
  index: number;
  /** By class, not scaled. */
  logits: Float64Array;
}

/**
 * The content words with their logits. The weight of a bigram counts half for each of its words.
 * Repeated words count once, as in the matrix.
 */
function computeContentLogits(
  model: Model,
  { matrix }: Dataset,
  tokens: readonly Token[],
  isContentWord: (token: Token) => boolean,
): ContentWord[] {
  const addWeights = (term: string, factor: number, sums: Float64Array) => {
    const number = matrix.findTerm(term);
    if (number < 0) return;
    const first = number * model.classes;
    const weight = factor * matrix.idf[number]!;
    for (let c = 0; c < model.classes; c++) sums[c]! += weight * model.weights[first + c]!;
  };
  const isContent = tokens.map(isContentWord);
  const seen = new Set<string>();
  return tokens.flatMap((token, index) => {
    if (!isContent[index] || seen.has(token.key)) return [];
    seen.add(token.key);
    const logits = new Float64Array(model.classes);
    for (const term of extractTokenTerms(token)) addWeights(term, 1, logits);
    if (isContent[index - 1]) addWeights(toBigram(tokens[index - 1]!, token), 0.5, logits);
    if (isContent[index + 1]) addWeights(toBigram(token, tokens[index + 1]!), 0.5, logits);
    return [{ index, logits }];
  });
}

function createSubjectWordTest({ matrix }: Dataset, classes: number): (token: Token) => boolean {
  const minIdf = 1 - Math.log(Math.max(MIN_COMMON_SHARE, 1 / classes));
  return ({ key, text }) => {
    const number = matrix.findTerm(key);
    return number >= 0 && matrix.idf[number]! >= minIdf && !UNINFORMATIVE.test(text) && !FORM_WORDS.has(key);
  };
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
