/** The coefficients of a set of questions, those of each question in it, and what they mean in words. */

import { CANCELLING } from '../classical/alpha.ts';
import {
  alpha,
  alphaWithout,
  averageCorrelation,
  correctedCorrelation,
  correlationsOf,
  feldt,
  kr21,
  lambda2,
  oddEvenCorrelation,
  prophecy,
  sumsOf,
} from '../classical/coefficients.ts';
import { type Covariances, covariancesOf } from '../classical/covariances.ts';
import { multipleCorrelations } from '../classical/multiple-correlations.ts';
import { asInterval } from '../classical/schema-parts.ts';
import type { Totals } from '../classical/totals.ts';
import { decimal, range, rounded } from '../shared/format.ts';
import type { Scores } from '../shared/responses.ts';
import type { LEVELS, Summary } from './schemas.ts';

/** What is known of a question of the matrix. */
interface Part {
  alphaWithout: number | null;
  corrected: number | null;
  multiple: number | null;
}

type Coefficients = Pick<
  Summary,
  | 'alpha'
  | 'alpha_interval'
  | 'alpha_reason'
  | 'alpha_all_questions'
  | 'alpha_of_questions_asked'
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
  /** By the place of the question. */
  parts: ReadonlyMap<number, Part>;
}

export async function reliabilityOf(
  scores: Scores,
  totals: Totals,
  meanAsked: number,
  progress: (share: number) => Promise<void>,
): Promise<Reliability> {
  const found = await covariancesOf(scores, totals, (share) => progress(share / 2));
  if ('reason' in found) return { coefficients: none(found.reason), covariances: null, parts: new Map() };
  const { matrix, questions, constant, cases, method, leastShared, facilities } = found;
  const k = questions.length;
  const sums = sumsOf(matrix, k);
  const value = alpha(sums);
  if (value === null) {
    return { coefficients: none(CANCELLING), covariances: found, parts: new Map() };
  }
  const pairwise = method === 'pairs of questions';
  const correlations = correlationsOf(matrix, k);
  const average = averageCorrelation(correlations, k)!;
  const multiple =
    leastShared > k
      ? await multipleCorrelations(correlations, k, (share) => progress((1 + share) / 2))
      : null;
  const split = oddEvenCorrelation(matrix, k);
  const parts = [...questions].map((place, i): [number, Part] => {
    const variance = matrix[i * k + i]!;
    return [
      place,
      {
        alphaWithout: alphaWithout(i, variance, sums),
        corrected: correctedCorrelation(i, variance, sums),
        multiple: multiple?.[i] ?? null,
      },
    ];
  });
  const coefficients: Coefficients = {
    alpha: value,
    alpha_interval: asInterval(feldt(value, leastShared, k)),
    alpha_reason: null,
    alpha_all_questions: alpha({ ...sums, k: k + constant.length }),
    alpha_of_questions_asked: pairwise ? prophecy(value, meanAsked / (k + constant.length)) : null,
    standardized_alpha: prophecy(average, k),
    kr20: value,
    kr21: pairwise ? null : kr21(facilities, sums, cases),
    guttman_lambda2: lambda2(matrix, sums),
    guttman_lambda6: multiple && lambda6(multiple, correlations),
    guttman_lambda6_reason: multiple ? null : whyNoLambda6(leastShared, k),
    split_half_correlation: split,
    split_half: split === null ? null : prophecy(split, 2),
    standard_error_of_measurement: value > 1 ? null : Math.sqrt(sums.total * (1 - value)),
    error_ratio: value > 1 ? null : Math.sqrt(1 - value),
    average_inter_item_correlation: average,
  };
  return { coefficients, covariances: found, parts: new Map(parts) };
}

function lambda6(multiple: Float64Array, correlations: Float64Array): number | null {
  const total = correlations.reduce((sum, r) => sum + r, 0);
  const unexplained = multiple.reduce((sum, smc) => sum + 1 - smc, 0);
  return total > 0 ? 1 - unexplained / total : null;
}

const whyNoLambda6 = (cases: number, k: number) =>
  cases > k
    ? 'The correlations of the questions cannot be inverted: one of them follows from others, or the pairs of questions come from cases too different.'
    : `It takes more cases than questions, and there are ${cases} for ${k}.`;

const none = (reason: string): Coefficients => ({
  alpha: null,
  alpha_interval: null,
  alpha_reason: reason,
  alpha_all_questions: null,
  alpha_of_questions_asked: null,
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

type Level = (typeof LEVELS)[number];

/** Nunnally & Bernstein (1994, p. 264–265). */
const BANDS: readonly { from: number; level: Level; meaning: string }[] = [
  {
    from: 0.9,
    level: 'high',
    meaning: 'the least that is asked of tests that decide about single people, for whom 0.95 is better',
  },
  {
    from: 0.8,
    level: 'good',
    meaning: 'enough to compare groups, and not enough to decide about single people, which takes 0.90',
  },
  {
    from: 0.7,
    level: 'modest',
    meaning: 'enough for first looks and for tests on which little depends',
  },
  {
    from: -Infinity,
    level: 'low',
    meaning: 'below the 0.70 that is asked even where little depends on a test',
  },
];

/** Of a value as it is shown, with two decimals. */
const bandOf = (value: number) => BANDS.find(({ from }) => rounded(value) >= from)!;

/** Alpha in words, and no better than its interval allows. */
export function judge(
  { coefficients, covariances }: Reliability,
  least: number,
): { verdict: Level; message: string } {
  const { alpha: value, alpha_interval: interval, alpha_reason } = coefficients;
  if (value === null || !covariances) {
    return { verdict: 'too_little_data', message: `There is no alpha. ${alpha_reason}` };
  }
  const { cases, leastShared, method } = covariances;
  const around = interval ? ` (95 % interval ${range(interval)})` : '';
  const from =
    method === 'pairs of questions'
      ? `${cases} cases, of which any two questions share at least ${leastShared}`
      : `${cases} cases`;
  const figure = `Alpha is ${decimal(value)}${around} from ${from}`;
  if (leastShared < least) {
    return {
      verdict: 'too_little_data',
      message: `${figure}: fewer than the ${least} that were set as enough to judge it.`,
    };
  }
  const { level, meaning } = bandOf(value);
  const lowest = interval ? bandOf(interval.low) : undefined;
  const doubt =
    lowest && lowest.level !== level
      ? ` The interval reaches down to where it would be ${lowest.level}: rely on that until there are more cases.`
      : '';
  return { verdict: level, message: `${figure}: ${level}, ${meaning} (Nunnally & Bernstein 1994).${doubt}` };
}
