/**
 * Prior densities of item parameters. With a prior the estimates are the posterior mode: the
 * maximum of the marginal likelihood times the prior density.
 */
import type { ItemCurves, Model } from './model.ts';

/** Beta density of a guessing parameter. */
export interface BetaPrior {
  alpha: number;
  beta: number;
}

/**
 * Lognormal density of a discrimination, given by the mean and standard deviation of the natural
 * logarithm. The density of a discrimination of 0 or less is 0.
 */
export interface LognormalPrior {
  logMean: number;
  logSd: number;
}

export interface Priors {
  /** By item (3PL only). */
  guessing: readonly BetaPrior[];
  /** Of each discrimination. Undefined without a prior, and in the 1PL. */
  discrimination?: LognormalPrior | undefined;
}

/** Weight of the prior of guessing, in responses, as in BILOG-MG. */
const GUESSING_PRIOR_RESPONSES = 20;
/** Number of options that is assumed for a question without options. */
const DEFAULT_OPTIONS = 5;

/** Beta prior with its mode at the probability of choosing one of the options at random. */
export function getGuessingPrior(options: number): BetaPrior {
  const mode = 1 / (options >= 2 ? options : DEFAULT_OPTIONS);
  return {
    alpha: GUESSING_PRIOR_RESPONSES * mode + 1,
    beta: GUESSING_PRIOR_RESPONSES * (1 - mode) + 1,
  };
}

export const getPriorMean = ({ alpha, beta }: BetaPrior) => alpha / (alpha + beta);

/** Log density of all parameters that have a prior, up to a constant. */
export function computeLogPrior(
  { discrimination, guessing }: ItemCurves,
  model: Model,
  priors: Priors,
): number {
  let sum = 0;
  if (model === '3pl')
    for (const [j, value] of guessing.entries()) sum += logBetaDensity(value, priors.guessing[j]!);
  if (priors.discrimination)
    for (const value of discrimination) sum += logLognormalDensity(value, priors.discrimination);
  return sum;
}

export const logBetaDensity = (value: number, { alpha, beta }: BetaPrior) =>
  (alpha - 1) * Math.log(value) + (beta - 1) * Math.log1p(-value);

export const logLognormalDensity = (value: number, { logMean, logSd }: LognormalPrior) =>
  value > 0 ? -Math.log(value) - ((Math.log(value) - logMean) / logSd) ** 2 / 2 : -Infinity;

/** First and negative second derivative of the log density by the discrimination; 0 without one. */
export function differentiateLognormal(
  value: number,
  prior: LognormalPrior | undefined,
): { gradient: number; curvature: number } {
  if (!prior) return NO_PRIOR;
  const { logMean, logSd } = prior;
  const precision = 1 / (logSd * logSd);
  const slope = 1 + (Math.log(value) - logMean) * precision;
  return { gradient: -slope / value, curvature: (precision - slope) / (value * value) };
}

const NO_PRIOR = { gradient: 0, curvature: 0 };
