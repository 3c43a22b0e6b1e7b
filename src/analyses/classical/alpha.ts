/** Alpha, and alpha without each of the questions. */
import type { Scores } from '../shared/responses.ts';
import { alpha, alphaWithout, sumsOf } from './coefficients.ts';
import { covariancesOf } from './covariances.ts';
import type { Totals } from './totals.ts';

interface Alphas {
  alpha: number | null;
  /** Why there is none. */
  reason: string | null;
  /** By the place of the question. */
  without: ReadonlyMap<number, number | null>;
}

export const CANCELLING = 'The total of the questions does not vary, for they cancel each other out.';

export async function alphasOf(
  scores: Scores,
  totals: Totals,
  progress: (share: number) => Promise<void>,
): Promise<Alphas> {
  const found = await covariancesOf(scores, totals, progress);
  if ('reason' in found) return { alpha: null, reason: found.reason, without: new Map() };
  const { matrix, questions } = found;
  const k = questions.length;
  const sums = sumsOf(matrix, k);
  const value = alpha(sums);
  if (value === null) return { alpha: null, reason: CANCELLING, without: new Map() };
  return {
    alpha: value,
    reason: null,
    without: new Map([...questions].map((place, i) => [place, alphaWithout(i, matrix[i * k + i]!, sums)])),
  };
}
