/** Cronbach's alpha, and alpha if each item is deleted. */
import type { Ticker } from '../../concurrency/ticker.ts';
import type { Scores } from '../shared/responses.ts';
import {
  cronbachAlpha,
  cronbachAlphaIfDeleted,
  sumCovariances,
  testIndependence,
  toCorrelations,
} from './coefficients.ts';
import { computeCovariances } from './covariances.ts';
import type { Totals } from './totals.ts';

interface Alphas {
  alpha: number | null;
  /** Why alpha is null. */
  reason: string | null;
  /** By the index of the item. */
  ifDeleted: ReadonlyMap<number, number | null>;
  /** The p-value of the hypothesis that no two items correlate; null if it is not tested. */
  independenceP: number | null;
}

export const NO_TOTAL_VARIANCE =
  'The total score does not vary: the questions correlate negatively and cancel out.';

export async function computeAlphas(scores: Scores, totals: Totals, ticker: Ticker): Promise<Alphas> {
  const covariances = await computeCovariances(scores, totals, ticker);
  if ('reason' in covariances)
    return { alpha: null, reason: covariances.reason, ifDeleted: new Map(), independenceP: null };
  const { matrix, items, method, cases } = covariances;
  const k = items.length;
  const sums = sumCovariances(matrix, k);
  const alpha = cronbachAlpha(sums);
  // Pairs of items that share different cases have no common number of cases.
  const independenceP = method === 'pairwise' ? null : testIndependence(toCorrelations(matrix, k), k, cases);
  if (alpha === null) return { alpha: null, reason: NO_TOTAL_VARIANCE, ifDeleted: new Map(), independenceP };
  return {
    alpha,
    reason: null,
    independenceP,
    ifDeleted: new Map(
      [...items].map((item, i) => [item, cronbachAlphaIfDeleted(i, matrix[i * k + i]!, sums)]),
    ),
  };
}
