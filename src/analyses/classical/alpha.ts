/** Cronbach's alpha, and alpha if each item is deleted. */
import type { Ticker } from '../../concurrency/ticker.ts';
import type { Scores } from '../shared/responses.ts';
import { cronbachAlpha, cronbachAlphaIfDeleted, sumCovariances } from './coefficients.ts';
import { computeCovariances } from './covariances.ts';
import type { Totals } from './totals.ts';

interface Alphas {
  alpha: number | null;
  /** Why alpha is null. */
  reason: string | null;
  /** By the index of the item. */
  ifDeleted: ReadonlyMap<number, number | null>;
}

export const NO_TOTAL_VARIANCE =
  'The total score does not vary: the questions correlate negatively and cancel out.';

export async function computeAlphas(scores: Scores, totals: Totals, ticker: Ticker): Promise<Alphas> {
  const covariances = await computeCovariances(scores, totals, ticker);
  if ('reason' in covariances) return { alpha: null, reason: covariances.reason, ifDeleted: new Map() };
  const { matrix, items } = covariances;
  const k = items.length;
  const sums = sumCovariances(matrix, k);
  const alpha = cronbachAlpha(sums);
  if (alpha === null) return { alpha: null, reason: NO_TOTAL_VARIANCE, ifDeleted: new Map() };
  return {
    alpha,
    reason: null,
    ifDeleted: new Map(
      [...items].map((item, i) => [item, cronbachAlphaIfDeleted(i, matrix[i * k + i]!, sums)]),
    ),
  };
}
