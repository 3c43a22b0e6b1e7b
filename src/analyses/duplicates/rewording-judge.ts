/**
 * Judges whether two questions with the same answer ask for the same fact in other words. The result
 * depends on the answers: it is used for the view with answers only.
 */
import { answersAgree, areDistinctiveAnswers } from './answers.ts';
import type { Bank } from './bank.ts';
import type { Rewording } from './rewording.ts';
import type { TextIndex } from './text-index.ts';

/** The default of `min_word_similarity`. */
export const MIN_WORD_SIMILARITY = 0.65;
/** The least similarity where equal answers are weak evidence, as for true-false questions. */
const MIN_SIMILARITY_WEAK_ANSWER = 0.85;
/** The least similarity if both texts have further words, and if they have them in one context. */
const MIN_SIMILARITY_REWRITTEN = 0.6;
const MIN_SIMILARITY_REPLACED = 0.75;
/** How much less similar to the leader a question is that joins a group by another member. */
const INDIRECT_SLACK = 0.15;
/** Longer texts are compared for duplicates only: the comparison takes quadratic time. */
const MAX_CONTENT_WORDS = 60;

export class RewordingJudge {
  readonly #bank: Bank;
  readonly #texts: TextIndex;
  readonly #minSimilarity: number;

  constructor(bank: Bank, texts: TextIndex, minSimilarity = MIN_WORD_SIMILARITY) {
    this.#bank = bank;
    this.#texts = texts;
    this.#minSimilarity = minSimilarity;
  }

  /** Whether the text is short enough to be judged. */
  isShort(question: number): boolean {
    return this.#texts.wordsOf(this.#texts.textOfQuestion.at(question)).length <= MAX_CONTENT_WORDS;
  }

  /** Undefined if the questions ask for different facts. `similarTexts`: their shingles are similar. */
  judge(a: number, b: number, { similarTexts = false } = {}): Rewording | undefined {
    return this.#judge(a, b, { similarTexts, slack: 0 });
  }

  /** Whether a question may join the group of `leader` by a pair with another member. */
  mayJoin(leader: number, question: number): boolean {
    return this.#judge(leader, question, { similarTexts: false, slack: INDIRECT_SLACK }) !== undefined;
  }

  #judge(
    a: number,
    b: number,
    { similarTexts, slack }: { similarTexts: boolean; slack: number },
  ): Rewording | undefined {
    if (!answersAgree(this.#bank, a, b)) return undefined;
    const textOf = (question: number) => this.#texts.textOfQuestion.at(question);
    const rewording = this.#texts.compareRewording(textOf(a), textOf(b));
    if (!rewording) return undefined;
    const { similarity, change } = rewording;
    const minByChange = { added: 0, rewritten: MIN_SIMILARITY_REWRITTEN, replaced: MIN_SIMILARITY_REPLACED };
    const min = Math.max(this.#minSimilarity, minByChange[change]) - slack;
    const sufficient = areDistinctiveAnswers(this.#bank, a, b)
      ? similarTexts || similarity >= min
      : change === 'added' && similarity >= Math.max(min, MIN_SIMILARITY_WEAK_ANSWER);
    return sufficient ? rewording : undefined;
  }
}
