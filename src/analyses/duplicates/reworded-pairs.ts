/**
 * Finds pairs of questions that have the same answer and ask for the same fact in other words.
 *
 * Candidates share a word of the answer and rare content words (answer-join.ts), or have similar
 * shingles. The pairs depend on the answers: they are used for the view with answers only.
 */
import type { Ticker } from '../../concurrency/ticker.ts';
import { AnswerJoin } from './answer-join.ts';
import type { Bank } from './bank.ts';
import type { EdgeList } from './edges.ts';
import { RewordingJudge } from './rewording-judge.ts';
import type { JoinCounts, JoinLimits } from './similarity-join.ts';
import type { TextIndex } from './text-index.ts';

/** Two questions, the older one first. */
export interface RewordedPair {
  a: number;
  b: number;
  /** Whether one text has all words of the other and hardly any more. */
  isClose: boolean;
}

/** The cosine of equal words can be lower by this than that of words with the same meaning. */
const SYNONYM_SLACK = 0.2;
/** The least similarity of a pair that is close. */
const MIN_SIMILARITY_CLOSE = 0.75;
/** Of more questions with the same text, the oldest are compared with those of similar texts. */
const MAX_QUESTIONS_PER_TEXT = 20;

export class RewordingFinder {
  readonly #bank: Bank;
  readonly #textOf: Uint32Array;
  readonly #judge: RewordingJudge;
  readonly #join: AnswerJoin;

  constructor(bank: Bank, texts: TextIndex, minSimilarity: number, limits: JoinLimits) {
    this.#bank = bank;
    this.#textOf = texts.textOfQuestion.view();
    this.#judge = new RewordingJudge(bank, texts, minSimilarity);
    this.#join = new AnswerJoin(texts, minSimilarity - SYNONYM_SLACK, limits);
  }

  get counts(): JoinCounts {
    return this.#join.counts;
  }

  /** Finds the pairs among questions that are given from old to new. */
  async find(questions: readonly number[], edges: EdgeList, ticker: Ticker): Promise<RewordedPair[]> {
    const short = questions.filter((question) => this.#judge.isShort(question));
    const pairs: RewordedPair[] = [];
    const add = (a: number, b: number, similarTexts = false) => {
      const rewording = this.#judge.judge(a, b, { similarTexts });
      if (!rewording) return;
      const isClose = rewording.change === 'added' && rewording.similarity >= MIN_SIMILARITY_CLOSE;
      pairs.push({ a, b, isClose });
    };
    const readLast = (question: number) => this.#bank.lastAnswerWord(question);
    const readFirst = (question: number) => this.#bank.firstAnswerWord(question);
    await this.#join.join(short, readLast, () => true, add, ticker.part(0, 0.5));
    const haveOtherLast = (a: number, b: number) => readLast(a) !== readLast(b);
    await this.#join.join(short, readFirst, haveOtherLast, add, ticker.part(0.5, 0.9));
    this.#visitSimilarTexts(short, edges, (a, b) => add(a, b, true));
    return pairs;
  }

  /** Whether a question may join the group of `leader` by a pair with another member. */
  mayJoin(leader: number, question: number): boolean {
    return this.#judge.mayJoin(leader, question);
  }

  #visitSimilarTexts(
    questions: readonly number[],
    edges: EdgeList,
    visit: (a: number, b: number) => void,
  ): void {
    const questionsByText = new Map<number, number[]>();
    for (const question of questions) {
      const own = questionsByText.getOrInsertComputed(this.#textOf[question]!, () => []);
      if (own.length < MAX_QUESTIONS_PER_TEXT) own.push(question);
    }
    for (let edge = 0; edge < edges.length; edge++) {
      if (!edges.isSimilar(edge)) continue;
      const [a, b] = edges.endpoints(edge);
      for (const x of questionsByText.get(a) ?? [])
        for (const y of questionsByText.get(b) ?? []) visit(Math.min(x, y), Math.max(x, y));
    }
  }
}
