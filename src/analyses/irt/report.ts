/** The calibration as a result: rows about questions, what was measured of people, and the summary. */

import { wilson } from '../../statistics/intervals.ts';
import { normalQuantile } from '../../statistics/special.ts';
import type { Outcome, RespondentAbility } from '../define.ts';
import { slopeBoundOf } from './calibration/model.ts';
import { curveOf, peakOf } from './curves.ts';
import type { Measures } from './estimate.ts';
import type { Sample } from './sample.ts';
import { type Estimate, FLAGS, type Flag, MOST_DROPPED, type Row, type Summary } from './schemas.ts';
import { wholeOf } from './test-summary.ts';
import { discriminationOf, type Figures, findingsOf, type Limits, messageOf, unfitness } from './verdicts.ts';

export interface Bank {
  ids: readonly string[];
  texts: readonly string[];
}

/** Questions between two looks at whether the run is still wanted. */
const AT_ONCE = 1000;
/** What leaves 2.5 % on either side. */
const Z_95 = normalQuantile(0.975);

/** Rows are made when they are read: all at once they would take far more room than what they are made of. */
export async function report(
  bank: Bank,
  sample: Sample,
  reason: string | null,
  measures: Measures | null,
  limits: Limits & { max_ability_se: number },
  rest: () => Promise<void>,
): Promise<Omit<Outcome<Summary, Row>, 'warnings'>> {
  const settled = measures?.calibration.converged ?? true;
  const rowOf = (question: number) =>
    judged(figuresOf(bank, sample, question, reason, measures, limits.min_per_outcome), limits, settled);
  const answered = [...sample.n.keys()].filter((question) => sample.n[question]! > 0);
  const rank = new Map<number, number>();
  const counts = new Map<Flag, number>();
  for (const [i, question] of answered.entries()) {
    if (i % AT_ONCE === 0) await rest();
    const { flags } = rowOf(question);
    rank.set(question, flags.length > 0 ? FLAGS.indexOf(flags[0]!) : FLAGS.length);
    for (const flag of flags) counts.set(flag, (counts.get(flag) ?? 0) + 1);
  }
  const order = answered.sort((a, b) => rank.get(a)! - rank.get(b)! || a - b);
  return {
    summary: {
      model: limits.model,
      estimated: measures !== null,
      reason,
      questions: bank.ids.length,
      questions_with_responses: answered.length,
      ...droppedOf(bank, sample, limits.min_per_outcome),
      questions_estimated: measures ? sample.questions.length : 0,
      cases: sample.scores.cases,
      cases_used: measures ? sample.cases_used : 0,
      responses_used: measures ? sample.scores.item.length : 0,
      parts: measures ? sample.parts : null,
      ...(measures ? wholeOf(sample, measures, limits.max_ability_se) : NOTHING),
      flags: FLAGS.filter((flag) => counts.has(flag)).map((flag) => ({ flag, questions: counts.get(flag)! })),
    },
    items: {
      *[Symbol.iterator]() {
        for (const question of order) yield rowOf(question);
      },
    },
    abilities: measures ? { [Symbol.iterator]: () => peopleOf(sample, measures) } : [],
  };
}

const NOTHING = { estimation: null, reliability: null, ability: null, information: null, fit: null };

function judged(figures: Figures, limits: Limits, settled: boolean): Row {
  const findings = findingsOf(figures, limits);
  const flags = FLAGS.filter((flag) => findings.some((finding) => finding.flag === flag));
  const { question_id, ...rest } = figures;
  return { question_id, flags, message: messageOf(figures, findings, limits, settled), ...rest };
}

function figuresOf(
  { ids, texts }: Bank,
  sample: Sample,
  question: number,
  reason: string | null,
  measures: Measures | null,
  leastEach: number,
): Figures {
  const item = sample.place[question]!;
  const n = sample.n[question]!;
  const right = sample.right[question]!;
  const [facility_low, facility_high] = wilson(right, n)!;
  const estimated = measures !== null && item >= 0;
  return {
    question_id: ids[question]!,
    question_text: texts[question]!,
    estimated,
    reason: estimated ? null : (unfitness({ n, right }, leastEach)?.sentence ?? reason),
    n,
    right,
    facility: right / n,
    facility_low,
    facility_high,
    ...(estimated ? estimatesOf(measures, item) : NOT_ESTIMATED),
  };
}

const NOT_ESTIMATED = {
  slope: null,
  difficulty: null,
  intercept: null,
  lower: null,
  discrimination: null,
  peak: null,
  s_x2: null,
  infit: null,
  outfit: null,
  observed: [],
};

function estimatesOf(
  { calibration, model, sumScores, adjusted, squares, observed }: Measures,
  item: number,
): Pick<Figures, keyof typeof NOT_ESTIMATED> {
  const curve = curveOf(calibration, item);
  const { errors } = calibration;
  const sumScore = sumScores[item];
  const bound = slopeBoundOf(model, curve.slope);
  const difficulty = -curve.intercept / curve.slope;
  const isFlat = !Number.isFinite(difficulty) || (model === '1pl' && bound === 'lower');
  return {
    slope: estimate(curve.slope, errors?.slope[item]),
    difficulty: isFlat ? null : estimate(difficulty, errors?.difficulty[item]),
    intercept: estimate(curve.intercept, errors?.intercept[item]),
    lower: model === '3pl' ? estimate(curve.lower, errors?.lower[item], 0, 1) : null,
    discrimination: bound ? null : discriminationOf(curve.slope),
    peak: bound ? null : peakOf(curve),
    s_x2: sumScore ? { ...sumScore, p_adjusted: adjusted[item]! } : null,
    infit: null,
    outfit: null,
    ...squares(item),
    observed: observed(item).map(({ n, right, expected, ability }) => {
      const [low, high] = wilson(right, n)!;
      return { n, share: right / n, low, high, expected, ability };
    }),
  };
}

/** Values that only make sense within a range have an interval that ends there. */
function estimate(value: number, error: number | undefined, least = -Infinity, most = Infinity): Estimate {
  if (error === undefined || !Number.isFinite(error))
    return { estimate: value, standard_error: null, low: null, high: null };
  const low = Math.max(least, value - Z_95 * error);
  const high = Math.min(most, value + Z_95 * error);
  return { estimate: value, standard_error: error, low, high };
}

function droppedOf({ ids, texts }: Bank, { n, right, place }: Sample, leastEach: number) {
  const all = [...n.keys()].filter((question) => n[question]! > 0 && place[question]! < 0);
  return {
    questions_dropped: all.length,
    dropped: all.slice(0, MOST_DROPPED).map((question) => ({
      question_id: ids[question]!,
      question_text: texts[question]!,
      reason: unfitness({ n: n[question]!, right: right[question]! }, leastEach)!.sentence,
    })),
  };
}

function* peopleOf(
  { scores: { cases, starts, right } }: Sample,
  { calibration }: Measures,
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
      standard_error: calibration.ability_error[c]!,
    };
  }
}
