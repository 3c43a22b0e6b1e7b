/** Messages about one question, and reasons why questions could not be judged. */
import { formatCount, formatDecimal, formatP, quote, uncapitalise } from '../shared/format.ts';
import type { Comparison, Finding } from './finding.ts';
import {
  type EtsClass,
  hasTooFewCases,
  type MantelHaenszel,
  MIN_GROUP_CASES,
  MIN_LARGE_DELTA,
} from './mantel-haenszel.ts';

/** The groups by name. */
interface Names {
  reference: string;
  focal: string;
}

/** The obstacles to a class, in order of precedence. */
type Obstacle = 'no_scores' | 'all_correct' | 'all_incorrect' | 'no_overlap' | 'too_few';

function findObstacle(result: MantelHaenszel): Obstacle | null {
  const { cases, right, p_value } = result;
  if (cases[0] === 0 || cases[1] === 0) return 'no_scores';
  if (right[0] + right[1] === cases[0] + cases[1]) return 'all_correct';
  if (right[0] + right[1] === 0) return 'all_incorrect';
  if (p_value === null) return 'no_overlap';
  return hasTooFewCases(result) ? 'too_few' : null;
}

/** Why there is no class or, with a class, no Δ; null if there are both. */
export function explainNoEstimate(result: MantelHaenszel, names: Names): string | null {
  const obstacle = findObstacle(result);
  if (obstacle !== null) return REASONS[obstacle](result, names);
  if (result.delta !== null) return null;
  const ahead = result.focalAdvantage > 0 ? names.focal : names.reference;
  return `The odds ratio is 0 or infinite: at every score, either all of ${quote(ahead)} are correct or all of the other group are incorrect.`;
}

const REASONS: Record<Obstacle, (result: MantelHaenszel, names: Names) => string> = {
  no_scores: ({ cases }, { reference, focal }) => {
    if (cases[0] + cases[1] === 0) return NO_SCORES;
    return `No case of ${quote(cases[0] === 0 ? reference : focal)} has a score.`;
  },
  all_correct: () => 'All responses are correct.',
  all_incorrect: () => 'All responses are incorrect.',
  no_overlap: () => 'No stratum has cases of both groups and both correct and incorrect responses.',
  too_few: ({ cases }, { reference, focal }) => {
    const [name, n] = cases[0] < cases[1] ? [reference, cases[0]] : [focal, cases[1]];
    return `Only ${formatCount(n, 'case')} of ${quote(name)}; at least ${MIN_GROUP_CASES} are needed.`;
  },
};

const CLAUSES: Record<Obstacle, string> = {
  no_scores: 'one of the groups has no scores',
  all_correct: 'all responses are correct',
  all_incorrect: 'all responses are incorrect',
  no_overlap: 'no stratum has cases of both groups and both correct and incorrect responses',
  too_few: `one of the groups has fewer than ${MIN_GROUP_CASES} cases`,
};

export const NO_SCORES = 'No case of either group has a score.';

/** Why none of the questions could be judged; null if one could. */
export function explainNothingJudged(results: readonly MantelHaenszel[]): string | null {
  const counts = new Map<Obstacle, number>();
  for (const result of results) {
    const obstacle = findObstacle(result);
    if (obstacle === null) return null;
    counts.set(obstacle, (counts.get(obstacle) ?? 0) + 1);
  }
  if (results.length === 1) {
    return 'Only one question has scores; others are needed to match cases.';
  }
  const clauses = [...counts].map(([obstacle, n]) =>
    counts.size === 1 ? CLAUSES[obstacle] : `${CLAUSES[obstacle]} (${formatCount(n, 'question')})`,
  );
  return `No question could be judged: ${clauses.join('; ')}.`;
}

export const TOO_FEW_FOR_REGRESSION = `One of the groups has fewer than ${MIN_GROUP_CASES} cases.`;

export const SEPARATED =
  'Score and group separate correct from incorrect responses, so no finite maximum-likelihood estimate exists. The tests are limits, and no flag is based on them.';

const CLASS_NAMES: Record<EtsClass, string> = { A: 'Negligible', B: 'Moderate', C: 'Large' };

export function describeFinding(finding: Finding, comparison: Comparison): string {
  const { result, class: etsClass } = finding;
  if (etsClass === null) {
    const status = finding.isTested ? 'Not judged' : 'Not tested';
    return `${status}: ${uncapitalise(explainNoEstimate(result, comparison)!)}`;
  }
  const sentences = [describeDifference(finding, etsClass, comparison)];
  if (result.delta === null) sentences.push(explainNoEstimate(result, comparison)!);
  if (Math.min(...result.cases) < comparison.min_cases) {
    const { cases } = result;
    const consequence = isSignificant(finding, comparison)
      ? 'the size of the difference is uncertain'
      : 'a difference may be missed';
    sentences.push(
      `Only ${cases[0]} and ${cases[1]} cases (${quote(comparison.reference)}, ${quote(comparison.focal)}): ${consequence}.`,
    );
  }
  return sentences.join(' ');
}

/** Whether the Mantel-Haenszel test is significant, by the p-value that the class is based on. */
export function isSignificant(
  { class: etsClass, result, adjusted }: Finding,
  comparison: Comparison,
): boolean {
  const p = comparison.isAdjusted ? adjusted.mantelHaenszel : result.p_value;
  return etsClass !== null && p !== null && p < comparison.significance;
}

/** The result of the Mantel-Haenszel test, and nonuniform DIF by logistic regression. */
function describeDifference(finding: Finding, etsClass: EtsClass, comparison: Comparison): string {
  const { result, isNonuniform } = finding;
  const uniform = isNonuniform && etsClass === 'A' ? 'uniform ' : '';
  const conjunction = etsClass === 'A' ? ' However, the' : ' The';
  const nonuniform = isNonuniform
    ? `${conjunction} difference varies with the score: ${describeDirection(finding, comparison)}.`
    : '';
  const matched = comparison.complete ? 'at the same total score' : 'at the same proportion correct';
  if (!isSignificant(finding, comparison)) {
    const adjusted = result.p_value! < comparison.significance;
    const after = adjusted
      ? ` after adjustment for the ${formatCount(comparison.tests, 'question')} tested`
      : '';
    return (
      `No significant ${uniform}difference between ${quote(comparison.focal)} and ${quote(comparison.reference)} ${matched}${after} ` +
      `(class A): ${describeEstimate(finding, comparison)}.${describePower(finding)}${nonuniform}`
    );
  }
  const [better, worse] =
    result.focalAdvantage > 0
      ? [comparison.focal, comparison.reference]
      : [comparison.reference, comparison.focal];
  const odds = result.alpha === null ? '' : `; odds ratio ${formatOddsRatio(result.alpha)}`;
  return (
    `${CLASS_NAMES[etsClass]} ${uniform}difference (class ${etsClass}): harder for ${quote(worse)} than for ${quote(better)} ${matched}; ` +
    `${describeEstimate(finding, comparison)}${odds}.${nonuniform}`
  );
}

/** Δ with its interval and the p-value of the test that the interval belongs to. */
function describeEstimate({ result, interval, adjusted }: Finding, comparison: Comparison): string {
  const p = `p ${formatP(result.p_value!)}`;
  const adjustedP = comparison.isAdjusted ? `, adjusted p ${formatP(adjusted.mantelHaenszel!)}` : '';
  const delta = result.delta === null ? '' : `Δ ${formatDecimal(result.delta)}, `;
  return `${delta}95 % interval ${formatLimits(interval)}, ${p}${adjustedP}`;
}

function formatLimits({ delta_low: low, delta_high: high }: Finding['interval']): string {
  if (low === null && high === null) return 'unbounded';
  if (low === null) return `up to ${formatDecimal(high!)}`;
  return high === null ? `from ${formatDecimal(low)}` : `${formatDecimal(low)} to ${formatDecimal(high)}`;
}

/** A difference that is not significant is not shown to be small. */
function describePower({ interval: { delta_low: low, delta_high: high } }: Finding): string {
  const isWide = (low ?? -Infinity) <= -MIN_LARGE_DELTA || (high ?? Infinity) >= MIN_LARGE_DELTA;
  return isWide ? ' The interval includes large differences (class C), which are not ruled out.' : '';
}

function describeDirection({ logistic }: Finding, { focal, reference }: Names): string {
  const [favoured, other] =
    logistic!.coefficients!.score_by_group > 0 ? [focal, reference] : [reference, focal];
  return `with a higher score the question increasingly favours ${quote(favoured)} over ${quote(other)}`;
}

/** The odds ratio in the direction in which it exceeds 1. */
function formatOddsRatio(alpha: number): string {
  const ratio = Math.max(alpha, 1 / alpha);
  return ratio < 100 ? ratio.toFixed(1) : 'over 100';
}
