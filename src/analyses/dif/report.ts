/** Makes rows of what was found about the questions: what needs attention first. */

import { decimal } from '../shared/format.ts';
import { FOCAL, quoted, REFERENCE } from './groups.ts';
import { type Logistic, logistic } from './logistic.ts';
import {
  classOf,
  type EtsClass,
  FEWEST_TO_JUDGE,
  isTiny,
  type MantelHaenszel,
  mantelHaenszel,
} from './mantel-haenszel.ts';
import type { Table } from './matching.ts';
import { reasonOf } from './messages.ts';
import type { Flag, Row } from './schemas.ts';

/** What was found about one question. */
export interface Finding {
  found: MantelHaenszel;
  class: EtsClass | null;
  logistic: Logistic | null;
  /** Why there is no regression, or no finite coefficient. */
  logisticReason: string | null;
  anchor: boolean;
}

/** What the rows are told with. */
export interface Frame {
  reference: string;
  focal: string;
  complete: boolean;
  min_cases: number;
  significance: number;
}

interface Asked {
  question_id: string;
  question_text: string;
}

export function findingOf(
  table: Table,
  found: MantelHaenszel,
  anchor: boolean,
  significance: number,
): Finding {
  return {
    found,
    class: classOf(found, significance),
    ...(isTiny(found) ? TOO_FEW_TO_FIT : fitted(table, significance)),
    anchor,
  };
}

/** The regression has four coefficients: of less than this it would be made up. */
const TOO_FEW_TO_FIT = {
  logistic: null,
  logisticReason: `Fewer than ${FEWEST_TO_JUDGE} cases of one of the groups were asked it.`,
};

const PARTED =
  'Score and group part right from wrong answers so cleanly that no finite coefficients fit best. The tests are those of the limit, and nothing is flagged by them.';

function fitted(table: Table, significance: number): Pick<Finding, 'logistic' | 'logisticReason'> {
  const found = logistic(table, significance);
  if (typeof found === 'string') return { logistic: null, logisticReason: found };
  return { logistic: found, logisticReason: found.coefficients === null ? PARTED : null };
}

const NO_CASES = new Uint32Array(0);

/** Of a question that has responses, but none that counts for either group. */
export const NOT_ASKED: Finding = {
  found: mantelHaenszel(NO_CASES, false),
  class: null,
  logistic: null,
  logisticReason: 'Nobody of either group has a score for it.',
  anchor: false,
};

/**
 * C, then B, then what only the regression finds, then A, the larger difference first; then what was not
 * judged, and what was not tested.
 */
export function orderOf(findings: readonly Finding[], significance: number): number[] {
  const rank = findings.map((finding) => {
    if (finding.class === null) return isUntested(finding) ? 5 : 4;
    if (finding.class === 'A') return isNonuniform(finding, significance) ? 2 : 3;
    return finding.class === 'C' ? 0 : 1;
  });
  // A Δ beyond every bound comes before all others, if it is significant.
  const size = findings.map(({ found, class: letter }) => {
    if (letter === null) return -1;
    return found.delta === null ? (letter === 'C' ? Infinity : -1) : Math.abs(found.delta);
  });
  const compare = (i: number, j: number) =>
    rank[i]! - rank[j]! || (size[i] === size[j] ? i - j : size[j]! - size[i]!);
  return [...findings.keys()].sort(compare);
}

/** Where no finite coefficients fit, there is a change to the limit, but none to be told. */
export const isNonuniform = ({ logistic }: Finding, significance: number): boolean =>
  logistic !== null &&
  logistic.coefficients !== null &&
  logistic.jodoin_gierl !== 'A' &&
  logistic.nonuniform.p_value < significance;

/** Without a test; otherwise a question without a class has too few cases. */
export const isUntested = ({ found }: Finding): boolean => found.p_value === null;

export const isSmall = ({ found: { cases } }: Finding, fewest: number): boolean =>
  Math.min(...cases) < fewest;

export function rowOf(
  asked: Asked,
  finding: Finding,
  adjusted: { mantelHaenszel: number | null; logistic: number | null },
  frame: Frame,
): Row {
  const { cases, right, lean, standardized, strata, matched, ...figures } = finding.found;
  const { logistic } = finding;
  return {
    ...asked,
    flags: flagsOf(finding, frame),
    message: messageOf(finding, frame),
    class: finding.class,
    favours: favouredBy(finding, frame),
    reference: sideOf(finding, REFERENCE),
    focal: sideOf(finding, FOCAL),
    mantel_haenszel: { ...figures, p_adjusted: adjusted.mantelHaenszel },
    standardized_difference: standardized,
    strata,
    matched_cases: matched,
    in_matching: finding.anchor,
    logistic: logistic && { ...logistic, both: { ...logistic.both, p_adjusted: adjusted.logistic } },
    logistic_reason: finding.logisticReason,
    reason: reasonOf(finding.found, frame),
  };
}

function favouredBy({ class: letter, found }: Finding, frame: Frame): string | null {
  if (letter === null || found.p_value! >= frame.significance || found.lean === 0) return null;
  return found.lean > 0 ? frame.focal : frame.reference;
}

const sideOf = ({ found: { cases, right } }: Finding, side: 0 | 1) => ({
  n: cases[side],
  facility: cases[side] === 0 ? null : right[side] / cases[side],
});

function flagsOf(finding: Finding, { significance, min_cases }: Frame): Flag[] {
  const { class: letter, found } = finding;
  if (letter === null) return [isUntested(finding) ? 'not_tested' : 'not_judged'];
  const flags: Flag[] = [];
  if (letter === 'C') flags.push('dif_large');
  if (letter === 'B') flags.push('dif_moderate');
  if (isNonuniform(finding, significance)) flags.push('nonuniform');
  if (isSmall(finding, min_cases)) flags.push('too_few');
  if (found.delta === null) flags.push('no_estimate');
  return flags;
}

const WORDS = { A: 'Negligible', B: 'Moderate', C: 'Large' };

function messageOf(finding: Finding, frame: Frame): string {
  const { found, class: letter } = finding;
  if (letter === null) {
    const verdict = isUntested(finding) ? 'Not tested' : 'Not judged';
    return `${verdict}: ${lowered(reasonOf(found, frame)!)}`;
  }
  const parts = [verdictOf(finding, letter, frame)];
  if (found.delta === null) parts.push(reasonOf(found, frame)!);
  if (isSmall(finding, frame.min_cases)) {
    const { cases } = found;
    parts.push(
      `Only ${cases[0]} and ${cases[1]} cases were asked it (${quoted(frame.reference)}, ${quoted(frame.focal)}): a difference may be missed, or be chance.`,
    );
  }
  return parts.join(' ');
}

/** What the test of Mantel and Haenszel says, and whether the regression says that it is not the same everywhere. */
function verdictOf(finding: Finding, letter: EtsClass, frame: Frame): string {
  const { found } = finding;
  const changes = isNonuniform(finding, frame.significance);
  const uniform = changes && letter === 'A' ? 'uniform ' : '';
  const joint = letter === 'A' ? ', but the' : '. The';
  const change = changes ? `${joint} difference changes with the score: ${directionOf(finding, frame)}` : '';
  const at = frame.complete ? 'at the same total score' : 'at the same share right';
  const figures =
    found.delta === null
      ? ''
      : `, Δ ${decimal(found.delta)}, 95 % interval ${decimal(found.delta_low!)} to ${decimal(found.delta_high!)}`;
  if (found.p_value! >= frame.significance) {
    return `No significant ${uniform}difference between ${quoted(frame.focal)} and ${quoted(frame.reference)} ${at} (class A)${figures}${change}.`;
  }
  const [better, worse] = found.lean > 0 ? [frame.focal, frame.reference] : [frame.reference, frame.focal];
  const odds =
    found.alpha === null ? '' : `; the odds of a right answer differ by a factor of ${ratio(found.alpha)}`;
  return `${WORDS[letter]} ${uniform}difference (class ${letter}): harder for ${quoted(worse)} than for ${quoted(better)} ${at}${figures}${odds}${change}.`;
}

function directionOf({ logistic }: Finding, { focal, reference }: Frame): string {
  const [gains, loses] = logistic!.coefficients!.score_by_group > 0 ? [focal, reference] : [reference, focal];
  return `the higher it is, the more the question turns in favour of ${quoted(gains)} and against ${quoted(loses)}`;
}

const ratio = (alpha: number) => {
  const odds = Math.max(alpha, 1 / alpha);
  return odds < 100 ? odds.toFixed(1) : 'more than 100';
};

const lowered = (sentence: string) => `${sentence[0]!.toLowerCase()}${sentence.slice(1)}`;
