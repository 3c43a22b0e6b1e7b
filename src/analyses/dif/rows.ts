/** Computes the findings of items, and renders them as rows. */
import { falseDiscoveryRate } from '../../statistics/adjust.ts';
import type { Comparison, Finding, ItemTests } from './finding.ts';
import { FOCAL, REFERENCE } from './groups.ts';
import { fitLogisticRegression, type LogisticRegression } from './logistic-regression.ts';
import {
  classify,
  computeDeltaInterval,
  hasTooFewCases,
  type MantelHaenszel,
  mantelHaenszel,
} from './mantel-haenszel.ts';
import type { Table } from './matching.ts';
import {
  describeFinding,
  explainNoEstimate,
  isSignificant,
  NO_SCORES,
  SEPARATED,
  TOO_FEW_FOR_REGRESSION,
} from './messages.ts';
import type { Flag, Parameters, Row } from './schemas.ts';

export interface Question {
  question_id: string;
  question_text: string;
}

export function testItem(
  table: Table,
  result: MantelHaenszel,
  isAnchor: boolean,
  { significance, continuity_correction }: Pick<Parameters, 'significance' | 'continuity_correction'>,
): ItemTests {
  const regression = hasTooFewCases(result)
    ? TOO_FEW_FOR_REGRESSION
    : fitLogisticRegression(table, significance);
  const logistic = typeof regression === 'string' ? null : regression;
  return {
    result,
    interval: computeDeltaInterval(table, continuity_correction),
    logistic,
    logisticReason:
      typeof regression === 'string' ? regression : regression.coefficients === null ? SEPARATED : null,
    isAnchor,
    isTested: result.p_value !== null,
  };
}

/** Judges the items together, because their p-values are adjusted for each other. */
export function judgeItems(
  items: readonly ItemTests[],
  { significance, adjust }: Pick<Parameters, 'significance' | 'adjust'>,
): Finding[] {
  const mantelHaenszel = falseDiscoveryRate(
    items.map(({ result }) => (hasTooFewCases(result) ? null : result.p_value)),
  );
  const both = falseDiscoveryRate(items.map(({ logistic }) => logistic?.both.p_value ?? null));
  const nonuniform = falseDiscoveryRate(items.map(({ logistic }) => logistic?.nonuniform.p_value ?? null));
  return items.map((item, i) => {
    const { result, logistic } = item;
    const isAdjusted = adjust !== 'none';
    const p = isAdjusted ? nonuniform[i]! : (logistic?.nonuniform.p_value ?? null);
    return {
      ...item,
      class: classify(result, significance, isAdjusted ? mantelHaenszel[i]! : result.p_value),
      isNonuniform: p !== null && p < significance && isNonuniform(logistic!),
      adjusted: { mantelHaenszel: mantelHaenszel[i]!, logistic: both[i]!, nonuniform: nonuniform[i]! },
    };
  });
}

/** Under separation the tests are limits, so nothing is flagged. */
const isNonuniform = ({ coefficients, jodoin_gierl }: LogisticRegression): boolean =>
  coefficients !== null && jodoin_gierl !== 'A';

/** A question with responses, but without a score in either group. */
const NO_SCORES_FINDING: Finding = {
  result: mantelHaenszel(new Uint32Array(0), false),
  interval: { delta_low: null, delta_high: null },
  class: null,
  logistic: null,
  logisticReason: NO_SCORES,
  isAnchor: false,
  isTested: false,
  isNonuniform: false,
  adjusted: { mantelHaenszel: null, logistic: null, nonuniform: null },
};

export const isBelowMinCases = ({ result }: Finding, minCases: number): boolean =>
  Math.min(...result.cases) < minCases;

/**
 * The rows of all questions with a response: the tested ones by urgency, then those without scores.
 */
export function listRows(
  tested: readonly Question[],
  findings: readonly Finding[],
  untested: readonly Question[],
  comparison: Comparison,
): Iterable<Row> {
  const order = sortByUrgency(findings);
  return {
    *[Symbol.iterator]() {
      for (const item of order) yield buildRow(tested[item]!, findings[item]!, comparison);
      for (const question of untested) yield buildRow(question, NO_SCORES_FINDING, comparison);
    },
  };
}

/**
 * Sorts items: class C, B, nonuniform, A, each by descending |Δ|; then not judged, then not tested.
 */
function sortByUrgency(findings: readonly Finding[]): number[] {
  const urgency = findings.map((finding) => {
    if (finding.class === null) return finding.isTested ? 4 : 5;
    if (finding.class === 'A') return finding.isNonuniform ? 2 : 3;
    return finding.class === 'C' ? 0 : 1;
  });
  // Without a finite Δ, a significant item comes first.
  const size = findings.map(({ result, class: etsClass }) => {
    if (etsClass === null) return -1;
    return result.delta === null ? (etsClass === 'C' ? Infinity : -1) : Math.abs(result.delta);
  });
  const compare = (i: number, j: number) =>
    urgency[i]! - urgency[j]! || (size[i] === size[j] ? i - j : size[j]! - size[i]!);
  return [...findings.keys()].sort(compare);
}

function buildRow(question: Question, finding: Finding, comparison: Comparison): Row {
  const { cases, right, focalAdvantage, standardized, strata, matched, ...statistics } = finding.result;
  const { logistic, adjusted } = finding;
  const { alpha, delta, delta_se, ...test } = statistics;
  return {
    ...question,
    flags: listFlags(finding, comparison),
    message: describeFinding(finding, comparison),
    class: finding.class,
    favours: findFavoured(finding, comparison),
    reference: describeSide(finding, REFERENCE),
    focal: describeSide(finding, FOCAL),
    mantel_haenszel: {
      alpha,
      delta,
      delta_se,
      ...finding.interval,
      ...test,
      p_adjusted: adjusted.mantelHaenszel,
    },
    standardized_difference: standardized,
    strata,
    matched_cases: matched,
    anchor: finding.isAnchor,
    logistic: logistic && {
      ...logistic,
      nonuniform: { ...logistic.nonuniform, p_adjusted: adjusted.nonuniform },
      both: { ...logistic.both, p_adjusted: adjusted.logistic },
    },
    logistic_reason: finding.logisticReason,
    reason: explainNoEstimate(finding.result, comparison),
  };
}

function findFavoured(finding: Finding, comparison: Comparison): string | null {
  const { focalAdvantage } = finding.result;
  if (!isSignificant(finding, comparison) || focalAdvantage === 0) return null;
  return focalAdvantage > 0 ? comparison.focal : comparison.reference;
}

const describeSide = ({ result: { cases, right } }: Finding, side: 0 | 1) => ({
  n: cases[side],
  facility: cases[side] === 0 ? null : right[side] / cases[side],
});

function listFlags(finding: Finding, { min_cases }: Comparison): Flag[] {
  const { class: etsClass, result } = finding;
  if (etsClass === null) return [finding.isTested ? 'not_judged' : 'not_tested'];
  const flags: Flag[] = [];
  if (etsClass === 'C') flags.push('dif_large');
  if (etsClass === 'B') flags.push('dif_moderate');
  if (finding.isNonuniform) flags.push('nonuniform');
  if (isBelowMinCases(finding, min_cases)) flags.push('too_few');
  if (result.delta === null) flags.push('no_estimate');
  return flags;
}
