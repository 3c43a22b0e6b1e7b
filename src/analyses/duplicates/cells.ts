/** Cells: the questions of one text whose answers agree, as far as a classifier shows them. */
import { GrowingArray } from '../shared/growing-array.ts';
import type { PairClassifier } from './classification.ts';
import { FingerprintTable } from './fingerprints.ts';
import type { TextIndex } from './text-index.ts';

const NONE = 0xffffffff;
/** Of more cells with the same text, the oldest are compared with a new answer. */
const MAX_COMPARED_CELLS = 20;

/** Numbered by the age of their first questions. */
export class Cells {
  /** By question. */
  readonly cellOfQuestion: Uint32Array;
  readonly #firstQuestions = new GrowingArray(Uint32Array);
  readonly #textOfQuestion: Uint32Array;
  readonly textCount: number;

  constructor(texts: TextIndex, classifier: PairClassifier) {
    this.#textOfQuestion = texts.textOfQuestion.view();
    this.textCount = texts.count;
    this.cellOfQuestion = new Uint32Array(this.#textOfQuestion.length);
    const table = new FingerprintTable();
    const cellOfFingerprint = new GrowingArray(Uint32Array);
    /** By text: its first cell, and all cells if there are several. */
    const firstCells = new Uint32Array(this.textCount).fill(NONE);
    const severalCells = new Map<number, number[]>();
    for (let question = 0; question < this.cellOfQuestion.length; question++) {
      const text = this.#textOfQuestion[question]!;
      // Equal only for the same text: multiplying by an odd number modulo 2^32 is invertible.
      const known = table.intern(Math.imul(text, 0x9e3779b1), classifier.answerKey(question) | 0);
      if (known === cellOfFingerprint.length) {
        const agrees = (cell: number) => classifier.answersAgree(this.firstQuestion(cell), question);
        const first = firstCells[text]!;
        const own = first === NONE ? [] : severalCells.getOrInsertComputed(text, () => [first]);
        const cell = own.find(agrees) ?? this.count;
        cellOfFingerprint.push(cell);
        if (cell === this.count) {
          this.#firstQuestions.push(question);
          if (first === NONE) firstCells[text] = cell;
          else if (own.length < MAX_COMPARED_CELLS) own.push(cell);
        }
      }
      this.cellOfQuestion[question] = cellOfFingerprint.at(known);
    }
  }

  get count(): number {
    return this.#firstQuestions.length;
  }

  firstQuestion(cell: number): number {
    return this.#firstQuestions.at(cell);
  }

  textOf(cell: number): number {
    return this.#textOfQuestion[this.firstQuestion(cell)]!;
  }
}

/** How many more cells may be visited without being removed. */
export interface Budget {
  left: number;
}

/** The cells of each text, to be removed when they are done with: so a visit is never in vain. */
export class CellLists {
  /** By text: its newest cell; by cell: the next older one. */
  readonly #heads: Uint32Array;
  readonly #next: Uint32Array;

  constructor(cells: Cells, includes: (cell: number) => boolean) {
    this.#heads = new Uint32Array(cells.textCount).fill(NONE);
    this.#next = new Uint32Array(cells.count).fill(NONE);
    for (let cell = 0; cell < cells.count; cell++) {
      if (!includes(cell)) continue;
      const text = cells.textOf(cell);
      this.#next[cell] = this.#heads[text]!;
      this.#heads[text] = cell;
    }
  }

  isEmpty(text: number): boolean {
    return this.#heads[text] === NONE;
  }

  /**
   * Visits the cells of a text, newest first, and removes those for which `matches` is true, until
   * the budget for the others is spent.
   */
  removeIf(text: number, budget: Budget, matches: (cell: number) => boolean): void {
    let previous = NONE;
    for (let cell = this.#heads[text]!; cell !== NONE && budget.left > 0; ) {
      const next = this.#next[cell]!;
      if (!matches(cell)) {
        budget.left--;
        previous = cell;
      } else if (previous === NONE) this.#heads[text] = next;
      else this.#next[previous] = next;
      cell = next;
    }
  }
}
