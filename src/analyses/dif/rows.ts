/** Computes the findings of items, and renders them as rows. */
import { falseDiscoveryRate } from '../../statistics/adjust.ts';
import type { Comparison, Finding } from './finding.ts';
import { FOCAL, REFERENCE } from './groups.ts';
import { fitLogisticRegression, type LogisticRegression } from './logistic-regression.ts';
import { classify, hasTooFewCases, type MantelHaenszel, mantelHaenszel } from './mantel-haenszel.ts';
import type { Table } from './matching.ts';
import {
  describeFinding,
  explainNoEstimate,
  NO_SCORES,
  SEPARATED,
  TOO_FEW_FOR_REGRESSION,
} from './messages.ts';
import type { Flag, Row } from './schemas.ts';

export interface Question {
  question_id: string;
  question_text: string;
}

export function buildFinding(
  table: Table,
  result: MantelHaenszel,
  isAnchor: boolean,
  significance: number,
): Finding {
  const regression = hasTooFewCases(result)
    ? TOO_FEW_FOR_REGRESSION
    : fitLogisticRegression(table, significance);
  const logistic = typeof regression === 'string' ? null : regression;
  return {
    result,
    class: classify(result, significance),
    logistic,
    logisticReason:
      typeof regression === 'string' ? regression : regression.coefficients === null ? SEPARATED : null,
    isAnchor,
    isTested: result.p_value !== null,
    isNonuniform: isNonuniform(logistic, significance),
  };
}

/** Under separation the tests are limits, so nothing is flagged. */
const isNonuniform = (logistic: LogisticRegression | null, significance: number): boolean =>
  logistic !== null &&
  logistic.coefficients !== null &&
  logistic.jodoin_gierl !== 'A' &&
  logistic.nonuniform.p_value < significance;

/** A question with responses, but without a score in either group. */
const NO_SCORES_FINDING: Finding = {
  result: mantelHaenszel(new Uint32Array(0), false),
  class: null,
  logistic: null,
  logisticReason: NO_SCORES,
  isAnchor: false,
  isTested: false,
  isNonuniform: false,
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
  const mantelHaenszel = falseDiscoveryRate(
    findings.map(({ class: etsClass, result }) => (etsClass === null ? null : result.p_value)),
  );
  const logistic = falseDiscoveryRate(findings.map((finding) => finding.logistic?.both.p_value ?? null));
  return {
    *[Symbol.iterator]() {
      for (const item of order) {
        const adjusted = { mantelHaenszel: mantelHaenszel[item]!, logistic: logistic[item]! };
        yield buildRow(tested[item]!, findings[item]!, adjusted, comparison);
      }
      const adjusted = { mantelHaenszel: null, logistic: null };
      for (const question of untested) yield buildRow(question, NO_SCORES_FINDING, adjusted, comparison);
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

function buildRow(
  question: Question,
  finding: Finding,
  adjusted: { mantelHaenszel: number | null; logistic: number | null },
  comparison: Comparison,
): Row {
  const { cases, right, focalAdvantage, standardized, strata, matched, ...statistics } = finding.result;
  const { logistic } = finding;
  return {
    ...question,
    flags: listFlags(finding, comparison),
    message: describeFinding(finding, comparison),
    class: finding.class,
    favours: findFavoured(finding, comparison),
    reference: describeSide(finding, REFERENCE),
    focal: describeSide(finding, FOCAL),
    mantel_haenszel: { ...statistics, p_adjusted: adjusted.mantelHaenszel },
    standardized_difference: standardized,
    strata,
    matched_cases: matched,
    anchor: finding.isAnchor,
    logistic: logistic && { ...logistic, both: { ...logistic.both, p_adjusted: adjusted.logistic } },
    logistic_reason: finding.logisticReason,
    reason: explainNoEstimate(finding.result, comparison),
  };
}

function findFavoured({ class: etsClass, result }: Finding, comparison: Comparison): string | null {
  const { focalAdvantage } = result;
  if (etsClass === null || result.p_value! >= comparison.significance || focalAdvantage === 0) return null;
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
