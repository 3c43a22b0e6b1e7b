/** The statistics of one item, from its column of the response matrix. */
import { fisher, wilson } from '../../statistics/intervals.ts';
import type { Columns } from '../classical/columns.ts';
import {
  biserial,
  computeMoments,
  discriminativeEfficiency,
  newcombeInterval,
  pearson,
} from '../classical/item-indices.ts';
import type { OutcomeCounts } from '../classical/outcome-counts.ts';
import { buildScoreLevels, countInRange, kelleyGroups, tabulate } from '../classical/score-groups.ts';
import type { Totals } from '../classical/totals.ts';
import { toInterval } from '../shared/schema-parts.ts';
import { explainNoDiscrimination } from './messages.ts';
import { type Choice, type Chosen, computeOptions } from './options.ts';
import type { Proposer } from './proposals.ts';
import type { ItemStatistics, Parameters } from './schemas.ts';

export interface Question {
  id: string;
  question_text: string;
  /** Empty for an open question. */
  options: readonly Choice[];
  /** Whether several options can be chosen. */
  several: boolean;
  /** For a question whose answers are texts. */
  proposer: Proposer | undefined;
}

/** The response matrix in the forms the statistics need. */
export interface Matrix {
  columns: Columns;
  totals: Totals;
  /** The total score of each case. */
  caseScores: Float64Array;
  outcomes: OutcomeCounts;
  /** By question: different wrong answers. */
  wrongTexts: ReadonlyMap<number, readonly string[]>;
}

/** The cases of an item that have a rest score, because they were asked another item, too. */
interface RestSample {
  right: Uint8Array;
  options: Uint8Array;
  details: Uint32Array;
  totals: Float64Array;
  rests: Float64Array;
}

/** Also returns the covariance with the total score, from which effective weights are computed. */
export function computeItem(
  question: Question,
  index: number,
  matrix: Matrix,
  parameters: Parameters,
): { statistics: ItemStatistics; covariance: number | null } {
  const { id, question_text } = question;
  const { totals, outcomes } = matrix;
  const n = totals.counts[index]!;
  const correct = totals.rightCounts[index]!;
  const sample = selectRestSample(index, matrix);
  const { discrimination, covariance } = computeDiscrimination(sample);
  const answers = outcomes.correct[index]! + outcomes.incorrect[index]!;
  const statistics: ItemStatistics = {
    question_id: id,
    question_text,
    n,
    correct,
    incorrect: outcomes.incorrect[index]!,
    omitted: outcomes.omitted[index]!,
    not_reached: outcomes.notReached[index]!,
    facility: n > 0 ? correct / n : null,
    facility_interval: toInterval(wilson(correct, n)),
    ...discrimination,
    effective_weight: null,
    alpha_if_deleted: null,
    ...computeOptionFields(question, matrix.columns, index, sample, answers),
    proposed_answers: proposeAnswers(question, index, matrix, sample, parameters),
  };
  return { statistics, covariance };
}

function selectRestSample(index: number, { columns, totals, caseScores }: Matrix): RestSample {
  const { starts, cases, right, options, details } = columns;
  const [from, to] = [starts[index]!, starts[index + 1]!];
  const sample = {
    right: new Uint8Array(to - from),
    options: new Uint8Array(to - from),
    details: new Uint32Array(to - from),
    totals: new Float64Array(to - from),
    rests: new Float64Array(to - from),
  };
  let n = 0;
  for (let i = from; i < to; i++) {
    const c = cases[i]!;
    const others = totals.answered[c]! - 1;
    if (others < 1) continue;
    const rest = totals.right[c]! - right[i]!;
    sample.right[n] = right[i]!;
    sample.options[n] = options[i]!;
    sample.details[n] = details[i] ?? 0;
    sample.totals[n] = caseScores[c]!;
    sample.rests[n++] = totals.complete ? rest : rest / others;
  }
  return {
    right: sample.right.subarray(0, n),
    options: sample.options.subarray(0, n),
    details: sample.details.subarray(0, n),
    totals: sample.totals.subarray(0, n),
    rests: sample.rests.subarray(0, n),
  };
}

function computeDiscrimination({ right, totals, rests }: RestSample) {
  const n = right.length;
  const withTotal = computeMoments(right, totals);
  const withRest = computeMoments(right, rests);
  const raw = pearson(withTotal);
  const corrected = pearson(withRest);
  const correct = right.reduce((sum, score) => sum + score, 0);
  const fisherInterval = (r: number | null) => (r === null ? null : toInterval(fisher(r, n)));
  return {
    covariance: withTotal?.covariance ?? null,
    discrimination: {
      discrimination_n: n,
      discrimination_correct: correct,
      discrimination_reason: corrected === null ? explainNoDiscrimination(n, correct) : null,
      point_biserial: raw,
      point_biserial_interval: fisherInterval(raw),
      corrected_point_biserial: corrected,
      corrected_point_biserial_interval: fisherInterval(corrected),
      biserial: biserial(raw, withTotal?.meanX ?? 0),
      ...(n < 2 ? NO_UPPER_LOWER : computeUpperLower(right, totals)),
      discrimination_index: corrected === null ? null : 100 * corrected,
      discriminative_efficiency: discriminativeEfficiency(
        withRest,
        buildScoreLevels(right),
        buildScoreLevels(rests),
      ),
    },
  };
}

const NO_UPPER_LOWER = { upper_lower: null, upper_lower_interval: null, upper_lower_n: 0 };

function computeUpperLower(right: Uint8Array, scores: Float64Array) {
  const levels = buildScoreLevels(scores);
  const rightByLevel = tabulate(right, 2, scores, levels)[1]!;
  const groups = kelleyGroups(right.length);
  const size = groups.upper[1] - groups.upper[0];
  const upper = countInRange(rightByLevel, levels, groups.upper);
  const lower = countInRange(rightByLevel, levels, groups.lower);
  return {
    upper_lower: (upper - lower) / size,
    upper_lower_interval: toInterval(newcombeInterval(upper, lower, size)),
    upper_lower_n: size,
  };
}

type OptionFields = Pick<
  ItemStatistics,
  | 'option_n'
  | 'option_discrimination_n'
  | 'other_answers'
  | 'options'
  | 'score_groups'
  | 'key_evidence'
  | 'proposed_answers'
>;

/** The option fields of an open question, and of every question in the view without answers. */
export const NO_OPTION_FIELDS: OptionFields = {
  option_n: null,
  option_discrimination_n: null,
  other_answers: null,
  options: null,
  score_groups: null,
  key_evidence: null,
  proposed_answers: null,
};

function computeOptionFields(
  { options: choices, several }: Question,
  { starts, options, details }: Columns,
  index: number,
  sample: RestSample,
  answers: number,
): OptionFields {
  if (choices.length === 0) return NO_OPTION_FIELDS;
  const counts = new Uint32Array(choices.length);
  let option_n = 0;
  for (let i = starts[index]!; i < starts[index + 1]!; i++) {
    const chosen = several ? listBits((details[i] ?? 0) - 1) : [options[i]!];
    if (!chosen.some((option) => option < choices.length)) continue;
    for (const option of chosen) counts[option]!++;
    option_n++;
  }
  const known = { option_n, other_answers: answers - option_n };
  if (option_n === 0) return { ...NO_OPTION_FIELDS, ...known };
  const chosen = several ? selectSets(sample) : selectChosen(sample, choices.length);
  const result = computeOptions(choices, counts, option_n, chosen);
  return {
    ...NO_OPTION_FIELDS,
    ...known,
    option_discrimination_n: chosen.rests.length,
    options: result.options,
    score_groups: result.scoreGroups,
    key_evidence: result.evidence,
  };
}

/** The indices of the bits of a set; empty for a number below 0. */
function listBits(set: number): number[] {
  const bits: number[] = [];
  for (let bit = 0, rest = set; rest > 0; bit++, rest >>>= 1) if (rest & 1) bits.push(bit);
  return bits;
}

/** The cases that chose one of the current options. */
function selectChosen({ options, rests }: RestSample, choices: number): Chosen {
  const chosen = { options: new Uint8Array(options.length), rests: new Float64Array(rests.length) };
  let n = 0;
  for (let i = 0; i < options.length; i++) {
    if (options[i]! >= choices) continue;
    chosen.options[n] = options[i]!;
    chosen.rests[n++] = rests[i]!;
  }
  return { options: chosen.options.subarray(0, n), rests: chosen.rests.subarray(0, n) };
}

/** The same where several options can be chosen. */
const selectSets = ({ details, rests }: RestSample): Chosen => ({
  sets: details.filter((detail) => detail > 0).map((detail) => detail - 1),
  rests: rests.filter((_, i) => details[i]! > 0),
});

/** Null for a question whose answers are not texts. */
function proposeAnswers(
  { proposer }: Question,
  index: number,
  { columns, wrongTexts }: Matrix,
  sample: RestSample,
  parameters: Parameters,
): ItemStatistics['proposed_answers'] {
  if (!proposer) return null;
  const texts = wrongTexts.get(index) ?? [];
  const counts = new Uint32Array(texts.length);
  const { starts, details } = columns;
  for (let i = starts[index]!; i < starts[index + 1]!; i++)
    if ((details[i] ?? 0) > 0) counts[details[i]! - 1]!++;
  return proposer.propose(texts, counts, sample, parameters);
}
