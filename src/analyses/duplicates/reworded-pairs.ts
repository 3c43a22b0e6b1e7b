/**
 * Finds pairs of questions that have the same answer and ask for the same fact in other words.
 *
 * Candidates share a word of the answer and rare content words (answer-join.ts), or have similar
 * shingles. The pairs depend on the answers: they are used for the view with answers only.
 */
import type { Ticker } from '../../concurrency/ticker.ts';
import { AnswerJoin } from './answer-join.ts';
import { answersAgree, areDistinctiveAnswers } from './answers.ts';
import type { Bank } from './bank.ts';
import type { EdgeList } from './edges.ts';
import type { Rewording } from './rewording.ts';
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
/** The least similarity where equal answers are weak evidence, as for true-false questions. */
const MIN_SIMILARITY_WEAK_ANSWER = 0.85;
/** The least similarity if both texts have further words, and if they have them in one context. */
const MIN_SIMILARITY_REWRITTEN = 0.6;
const MIN_SIMILARITY_REPLACED = 0.75;
/** The least similarity of a pair that is close. */
const MIN_SIMILARITY_CLOSE = 0.75;
/** How much less similar to the leader a question is that joins a group by another member. */
const INDIRECT_SLACK = 0.15;
/** Longer texts are compared for duplicates only: the comparison takes quadratic time. */
const MAX_CONTENT_WORDS = 60;
/** Of more questions with the same text, the oldest are compared with those of similar texts. */
const MAX_QUESTIONS_PER_TEXT = 20;

export class RewordingFinder {
  readonly #bank: Bank;
  readonly #texts: TextIndex;
  readonly #textOf: Uint32Array;
  readonly #minSimilarity: number;
  readonly #join: AnswerJoin;

  constructor(bank: Bank, texts: TextIndex, minSimilarity: number, limits: JoinLimits) {
    this.#bank = bank;
    this.#texts = texts;
    this.#textOf = texts.textOfQuestion.view();
    this.#minSimilarity = minSimilarity;
    this.#join = new AnswerJoin(texts, minSimilarity - SYNONYM_SLACK, limits);
  }

  get counts(): JoinCounts {
    return this.#join.counts;
  }

  /** Finds the pairs among questions that are given from old to new. */
  async find(questions: readonly number[], edges: EdgeList, ticker: Ticker): Promise<RewordedPair[]> {
    const short = questions.filter(
      (question) => this.#texts.wordsOf(this.#textOf[question]!).length <= MAX_CONTENT_WORDS,
    );
    const pairs: RewordedPair[] = [];
    const add = (a: number, b: number, similarTexts = false) => {
      if (!answersAgree(this.#bank, a, b)) return;
      const rewording = this.#compare(a, b);
      if (!rewording || !this.#isSufficient(a, b, rewording, { similarTexts })) return;
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
    if (!answersAgree(this.#bank, leader, question)) return false;
    const rewording = this.#compare(leader, question);
    return (
      rewording !== undefined && this.#isSufficient(leader, question, rewording, { slack: INDIRECT_SLACK })
    );
  }

  #compare(a: number, b: number): Rewording | undefined {
    return this.#texts.compareRewording(this.#textOf[a]!, this.#textOf[b]!);
  }

  #isSufficient(
    a: number,
    b: number,
    { similarity, change }: Rewording,
    { similarTexts = false, slack = 0 },
  ): boolean {
    const minByChange = { added: 0, rewritten: MIN_SIMILARITY_REWRITTEN, replaced: MIN_SIMILARITY_REPLACED };
    const min = Math.max(this.#minSimilarity, minByChange[change]) - slack;
    if (areDistinctiveAnswers(this.#bank, a, b)) return similarTexts || similarity >= min;
    return change === 'added' && similarity >= Math.max(min, MIN_SIMILARITY_WEAK_ANSWER);
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
