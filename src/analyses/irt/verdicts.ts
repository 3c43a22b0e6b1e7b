/** Judges the row of a question: flags for programs, and a message for people. */

import { capitalise, formatCount, formatDecimal, formatP, roundTo } from '../shared/format.ts';
import { findDiscriminationBound, type Model } from './calibration/model.ts';
import { DISCRIMINATION_LEVELS, type Flag, type ParameterName, type Row } from './schemas.ts';

export interface Thresholds {
  model: Model;
  min_per_outcome: number;
  min_discrimination: number;
  max_discrimination: number;
  significance: number;
  max_rmsea: number;
  max_mean_square: number;
  max_abs_difficulty: number;
  max_difficulty_se: number;
  min_responses: number;
}

/** Facts about the calibration that the message of a question depends on. */
export interface RunContext {
  converged: boolean;
  /** Whether so many discriminations are negative that the direction of the scale is arbitrary. */
  directionUncertain: boolean;
}

/** A row before it is judged. */
export type Figures = Omit<Row, 'flags' | 'message'>;

interface Finding {
  flag: Flag;
  sentence: string;
}

/**
 * With fewer right or fewer wrong responses, the normal approximation behind the interval of a
 * discrimination is poor, and no key is questioned.
 */
const MIN_OUTCOMES_FOR_KEY = 10;
/** A mean square must also differ significantly from 1. */
const MIN_MISFIT_Z = 1.96;
/** Lower bounds of the discrimination levels, from "very low" on. */
const LEVEL_BOUNDS = [0, 0.35, 0.65, 1.35, 1.7];

/** Grades the discrimination as it is rounded in messages: Baker's bounds have two decimals. */
export const gradeDiscrimination = (discrimination: number) =>
  DISCRIMINATION_LEVELS[LEVEL_BOUNDS.filter((bound) => roundTo(discrimination) >= bound).length]!;

export function judgeItem(row: Figures, thresholds: Thresholds): Finding[] {
  const obstacle = findCalibrationObstacle(row, thresholds.min_per_outcome);
  const bounded = checkBound(row, thresholds);
  const findings = bounded
    ? [bounded]
    : row.estimated
      ? [
          ...checkDiscrimination(row, thresholds),
          ...checkFit(row, thresholds),
          ...checkDifficulty(row, thresholds),
        ]
      : [...(obstacle ? [obstacle] : [])];
  if (row.n < thresholds.min_responses)
    findings.push({
      flag: 'few_responses',
      sentence: `It has ${formatCount(row.n, 'response')}; at least ${thresholds.min_responses} are recommended.`,
    });
  return findings;
}

/** Why a question cannot be calibrated, if it cannot. */
export function findCalibrationObstacle(
  { n, right }: { n: number; right: number },
  minPerOutcome: number,
): Finding | undefined {
  const wrong = n - right;
  if (right === 0 || wrong === 0)
    return {
      flag: 'no_variance',
      sentence: `Every response is ${right === 0 ? 'wrong' : 'right'} (${formatCount(n, 'response')}), so nothing can be estimated.`,
    };
  if (Math.min(right, wrong) >= minPerOutcome) return undefined;
  const few =
    Math.max(right, wrong) < minPerOutcome
      ? `right (${right} of ${n}) and too few wrong (${wrong} of ${n})`
      : `${right < wrong ? 'right' : 'wrong'} (${Math.min(right, wrong)} of ${n})`;
  return {
    flag: 'too_few_per_outcome',
    sentence: `Too few responses are ${few} for an estimate: \`min_per_outcome\` is ${minPerOutcome}.`,
  };
}

export function formatMessage(
  row: Figures,
  findings: readonly Finding[],
  { model }: Thresholds,
  { converged, directionUncertain }: RunContext,
): string {
  const sentences = findings.map(({ sentence }) => sentence);
  if (!row.estimated) return sentences.join(' ') || (row.reason ?? '');
  const bound = findDiscriminationBound(model, row.discrimination!);
  if (directionUncertain && model !== '1pl') sentences.push(DIRECTION_UNCERTAIN);
  if (!converged) sentences.push('The estimation did not converge: do not rely on these estimates.');
  sentences.push(
    ...explainMissingErrors(row, bound !== null),
    ...explainMissingDifficulty(row, bound !== null),
  );
  const estimates = [
    ...(row.difficulty === null ? [] : [`difficulty ${formatEstimate(row, 'difficulty')}`]),
    ...(bound || model === '1pl'
      ? []
      : [`discrimination ${formatEstimate(row, 'discrimination')}, ${row.discrimination_level}`]),
  ].join('; ');
  if (sentences.length === 0) return `No problems found: ${estimates}.`;
  return [...sentences, ...(estimates ? [`${capitalise(estimates)}.`] : [])].join(' ');
}

function* explainMissingDifficulty(row: Figures, bounded: boolean): Generator<string> {
  if (bounded || row.difficulty !== null || row.discrimination_se === null) return;
  yield row.discrimination === 0
    ? 'It has no difficulty, because its curve is flat.'
    : 'Its difficulty is not identified, because the confidence interval of the discrimination includes 0.';
}

const DIRECTION_UNCERTAIN =
  'The direction of the scale is uncertain (see the warnings): the wrong keys may be those of the questions with the other sign.';

/** A discrimination at its bound has a finding of its own. */
function* explainMissingErrors(row: Figures, bounded: boolean): Generator<string> {
  if (bounded) return;
  if (row.discrimination_se === null || (row.difficulty !== null && row.difficulty_se === null))
    yield 'There are no standard errors, because the responses do not identify its parameters.';
  else if (row.guessing !== null && row.guessing_se === null)
    yield `Its guessing parameter is at its bound (${formatDecimal(row.guessing)}) and has no standard error.`;
}

/** At the bound, fit and difficulty depend on the bound and are not judged. */
function checkBound(row: Figures, { model }: Thresholds): Finding | undefined {
  const bound = row.discrimination === null ? null : findDiscriminationBound(model, row.discrimination);
  if (!bound) return;
  const sentences = model === '1pl' ? COMMON_BOUND : OWN_BOUND;
  return { flag: 'discrimination_at_bound', sentence: sentences[bound](row) };
}

const OWN_BOUND: Record<'upper' | 'lower', (row: Figures) => string> = {
  upper: () =>
    'Its discrimination reached the bound of 20 and has no estimate: the responses fit a step function better than a logistic curve.',
  lower: (row) =>
    `Its discrimination reached the bound of −20 and has no estimate: able respondents are wrong and the others right, as with a wrong key. ${adviseKey(row)}`,
};
const COMMON_BOUND: typeof OWN_BOUND = {
  upper: () =>
    'The common discrimination reached the bound of 20 and has no estimate: the responses fit step functions better than logistic curves.',
  lower: () =>
    'The common discrimination reached its lower bound, practically 0: the questions do not measure a common ability, so there is no scale for a difficulty.',
};

const hasFewOutcomes = ({ n, right }: Figures) => Math.min(right, n - right) < MIN_OUTCOMES_FOR_KEY;

function adviseKey(row: Figures): string {
  if (!hasFewOutcomes(row)) return 'Check the key.';
  const { n, right } = row;
  const few =
    right < n - right ? `${right} of ${n} responses are right` : `${n - right} of ${n} responses are wrong`;
  return `Only ${few}, too few to question the key.`;
}

function* checkDiscrimination(
  row: Figures,
  { model, min_discrimination, max_discrimination }: Thresholds,
): Generator<Finding> {
  const { discrimination, discrimination_low: low, discrimination_high: high } = row;
  // The common discrimination of the 1PL says nothing about a single question.
  if (discrimination === null || model === '1pl') return;
  if (high !== null && high < 0 && !hasFewOutcomes(row))
    yield {
      flag: 'negative_discrimination',
      sentence: 'Able respondents get it right less often than others. Check the key.',
    };
  else if (roundTo(discrimination) < min_discrimination)
    yield { flag: 'low_discrimination', sentence: describeLowDiscrimination(row, min_discrimination) };
  else if (discrimination > max_discrimination)
    yield {
      flag: 'high_discrimination',
      sentence: describeHighDiscrimination(low, max_discrimination),
    };
}

function describeHighDiscrimination(low: number | null, max: number): string {
  if (low === null) return 'Its discrimination is implausibly high, and has no standard error.';
  return low > max
    ? 'Its discrimination is implausibly high, as when a question repeats another.'
    : `Its discrimination is implausibly high, but its interval includes ${max}: more responses are needed to judge it.`;
}

function describeLowDiscrimination(row: Figures, min: number): string {
  const { discrimination, discrimination_low: low, discrimination_high: high } = row;
  if (low === null || high === null)
    return `Its discrimination is estimated below ${min}, without a standard error.`;
  if (high < 0) return `Its discrimination is negative. ${adviseKey(row)}`;
  if (high < min)
    return `Its discrimination is significantly below ${min}: it hardly separates able from less able respondents.`;
  const direction = low < 0 && high > 0 && discrimination! < 0 ? 'negative' : `below ${min}`;
  return `Its discrimination is estimated ${direction}, but the interval includes ${min}: the ${formatCount(row.n, 'response')} do not settle whether it discriminates enough.`;
}

function* checkFit({ s_x2, infit, outfit }: Figures, thresholds: Thresholds): Generator<Finding> {
  if (s_x2 && s_x2.p_adjusted < thresholds.significance && s_x2.rmsea > thresholds.max_rmsea)
    yield {
      flag: 'misfit',
      sentence:
        'The proportion of right responses by score differs from what the model predicts ' +
        `(S-X² ${formatDecimal(s_x2.chi_squared)}, ${formatCount(s_x2.degrees_of_freedom, 'degree')} of freedom, ` +
        `adjusted p ${formatP(s_x2.p_adjusted)}, RMSEA ${formatDecimal(s_x2.rmsea)}).`,
    };
  const isHigh = (fit: Figures['infit']) =>
    fit && fit.mean_square > thresholds.max_mean_square && (fit.z ?? 0) > MIN_MISFIT_Z;
  if (isHigh(infit))
    yield {
      flag: 'infit_high',
      sentence: `Responses are less predictable than the model expects (infit ${formatMeanSquare(infit)}).`,
    };
  if (isHigh(outfit))
    yield {
      flag: 'outfit_high',
      sentence: `Some responses are very unlikely under the model, such as lucky guesses or slips (outfit ${formatMeanSquare(outfit)}).`,
    };
}

function* checkDifficulty(
  { difficulty, difficulty_se: se, facility }: Figures,
  thresholds: Thresholds,
): Generator<Finding> {
  if (difficulty === null) return;
  if (Math.abs(difficulty) > thresholds.max_abs_difficulty)
    yield {
      flag: 'extreme_difficulty',
      sentence: `Its difficulty is estimated beyond the abilities of almost all respondents (${(100 * facility).toFixed(1)} % are right).`,
    };
  if (se !== null && se > thresholds.max_difficulty_se)
    yield {
      flag: 'imprecise',
      sentence: `Its difficulty is imprecise (standard error ${formatDecimal(se)}).`,
    };
}

function formatEstimate(row: Figures, name: ParameterName): string {
  const [low, high] = [row[`${name}_low`], row[`${name}_high`]];
  const interval =
    low === null || high === null ? '' : ` (95 % CI ${formatDecimal(low)} to ${formatDecimal(high)})`;
  return formatDecimal(row[name]!) + interval;
}
const formatMeanSquare = (fit: Figures['infit']) =>
  `${formatDecimal(fit!.mean_square)}, z ${formatDecimal(fit!.z!)}`;
