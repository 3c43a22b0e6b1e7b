/** The figures of one question, from its column of responses. */
import { fisher, wilson } from '../../statistics/intervals.ts';
import type { Columns } from '../classical/columns.ts';
import {
  biserial,
  correlationOf,
  discriminativeEfficiency,
  momentsOf,
  newcombe,
} from '../classical/indices.ts';
import type { OutcomeCounts } from '../classical/outcomes.ts';
import { asInterval } from '../classical/schema-parts.ts';
import { inRange, kelleyGroups, levelsOf, tabulate } from '../classical/score-groups.ts';
import type { Totals } from '../classical/totals.ts';
import { type Choice, optionFigures } from './options.ts';
import type { Figures } from './verdict.ts';

export interface Question {
  id: string;
  question_text: string;
  /** Empty where there is nothing to choose from. */
  options: readonly Choice[];
}

/** The cases of a question that were asked another one, too: only of them there is a rest score. */
interface Compared {
  right: Uint8Array;
  options: Uint8Array;
  totals: Float64Array;
  rests: Float64Array;
}

export function figuresMaker(
  columns: Columns,
  totals: Totals,
  caseTotals: Float64Array,
  outcomes: OutcomeCounts,
) {
  return ({ id, question_text, options }: Question, place: number) => {
    const n = totals.counts[place]!;
    const right = totals.rightCounts[place]!;
    const compared = comparedCases(columns, place, totals, caseTotals);
    const { discrimination, covariance } = discriminationOf(compared);
    const answers = outcomes.right[place]! + outcomes.wrong[place]!;
    const figures: Figures = {
      question_id: id,
      question_text,
      n,
      right,
      wrong: outcomes.wrong[place]!,
      omitted: outcomes.omitted[place]!,
      not_reached: outcomes.notReached[place]!,
      facility: n > 0 ? right / n : null,
      facility_interval: asInterval(wilson(right, n)),
      ...discrimination,
      effective_weight: null,
      alpha_if_deleted: null,
      ...chosenOptions(options, columns, place, compared, answers),
    };
    return { figures, covariance };
  };
}

function comparedCases(
  { starts, cases, right, options }: Columns,
  place: number,
  totals: Totals,
  caseTotals: Float64Array,
): Compared {
  const [from, to] = [starts[place]!, starts[place + 1]!];
  const compared = {
    right: new Uint8Array(to - from),
    options: new Uint8Array(to - from),
    totals: new Float64Array(to - from),
    rests: new Float64Array(to - from),
  };
  let n = 0;
  for (let i = from; i < to; i++) {
    const c = cases[i]!;
    const others = totals.asked[c]! - 1;
    if (others < 1) continue;
    const rest = totals.right[c]! - right[i]!;
    compared.right[n] = right[i]!;
    compared.options[n] = options[i]!;
    compared.totals[n] = caseTotals[c]!;
    compared.rests[n++] = totals.complete ? rest : rest / others;
  }
  return {
    right: compared.right.subarray(0, n),
    options: compared.options.subarray(0, n),
    totals: compared.totals.subarray(0, n),
    rests: compared.rests.subarray(0, n),
  };
}

function discriminationOf({ right, totals, rests }: Compared) {
  const n = right.length;
  const withTotal = momentsOf(right, totals);
  const withRest = momentsOf(right, rests);
  const raw = correlationOf(withTotal);
  const corrected = correlationOf(withRest);
  const interval = (r: number | null) => (r === null ? null : asInterval(fisher(r, n)));
  return {
    covariance: withTotal?.covariance ?? null,
    discrimination: {
      discrimination_n: n,
      discrimination_right: right.reduce((sum, each) => sum + each, 0),
      discrimination_reason: corrected === null ? whyNone(n, withRest?.varianceX ?? 0) : null,
      point_biserial: raw,
      point_biserial_interval: interval(raw),
      corrected_point_biserial: corrected,
      corrected_point_biserial_interval: interval(corrected),
      biserial: biserial(raw, withTotal?.meanX ?? 0),
      ...(n < 2 ? NO_GROUPS : upperLower(right, totals)),
      discrimination_index: corrected === null ? null : 100 * corrected,
      discriminative_efficiency: discriminativeEfficiency(withRest, levelsOf(right), levelsOf(rests)),
    },
  };
}

function whyNone(n: number, variance: number): string {
  if (n === 0) return 'Nobody who answered it answered another question.';
  if (n === 1) return 'Only one case answered it and another question.';
  return variance > 0
    ? 'All cases have the same score on the other questions.'
    : 'All answers to it are right, or all are wrong.';
}

const NO_GROUPS = { upper_lower: null, upper_lower_interval: null, upper_lower_n: 0 };

function upperLower(right: Uint8Array, scores: Float64Array) {
  const levels = levelsOf(scores);
  const counts = tabulate(right, 2, scores, levels)[1]!;
  const groups = kelleyGroups(right.length);
  const size = groups.upper[1] - groups.upper[0];
  const upper = inRange(counts, levels, groups.upper);
  const lower = inRange(counts, levels, groups.lower);
  return {
    upper_lower: (upper - lower) / size,
    upper_lower_interval: asInterval(newcombe(upper, lower, size)),
    upper_lower_n: size,
  };
}

type AboutOptions = Pick<Figures, 'option_n' | 'other_answers' | 'options' | 'score_groups' | 'key_evidence'>;

const NOTHING: AboutOptions = {
  option_n: null,
  other_answers: null,
  options: null,
  score_groups: null,
  key_evidence: null,
};

function chosenOptions(
  choices: readonly Choice[],
  { starts, options }: Columns,
  place: number,
  compared: Compared,
  answers: number,
): AboutOptions {
  if (choices.length === 0) return NOTHING;
  const counts = new Uint32Array(choices.length);
  let chosen = 0;
  for (let i = starts[place]!; i < starts[place + 1]!; i++) {
    if (options[i]! >= choices.length) continue;
    counts[options[i]!]!++;
    chosen++;
  }
  const known = { option_n: chosen, other_answers: answers - chosen };
  if (chosen === 0) return { ...NOTHING, ...known };
  const named = thoseWhoChose(compared, choices.length);
  const found = optionFigures(choices, counts, named.options, named.rests);
  return {
    ...known,
    options: found.options,
    score_groups: found.scoreGroups,
    key_evidence: found.evidence,
  };
}

/** Those of whom it is known what they chose. */
function thoseWhoChose({ options, rests }: Compared, choices: number) {
  const named = { options: new Uint8Array(options.length), rests: new Float64Array(rests.length) };
  let n = 0;
  for (let i = 0; i < options.length; i++) {
    if (options[i]! >= choices) continue;
    named.options[n] = options[i]!;
    named.rests[n++] = rests[i]!;
  }
  return { options: named.options.subarray(0, n), rests: named.rests.subarray(0, n) };
}
