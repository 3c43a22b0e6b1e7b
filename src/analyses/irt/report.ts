/** Builds the result of a calibration: rows, abilities of respondents, and the summary. */

import type { Ticker } from '../../concurrency/ticker.ts';
import { wilson } from '../../statistics/intervals.ts';
import { normalQuantile } from '../../statistics/special.ts';
import type { Outcome, RespondentAbility } from '../define.ts';
import { findDiscriminationBound } from './calibration/model.ts';
import { findPeak, getCurve } from './curves.ts';
import type { Estimates } from './estimate.ts';
import type { Sample } from './sample.ts';
import {
  type EstimateField,
  FLAGS,
  type Flag,
  MAX_DROPPED_LISTED,
  type ParameterName,
  type Row,
  type Summary,
} from './schemas.ts';
import { isDirectionUncertain, summariseTest } from './test-summary.ts';
import {
  type Figures,
  findCalibrationObstacle,
  formatMessage,
  gradeDiscrimination,
  judgeItem,
  type RunContext,
  type Thresholds,
} from './verdicts.ts';

/** By question of the run. */
export interface QuestionTexts {
  ids: readonly string[];
  texts: readonly string[];
}

/** Two-sided 95 %. */
const Z_95 = normalQuantile(0.975);

/** Rows are built during iteration, because all at once they would take far more memory. */
export async function buildReport(
  questions: QuestionTexts,
  sample: Sample,
  reason: string | null,
  estimates: Estimates | null,
  thresholds: Thresholds & { max_ability_se: number },
  ticker: Ticker,
): Promise<Omit<Outcome<Summary, Row>, 'warnings'>> {
  const context: RunContext = {
    converged: estimates?.calibration.converged ?? true,
    directionUncertain: estimates !== null && isDirectionUncertain(estimates),
  };
  const buildRow = (question: number) =>
    toRow(
      collectFigures(questions, sample, question, reason, estimates, thresholds.min_per_outcome),
      thresholds,
      context,
    );
  const answered = [...sample.n.keys()].filter((question) => sample.n[question]! > 0);
  const severity = new Map<number, number>();
  const counts = new Map<Flag, number>();
  for (const [i, question] of answered.entries()) {
    if (ticker.due()) await ticker.yield(i / answered.length);
    const { flags } = buildRow(question);
    severity.set(question, flags.length > 0 ? FLAGS.indexOf(flags[0]!) : FLAGS.length);
    for (const flag of flags) counts.set(flag, (counts.get(flag) ?? 0) + 1);
  }
  const order = answered.sort((a, b) => severity.get(a)! - severity.get(b)! || a - b);
  return {
    summary: {
      model: thresholds.model,
      estimated: estimates !== null,
      reason,
      questions: questions.ids.length,
      questions_with_responses: answered.length,
      ...listDropped(questions, sample, thresholds.min_per_outcome),
      questions_estimated: estimates ? sample.questions.length : 0,
      cases: sample.scores.cases,
      cases_used: estimates ? sample.cases_used : 0,
      responses_used: estimates ? sample.scores.item.length : 0,
      connected_components: estimates ? sample.components : null,
      ...(estimates ? summariseTest(sample, estimates, thresholds.max_ability_se) : NOT_ESTIMATED_SUMMARY),
      flags: FLAGS.filter((flag) => counts.has(flag)).map((flag) => ({ flag, questions: counts.get(flag)! })),
    },
    items: {
      *[Symbol.iterator]() {
        for (const question of order) yield buildRow(question);
      },
    },
    abilities: estimates ? { [Symbol.iterator]: () => listAbilities(sample, estimates) } : [],
  };
}

const NOT_ESTIMATED_SUMMARY = {
  estimation: null,
  reliability: null,
  ability: null,
  information: null,
  fit: null,
};

function toRow(figures: Figures, thresholds: Thresholds, context: RunContext): Row {
  const findings = judgeItem(figures, thresholds);
  const flags = FLAGS.filter((flag) => findings.some((finding) => finding.flag === flag));
  const { question_id, ...rest } = figures;
  return { question_id, flags, message: formatMessage(figures, findings, thresholds, context), ...rest };
}

function collectFigures(
  { ids, texts }: QuestionTexts,
  sample: Sample,
  question: number,
  reason: string | null,
  estimates: Estimates | null,
  minPerOutcome: number,
): Figures {
  const item = sample.itemOf[question]!;
  const n = sample.n[question]!;
  const right = sample.right[question]!;
  const [facility_low, facility_high] = wilson(right, n)!;
  const estimated = estimates !== null && item >= 0;
  return {
    question_id: ids[question]!,
    question_text: texts[question]!,
    estimated,
    reason: estimated ? null : (findCalibrationObstacle({ n, right }, minPerOutcome)?.sentence ?? reason),
    n,
    right,
    facility: right / n,
    facility_low,
    facility_high,
    ...(estimated ? collectEstimates(estimates, item) : NOT_ESTIMATED),
  };
}

const NOT_ESTIMATED = {
  ...toFields('discrimination', null, undefined),
  ...toFields('difficulty', null, undefined),
  ...toFields('intercept', null, undefined),
  ...toFields('guessing', null, undefined),
  discrimination_level: null,
  peak: null,
  s_x2: null,
  infit: null,
  outfit: null,
  observed: [],
};

function collectEstimates(
  { calibration, model, sX2, adjustedP, infitOutfit, observed }: Estimates,
  item: number,
): Pick<Figures, keyof typeof NOT_ESTIMATED> {
  const curve = getCurve(calibration, item);
  const { standardErrors: se } = calibration;
  const fit = sX2[item];
  const bound = findDiscriminationBound(model, curve.discrimination);
  const difficulty = -curve.intercept / curve.discrimination;
  const discrimination = toFields('discrimination', curve.discrimination, se?.discrimination[item]);
  const isLocated =
    Number.isFinite(difficulty) &&
    !(model === '1pl' && bound === 'lower') &&
    (bound !== null || !se || excludesZero(discrimination));
  return {
    ...discrimination,
    ...toFields('difficulty', isLocated ? difficulty : null, se?.difficulty[item]),
    ...toFields('intercept', curve.intercept, se?.intercept[item]),
    ...toFields('guessing', model === '3pl' ? curve.guessing : null, se?.guessing[item], 0, 1),
    discrimination_level: bound ? null : gradeDiscrimination(curve.discrimination),
    peak: bound || !isLocated ? null : findPeak(curve),
    s_x2: fit ? { ...fit, p_adjusted: adjustedP[item]! } : null,
    infit: null,
    outfit: null,
    ...infitOutfit(item),
    observed: observed(item).map(({ n, right, expected, ability }) => {
      const [low, high] = wilson(right, n)!;
      return { n, share: right / n, low, high, expected, ability };
    }),
  };
}

/**
 * Whether the discrimination differs from 0. Otherwise the confidence set of the difficulty, a
 * ratio with the discrimination as its denominator, is unbounded (Fieller, 1954).
 */
const excludesZero = ({
  discrimination_low: low,
  discrimination_high: high,
}: Record<EstimateField<'discrimination'>, number | null>) =>
  low !== null && high !== null && (low > 0 || high < 0);

/** The fields of one parameter. The interval is cut off at the range of the parameter. */
function toFields<N extends ParameterName>(
  name: N,
  estimate: number | null,
  standardError: number | undefined,
  min = -Infinity,
  max = Infinity,
): Record<EstimateField<N>, number | null> {
  const se = estimate !== null && Number.isFinite(standardError) ? standardError! : null;
  return {
    [name]: estimate,
    [`${name}_se`]: se,
    [`${name}_low`]: se === null ? null : Math.max(min, estimate! - Z_95 * se),
    [`${name}_high`]: se === null ? null : Math.min(max, estimate! + Z_95 * se),
  } as Record<EstimateField<N>, number | null>;
}

function listDropped({ ids, texts }: QuestionTexts, { n, right, itemOf }: Sample, minPerOutcome: number) {
  const all = [...n.keys()].filter((question) => n[question]! > 0 && itemOf[question]! < 0);
  return {
    questions_dropped: all.length,
    dropped: all.slice(0, MAX_DROPPED_LISTED).map((question) => ({
      question_id: ids[question]!,
      question_text: texts[question]!,
      reason: findCalibrationObstacle({ n: n[question]!, right: right[question]! }, minPerOutcome)!.sentence,
    })),
  };
}

/** EAP abilities of the cases with scores. */
function* listAbilities(
  { scores: { cases, starts, right } }: Sample,
  { calibration }: Estimates,
): Generator<RespondentAbility> {
  for (let c = 0; c < cases; c++) {
    const [from, to] = [starts[c]!, starts[c + 1]!];
    if (from === to) continue;
    let correct = 0;
    for (let i = from; i < to; i++) correct += right[i]!;
    yield {
      case: c,
      answered: to - from,
      correct,
      ability: calibration.ability[c]!,
      standard_error: calibration.abilitySe[c]!,
    };
  }
}
