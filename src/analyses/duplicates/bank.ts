/** The questions of a bank, as little of each as is needed to compare it with the others. */
import type { QuestionWithAnswers } from '../define.ts';
import { fingerprint } from './fingerprints.ts';
import { foldText } from './normalization.ts';

/** Whole numbers that come one by one, without the weight of an array of numbers. */
export class Numbers {
  #values = new Uint32Array(1024);
  length = 0;

  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = new Uint32Array(this.length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.length++] = value;
  }

  at(place: number): number {
    return this.#values[place]!;
  }

  /** A part of them as it is, not a copy: to be used before more are added. */
  part(from = 0, to = this.length): Uint32Array {
    return this.#values.subarray(from, to);
  }
}

const hash = (text: string) => fingerprint(text)[0] >>> 0;

const withoutArticle = (text: string) => text.replace(/^(?:the|a|an) (?=.)/, '');

/** An answer or option as it is compared: without case, punctuation and article. */
const answerHash = (answer: string): number => hash(withoutArticle(foldText(answer)));

const JUDGEMENTS = new Set(
  ['true', 'false', 'yes', 'no', 'right', 'wrong', 'correct', 'incorrect'].map(hash),
);

export class Bank {
  readonly ids: string[] = [];
  readonly texts: string[] = [];
  readonly answers: string[] = [];
  readonly #answerHashes = new Numbers();
  readonly #choices = new Numbers();
  readonly #choiceStarts = new Numbers();

  constructor() {
    this.#choiceStarts.push(0);
  }

  add(question: QuestionWithAnswers): void {
    this.ids.push(question.id);
    this.texts.push(question.question_text);
    this.answers.push(question.correct_answer);
    this.#answerHashes.push(answerHash(question.correct_answer));
    const hashes = [...new Set(question.choices.map(answerHash))].sort((a, b) => a - b);
    for (const each of hashes) this.#choices.push(each);
    this.#choiceStarts.push(this.#choices.length);
  }

  answerHash(question: number): number {
    return this.#answerHashes.at(question);
  }

  /** The hashes of the options, ascending; none where there is nothing to choose from. */
  optionHashes(question: number): Uint32Array {
    return this.#choices.part(this.#choiceStarts.at(question), this.#choiceStarts.at(question + 1));
  }

  /**
   * Whether the options say what the question is about: not where they are true and false, and not where
   * there are none.
   */
  hasDistinctiveOptions(question: number): boolean {
    const choices = this.optionHashes(question);
    return choices.length > 1 && !choices.every((choice) => JUDGEMENTS.has(choice));
  }

  haveSameOptions(a: number, b: number): boolean {
    const [ofA, ofB] = [this.optionHashes(a), this.optionHashes(b)];
    return ofA.length === ofB.length && ofA.every((choice, i) => choice === ofB[i]);
  }
}
