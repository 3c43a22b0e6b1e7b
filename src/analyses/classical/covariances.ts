/** How the questions vary and vary together: from the cases that answered all of them, or pair by pair where too few did. */
import type { Scores } from '../shared/responses.ts';
import { countPairs, type PairCounts, pairPlace } from './pairs.ts';
import type { Totals } from './totals.ts';

/** More questions make tables of pairs that take too long, and no test has as many. */
const MOST_QUESTIONS = 1000;
/** With at least this share of cases complete, the others are left out; with fewer, each pair has its own cases. */
const COMPLETE_ENOUGH = 0.8;

export const METHODS = ['all cases', 'complete cases', 'pairs of questions'] as const;

export interface Covariances {
  method: (typeof METHODS)[number];
  /** How many cases were used, and which. */
  cases: number;
  used: Uint8Array;
  /** The questions that vary, by their places: those of the matrix. And those that do not. */
  questions: Uint32Array;
  constant: Uint32Array;
  /** The share right of each question of the matrix. */
  facilities: Float64Array;
  /** By row, then column. */
  matrix: Float64Array;
  /** The fewest cases that two questions share. */
  leastShared: number;
}

/** The covariances, or why there are none. */
export async function covariancesOf(
  scores: Scores,
  totals: Totals,
  progress: (share: number) => Promise<void>,
): Promise<Covariances | { reason: string }> {
  const k = totals.questions.length;
  if (k === 0) return { reason: 'There are no responses that count.' };
  if (k === 1) return { reason: 'It takes two questions, and only one has responses.' };
  if (k > MOST_QUESTIONS) {
    return {
      reason: `It is computed for up to ${MOST_QUESTIONS} questions, and ${k} have responses: choose those of one test.`,
    };
  }
  if (totals.cases < 2) return { reason: 'It takes two cases, and there is only one.' };
  const { method, used, cases } = choose(totals);
  const local = new Int32Array(scores.items).fill(-1);
  for (const [i, place] of totals.questions.entries()) local[place] = i;
  const single = countSingles(scores, used, local, k);
  const varying = [...totals.questions.keys()].filter((i) => single.right[i]! * single.wrong[i]! > 0);
  const constant = totals.questions.filter((_, i) => single.right[i]! * single.wrong[i]! === 0);
  if (varying.length < 2) {
    return {
      reason:
        'Fewer than two questions vary: where all answers to a question are right, or all wrong, it cannot go together with others.',
    };
  }
  const questions = totals.questions.filter((_, i) => varying.includes(i));
  local.fill(-1);
  for (const [i, place] of questions.entries()) local[place] = i;
  const counts = await countPairs(scores, used, local, questions.length, progress);
  const facilities = Float64Array.from(
    varying,
    (i) => single.right[i]! / (single.right[i]! + single.wrong[i]!),
  );
  const { matrix, leastShared } = matrixOf(counts, varying, single);
  if (leastShared < 2) {
    return {
      reason:
        'Some pairs of questions were not answered by the same cases, so how they go together is not known: choose questions that were asked together.',
    };
  }
  return { method, cases, used, questions, constant, facilities, matrix, leastShared };
}

function choose({ asked, questions, cases, complete }: Totals) {
  const whole = Uint8Array.from(asked, (count) => (count === questions.length ? 1 : 0));
  const wholeCases = whole.reduce((sum, each) => sum + each, 0);
  if (complete) return { method: METHODS[0], used: whole, cases };
  if (wholeCases >= Math.max(2, COMPLETE_ENOUGH * cases)) {
    return { method: METHODS[1], used: whole, cases: wholeCases };
  }
  return { method: METHODS[2], used: Uint8Array.from(asked, (count) => (count > 0 ? 1 : 0)), cases };
}

interface Singles {
  right: Uint32Array;
  wrong: Uint32Array;
}

function countSingles(
  { cases, starts, item, right }: Scores,
  used: Uint8Array,
  local: Int32Array,
  k: number,
): Singles {
  const found = { right: new Uint32Array(k), wrong: new Uint32Array(k) };
  for (let c = 0; c < cases; c++) {
    if (!used[c]) continue;
    for (let a = starts[c]!; a < starts[c + 1]!; a++) {
      found[right[a] ? 'right' : 'wrong'][local[item[a]!]!]!++;
    }
  }
  return found;
}

/** Variances over all cases of a question, covariances over those of both; each divides by n − 1. */
function matrixOf(counts: PairCounts, varying: readonly number[], single: Singles) {
  const k = varying.length;
  const matrix = new Float64Array(k * k);
  let leastShared = Infinity;
  for (let i = 0; i < k; i++) {
    const [right, wrong] = [single.right[varying[i]!]!, single.wrong[varying[i]!]!];
    matrix[i * k + i] = (right * wrong) / (right + wrong) / (right + wrong - 1);
    for (let j = i + 1; j < k; j++) {
      const place = pairPlace(i, j, k);
      const neither = counts[place]!;
      const second = counts[place + 1]!;
      const first = counts[place + 2]!;
      const both = counts[place + 3]!;
      const n = neither + second + first + both;
      leastShared = Math.min(leastShared, n);
      // (both · n − right of i · right of j) / n, without its large terms.
      const covariance = n < 2 ? 0 : (both * neither - first * second) / n / (n - 1);
      matrix[i * k + j] = covariance;
      matrix[j * k + i] = covariance;
    }
  }
  return { matrix, leastShared };
}
