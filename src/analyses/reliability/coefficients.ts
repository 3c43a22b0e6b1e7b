/** The reliability coefficients of a set of items, and of each item in it. */
import type { Ticker } from '../../concurrency/ticker.ts';
import { NO_TOTAL_VARIANCE } from '../classical/alpha.ts';
import {
  averageInterItemCorrelation,
  correctedItemTotalCorrelation,
  cronbachAlpha,
  cronbachAlphaIfDeleted,
  feldtInterval,
  guttmanLambda2,
  guttmanLambda6,
  kr21,
  oddEvenCorrelation,
  spearmanBrown,
  sumCovariances,
  toCorrelations,
} from '../classical/coefficients.ts';
import { type Covariances, computeCovariances } from '../classical/covariances.ts';
import { squaredMultipleCorrelations } from '../classical/multiple-correlations.ts';
import type { Totals } from '../classical/totals.ts';
import type { Scores } from '../shared/responses.ts';
import { toInterval } from '../shared/schema-parts.ts';
import type { Summary } from './schemas.ts';

interface ItemCoefficients {
  alphaIfDeleted: number | null;
  itemTotal: number | null;
  squaredMultiple: number | null;
}

type Coefficients = Pick<
  Summary,
  | 'alpha'
  | 'alpha_interval'
  | 'alpha_reason'
  | 'alpha_all_questions'
  | 'alpha_at_mean_length'
  | 'standardized_alpha'
  | 'kr20'
  | 'kr21'
  | 'guttman_lambda2'
  | 'guttman_lambda6'
  | 'guttman_lambda6_reason'
  | 'split_half_correlation'
  | 'split_half'
  | 'standard_error_of_measurement'
  | 'error_ratio'
  | 'average_inter_item_correlation'
>;

export interface Reliability {
  coefficients: Coefficients;
  covariances: Covariances | null;
  /** By the index of the item. */
  items: ReadonlyMap<number, ItemCoefficients>;
}

export async function computeCoefficients(
  scores: Scores,
  totals: Totals,
  meanItemsPerCase: number,
  ticker: Ticker,
): Promise<Reliability> {
  const covariances = await computeCovariances(scores, totals, ticker.part(0, 0.5));
  if ('reason' in covariances) {
    return { coefficients: undefinedCoefficients(covariances.reason), covariances: null, items: new Map() };
  }
  const { matrix, items, constant, cases, method, minShared, facilities } = covariances;
  const k = items.length;
  const sums = sumCovariances(matrix, k);
  const alpha = cronbachAlpha(sums);
  if (alpha === null) {
    return { coefficients: undefinedCoefficients(NO_TOTAL_VARIANCE), covariances, items: new Map() };
  }
  const isPairwise = method === 'pairwise';
  const correlations = toCorrelations(matrix, k);
  const average = averageInterItemCorrelation(correlations, k)!;
  const squaredMultiple =
    minShared > k ? await squaredMultipleCorrelations(correlations, k, ticker.part(0.5, 1)) : null;
  const split = oddEvenCorrelation(matrix, k);
  const itemCoefficients = [...items].map((item, i): [number, ItemCoefficients] => {
    const variance = matrix[i * k + i]!;
    return [
      item,
      {
        alphaIfDeleted: cronbachAlphaIfDeleted(i, variance, sums),
        itemTotal: correctedItemTotalCorrelation(i, variance, sums),
        squaredMultiple: squaredMultiple?.[i] ?? null,
      },
    ];
  });
  const coefficients: Coefficients = {
    alpha,
    alpha_interval: toInterval(feldtInterval(alpha, minShared, k)),
    alpha_reason: null,
    alpha_all_questions: cronbachAlpha({ ...sums, k: k + constant.length }),
    alpha_at_mean_length: isPairwise ? spearmanBrown(alpha, meanItemsPerCase / (k + constant.length)) : null,
    standardized_alpha: spearmanBrown(average, k),
    kr20: alpha,
    kr21: isPairwise ? null : kr21(facilities, sums, cases),
    guttman_lambda2: guttmanLambda2(matrix, sums),
    guttman_lambda6: squaredMultiple && guttmanLambda6(squaredMultiple, correlations),
    guttman_lambda6_reason: squaredMultiple ? null : explainNoLambda6(minShared, k),
    split_half_correlation: split,
    split_half: split === null ? null : spearmanBrown(split, 2),
    standard_error_of_measurement: alpha > 1 ? null : Math.sqrt(sums.total * (1 - alpha)),
    error_ratio: alpha > 1 ? null : Math.sqrt(1 - alpha),
    average_inter_item_correlation: average,
  };
  return { coefficients, covariances, items: new Map(itemCoefficients) };
}

const explainNoLambda6 = (cases: number, k: number) =>
  cases > k
    ? 'The correlation matrix is not positive definite: a question is a linear combination of others, or pairwise correlations are inconsistent.'
    : `More cases than questions are needed; there are ${cases} for ${k}.`;

const undefinedCoefficients = (reason: string): Coefficients => ({
  alpha: null,
  alpha_interval: null,
  alpha_reason: reason,
  alpha_all_questions: null,
  alpha_at_mean_length: null,
  standardized_alpha: null,
  kr20: null,
  kr21: null,
  guttman_lambda2: null,
  guttman_lambda6: null,
  guttman_lambda6_reason: reason,
  split_half_correlation: null,
  split_half: null,
  standard_error_of_measurement: null,
  error_ratio: null,
  average_inter_item_correlation: null,
});
