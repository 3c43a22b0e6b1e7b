/** Makes rows of what was found about the questions: what needs attention first. */
import { FOCAL, quoted, REFERENCE } from './groups.ts';
import type { Logistic } from './logistic.ts';
import { classOf, type EtsClass, type MantelHaenszel, mantelHaenszel } from './mantel-haenszel.ts';
import { CELLS, type Table } from './matching.ts';
import type { Flag, Row } from './schemas.ts';

/** What was found about one question. */
export interface Finding {
  /** By group: cases, and how many of them are right. */
  cases: readonly [number, number];
  right: readonly [number, number];
  found: MantelHaenszel;
  class: EtsClass | null;
  logistic: Logistic | null;
  logisticReason: string | null;
  anchor: boolean;
}

/** What the rows are told with. */
export interface Frame {
  reference: string;
  focal: string;
  complete: boolean;
  fewest_cases: number;
  significance: number;
}

interface Asked {
  question_id: string;
  question_text: string;
}

export function findingOf(
  table: Table,
  found: MantelHaenszel,
  fitted: Logistic | string,
  anchor: boolean,
  significance: number,
): Finding {
  const sums = [0, 0, 0, 0];
  for (let at = 0; at < table.length; at++) sums[at % CELLS]! += table[at]!;
  const [referenceWrong, referenceRight, focalWrong, focalRight] = sums as [number, number, number, number];
  const failed = typeof fitted === 'string';
  return {
    cases: [referenceWrong + referenceRight, focalWrong + focalRight],
    right: [referenceRight, focalRight],
    found,
    class: classOf(found, significance),
    logistic: failed ? null : fitted,
    logisticReason: failed ? fitted : null,
    anchor,
  };
}

const NO_CASES = new Uint32Array(0);

/** Of a question that has responses, but none that counts for either group. */
export const NOT_ASKED = findingOf(
  NO_CASES,
  mantelHaenszel(NO_CASES, false),
  'Nobody of either group has a score for it.',
  false,
  1,
);

/**
 * C, then B, then what only the regression finds, then A, then what was not tested; the larger difference
 * first.
 */
export function orderOf(findings: readonly Finding[], significance: number): number[] {
  const rank = findings.map((finding) => {
    if (finding.class === null) return 4;
    if (finding.class === 'A') return isNonuniform(finding, significance) ? 2 : 3;
    return finding.class === 'C' ? 0 : 1;
  });
  // A Δ beyond every bound comes before all others, if it is significant.
  const size = findings.map(({ found, class: letter }) =>
    found.delta === null ? (letter === 'C' ? Infinity : -1) : Math.abs(found.delta),
  );
  const compare = (i: number, j: number) =>
    rank[i]! - rank[j]! || (size[i] === size[j] ? i - j : size[j]! - size[i]!);
  return [...findings.keys()].sort(compare);
}

export const isNonuniform = ({ logistic }: Finding, significance: number): boolean =>
  logistic !== null && logistic.jodoin_gierl !== 'A' && logistic.nonuniform.p_value < significance;

export const isSmall = ({ cases }: Finding, fewest: number): boolean => Math.min(...cases) < fewest;

export function rowOf(
  asked: Asked,
  finding: Finding,
  adjusted: { mantelHaenszel: number | null; logistic: number | null },
  frame: Frame,
): Row {
  const { lean, standardized, strata, matched, ...figures } = finding.found;
  const { logistic } = finding;
  return {
    ...asked,
    flags: flagsOf(finding, frame),
    message: messageOf(finding, frame),
    class: finding.class,
    favours: finding.class === null || lean === 0 ? null : lean > 0 ? frame.focal : frame.reference,
    reference: sideOf(finding, REFERENCE),
    focal: sideOf(finding, FOCAL),
    mantel_haenszel: { ...figures, p_adjusted: adjusted.mantelHaenszel },
    standardized_difference: standardized,
    strata,
    matched_cases: matched,
    in_matching: finding.anchor,
    logistic: logistic && { ...logistic, both: { ...logistic.both, p_adjusted: adjusted.logistic } },
    logistic_reason: finding.logisticReason,
    reason: reasonOf(finding, frame),
  };
}

const sideOf = ({ cases, right }: Finding, side: 0 | 1) => ({
  n: cases[side],
  facility: cases[side] === 0 ? null : right[side] / cases[side],
});

function flagsOf(finding: Finding, { significance, fewest_cases }: Frame): Flag[] {
  const { class: letter, found } = finding;
  if (letter === null) return ['not_tested'];
  const flags: Flag[] = [];
  if (letter === 'C') flags.push('dif_large');
  if (letter === 'B') flags.push('dif_moderate');
  if (isNonuniform(finding, significance)) flags.push('nonuniform');
  if (isSmall(finding, fewest_cases)) flags.push('too_few');
  if (found.delta === null) flags.push('no_estimate');
  return flags;
}

/** Why there is no test, or no Δ. */
function reasonOf({ cases, right, found, class: letter }: Finding, frame: Frame): string | null {
  if (letter !== null) {
    if (found.delta !== null) return null;
    const ahead = found.lean > 0 ? frame.focal : frame.reference;
    return `At every score, either all of ${quoted(ahead)} are right or all of the other group are wrong, so that the odds ratio has no bound.`;
  }
  if (cases[0] + cases[1] === 0) return 'Nobody of either group has a score for it.';
  const none = [frame.reference, frame.focal].find((_, side) => cases[side as 0 | 1] === 0);
  if (none !== undefined) return `Nobody of ${quoted(none)} has a score for it.`;
  const all = cases[0] + cases[1];
  if (right[0] + right[1] === all) return 'All answers are right.';
  if (right[0] + right[1] === 0) return 'All answers are wrong.';
  return 'At no score are there cases of both groups, and both right and wrong answers.';
}

const WORDS = { A: 'Negligible difference', B: 'Moderate difference', C: 'Large difference' };

function messageOf(finding: Finding, frame: Frame): string {
  const { found, class: letter } = finding;
  if (letter === null) return `Not tested: ${lowered(reasonOf(finding, frame)!)}`;
  const parts = [verdictOf(letter, found, frame)];
  if (found.delta === null) parts.push(reasonOf(finding, frame)!);
  if (isNonuniform(finding, frame.significance)) parts.push(changeOf(finding, frame));
  if (isSmall(finding, frame.fewest_cases)) {
    const { cases } = finding;
    parts.push(
      `Only ${cases[0]} and ${cases[1]} cases were asked it (${quoted(frame.reference)}, ${quoted(frame.focal)}): a difference may be missed, or be chance.`,
    );
  }
  return parts.join(' ');
}

function verdictOf(letter: EtsClass, found: MantelHaenszel, frame: Frame): string {
  const at = frame.complete ? 'at the same total score' : 'at the same share right';
  const figures =
    found.delta === null
      ? ''
      : `, Δ ${signed(found.delta)}, 95 % interval ${signed(found.delta_low!)} to ${signed(found.delta_high!)}`;
  if (found.p_value! >= frame.significance) {
    return `No significant difference between ${quoted(frame.focal)} and ${quoted(frame.reference)} ${at} (class A)${figures}.`;
  }
  const [better, worse] = found.lean > 0 ? [frame.focal, frame.reference] : [frame.reference, frame.focal];
  const odds =
    found.alpha === null ? '' : `; the odds of a right answer differ by a factor of ${ratio(found.alpha)}`;
  return `${WORDS[letter]} (class ${letter}): harder for ${quoted(worse)} than for ${quoted(better)} ${at}${figures}${odds}.`;
}

function changeOf({ logistic }: Finding, { focal, reference }: Frame): string {
  const both = logistic!.coefficients?.score_by_group;
  if (both === undefined || both === 0) return 'The difference changes with the score.';
  const [gains, loses] = both > 0 ? [focal, reference] : [reference, focal];
  return `The difference changes with the score: the higher it is, the more the question turns in favour of ${quoted(gains)} and against ${quoted(loses)}.`;
}

const ratio = (alpha: number) => {
  const odds = Math.max(alpha, 1 / alpha);
  return odds < 100 ? odds.toFixed(1) : 'more than 100';
};

const signed = (value: number) => value.toFixed(2).replace('-', '−');

const lowered = (sentence: string) => `${sentence[0]!.toLowerCase()}${sentence.slice(1)}`;
