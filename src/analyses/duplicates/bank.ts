/** The columns of the questions that duplicate detection needs, kept small for large banks. */
import { fnv1a } from '../../bits/hash.ts';
import { type CorrectAnswer, listCorrect } from '../../schemas/question-kinds.ts';
import type { QuestionWithAnswers } from '../define.ts';
import { GrowingArray } from '../shared/growing-array.ts';
import { findAnswerWords } from './answer-words.ts';
import { foldText } from './normalization.ts';
import { parseNumberWord } from './number-words.ts';
import type { Token } from './tokens.ts';

const removeArticle = (text: string) => text.replace(/^(?:the|a|an) (?=.)/, '');

const hash = (text: string) => fnv1a(text) >>> 0;

const foldAnswer = (answer: string) => removeArticle(foldText(answer));

/** Equal for answers that differ only in case, punctuation and article. */
const hashAnswer = (answer: string): number => hash(foldAnswer(answer));

/** Equal for the same number as well. */
const hashAnswerWord = (word: string): number => hash(parseNumberWord(word) ?? word);

const TRUTH_VALUES = new Set(
  ['true', 'false', 'yes', 'no', 'right', 'wrong', 'correct', 'incorrect'].map(hash),
);

/** Up to some 70 MB. */
const MAX_CACHED_ANSWERS = 20_000;

/** Texts whose answer depends on the options shown with them. */
const REFERS_TO_OPTIONS =
  /\b(?:these|those|following|listed|below|above|options?|odd one|which one|one of|not|except|name an?|an example)\b/i;

const ANSWER_SEPARATOR = '; ';

export class Bank {
  readonly ids: string[] = [];
  readonly texts: string[] = [];
  /** As the questions have them. */
  readonly keys: CorrectAnswer[] = [];
  /** As one text: several correct answers are joined. */
  readonly answers: string[] = [];
  readonly categories: string[] = [];
  readonly #answerHashes = new GrowingArray(Uint32Array);
  readonly #firstWordHashes = new GrowingArray(Uint32Array);
  readonly #lastWordHashes = new GrowingArray(Uint32Array);
  readonly #optionHashes = new GrowingArray(Uint32Array);
  readonly #optionStarts = new GrowingArray(Uint32Array);
  /** By question, as far as they were needed. */
  readonly #referringToOptions = new Map<number, boolean>();
  readonly #answerWords = new Map<number, readonly Token[] | undefined>();

  constructor() {
    this.#optionStarts.push(0);
  }

  add(
    question: Pick<QuestionWithAnswers, 'id' | 'question_text' | 'correct_answer' | 'choices' | 'category'>,
  ): void {
    this.ids.push(question.id);
    this.texts.push(question.question_text);
    const correct = listCorrect(question.correct_answer);
    this.keys.push(question.correct_answer);
    this.answers.push(correct.join(ANSWER_SEPARATOR));
    this.categories.push(question.category);
    // The order of several correct answers has no meaning.
    const answer = correct.map(foldAnswer).sort().join(ANSWER_SEPARATOR);
    this.#answerHashes.push(hash(answer));
    const words = answer.split(' ');
    this.#firstWordHashes.push(hashAnswerWord(words[0]!));
    this.#lastWordHashes.push(hashAnswerWord(words.at(-1)!));
    const hashes = [...new Set(question.choices.map(hashAnswer))].sort((a, b) => a - b);
    for (const option of hashes) this.#optionHashes.push(option);
    this.#optionStarts.push(this.#optionHashes.length);
  }

  answerHash(question: number): number {
    return this.#answerHashes.at(question);
  }

  /** Two answers that agree nearly always have the same first or the same last word. */
  firstAnswerWord(question: number): number {
    return this.#firstWordHashes.at(question);
  }

  lastAnswerWord(question: number): number {
    return this.#lastWordHashes.at(question);
  }

  /** The hashes of the options, ascending. Empty for a question without options. */
  optionHashes(question: number): Uint32Array {
    return this.#optionHashes.view(this.#optionStarts.at(question), this.#optionStarts.at(question + 1));
  }

  /** Whether the options identify the question. Those of true-false questions do not. */
  hasDistinctiveOptions(question: number): boolean {
    const options = this.optionHashes(question);
    return options.length > 1 && !options.every((option) => TRUTH_VALUES.has(option));
  }

  /** The words of the answer; undefined if there are too many to compare. */
  answerWords(question: number): readonly Token[] | undefined {
    if (this.#answerWords.size >= MAX_CACHED_ANSWERS) this.#answerWords.clear();
    return this.#answerWords.getOrInsertComputed(question, () => findAnswerWords(this.answers[question]!));
  }

  hasSeveralAnswers(question: number): boolean {
    return Array.isArray(this.keys[question]);
  }

  refersToOptions(question: number): boolean {
    return this.#referringToOptions.getOrInsertComputed(question, () =>
      REFERS_TO_OPTIONS.test(this.texts[question]!),
    );
  }

  haveSameOptions(a: number, b: number): boolean {
    const [optionsA, optionsB] = [this.optionHashes(a), this.optionHashes(b)];
    return optionsA.length === optionsB.length && optionsA.every((option, i) => option === optionsB[i]);
  }
}
