/**
 * Proposes answers to accept: wrong answers to a question without options that many cases gave, and
 * that are near the key or come from cases with high scores.
 */
import { editDistance } from '../../bits/edit-distance.ts';
import { type AnswerMatching, listCorrect } from '../../schemas/question-kinds.ts';
import { fold, foldFurther } from '../../text/folding.ts';
import type { QuestionWithAnswers } from '../define.ts';
import { formatCount, joinAnd, quote } from '../shared/format.ts';
import type { ItemStatistics, Parameters, ProposedAnswer } from './schemas.ts';

type Limits = Pick<Parameters, 'min_proposal_cases' | 'min_per_outcome'>;

/** The cases of an item that have a rest score. */
interface Sample {
  right: Uint8Array;
  /** The index of a wrong text plus one; 0 for other responses. */
  details: Uint32Array;
  rests: Float64Array;
}

const MAX_PROPOSALS = 10;
/** Longer answers are sentences, which no one spells alike. */
const MAX_COMPARED_CHARS = 100;
/** Letters of an answer for each that may be wrong. */
const LETTERS_PER_TYPO = 5;
const MAX_TYPOS = 2;

const IGNORE_ALL: AnswerMatching = {
  ignore_diacritics: true,
  ignore_punctuation: true,
  ignore_articles: true,
};

export class Proposer {
  /** The correct and accepted answers, folded. */
  readonly #keys: string[];

  constructor({
    correct_answer,
    accepted_answers = [],
  }: Pick<QuestionWithAnswers, 'correct_answer' | 'accepted_answers'>) {
    this.#keys = [...listCorrect(correct_answer), ...accepted_answers].map(foldAll);
  }

  /** `counts`: by text, the cases that gave it. */
  propose(texts: readonly string[], counts: Uint32Array, sample: Sample, limits: Limits): ProposedAnswer[] {
    const scores = sumScores(texts.length, sample);
    const byFold = new Map<
      string,
      { answer: string; most: number; n: number; sum: number; scored: number }
    >();
    for (const [i, answer] of texts.entries()) {
      const group = byFold.getOrInsertComputed(fold(answer), () => ({
        answer,
        most: 0,
        n: 0,
        sum: 0,
        scored: 0,
      }));
      // The spelling that most cases gave is shown.
      if (counts[i]! > group.most) [group.answer, group.most] = [answer, counts[i]!];
      group.n += counts[i]!;
      group.sum += scores.sums[i]!;
      group.scored += scores.counts[i]!;
    }
    return [...byFold.values()]
      .filter(({ n }) => n >= limits.min_proposal_cases)
      .map(({ answer, n, sum, scored }) => {
        const mean_score = scored > 0 ? sum / scored : null;
        const isHigh =
          n >= limits.min_per_outcome &&
          mean_score !== null &&
          scores.correctMean !== null &&
          mean_score >= scores.correctMean;
        const likeness = this.#compare(answer);
        const reasons = [...(likeness ? [likeness] : []), ...(isHigh ? (['high_scores'] as const) : [])];
        return { answer, n, mean_score, reasons };
      })
      .filter(({ reasons }) => reasons.length > 0)
      .sort((a, b) => b.n - a.n || (a.answer < b.answer ? -1 : 1))
      .slice(0, MAX_PROPOSALS);
  }

  /** In which way an answer is near a key, if it is. */
  #compare(answer: string): 'typing' | 'spelling' | 'contains_key' | undefined {
    const given = foldAll(answer);
    if (this.#keys.includes(given)) return 'typing';
    if (this.#keys.some((key) => isMisspelling(given, key))) return 'spelling';
    return this.#keys.some((key) => ` ${given} `.includes(` ${key} `)) ? 'contains_key' : undefined;
  }
}

const foldAll = (text: string) => foldFurther(text.slice(0, 2 * MAX_COMPARED_CHARS), IGNORE_ALL);

/** Another number is another answer. */
function isMisspelling(given: string, key: string): boolean {
  if (Math.max(given.length, key.length) > MAX_COMPARED_CHARS) return false;
  const allowed = Math.min(MAX_TYPOS, Math.floor(key.length / LETTERS_PER_TYPO));
  if (Math.abs(given.length - key.length) > allowed || listDigits(given) !== listDigits(key)) return false;
  return editDistance(given, key) <= allowed;
}

const listDigits = (text: string) => (text.match(/\p{N}/gu) ?? []).join('');

/** Rest scores by text, and the mean of those who answered correctly. */
function sumScores(texts: number, { right, details, rests }: Sample) {
  const sums = new Float64Array(texts);
  const counts = new Uint32Array(texts);
  let [correctSum, correct] = [0, 0];
  for (let i = 0; i < rests.length; i++) {
    if (right[i]) {
      correctSum += rests[i]!;
      correct++;
    } else if (details[i]! > 0) {
      sums[details[i]! - 1]! += rests[i]!;
      counts[details[i]! - 1]!++;
    }
  }
  return { sums, counts, correctMean: correct > 0 ? correctSum / correct : null };
}

/** Part of the message of an item. */
export function describeProposals({ proposed_answers: proposed }: ItemStatistics): string[] {
  if (!proposed || proposed.length === 0) return [];
  const listed = proposed.map(({ answer, n }) => `${quote(answer)} (${formatCount(n, 'case')})`);
  return [`may be accepted as well: ${joinAnd(listed)}`];
}
