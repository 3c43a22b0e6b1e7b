/**
 * Flags of one item with their reasons. An item is flagged only if the whole confidence interval
 * lies outside the limits, and an option only if enough cases chose it.
 */
import {
  formatCount,
  formatDecimal,
  formatInterval,
  formatLimitPercent,
  formatP,
  formatPercent,
  joinAnd,
  quote,
  roundTo,
} from '../shared/format.ts';
import { explainTooFew } from './messages.ts';
import type { ItemStatistics, KeyEvidence, Option, Parameters, Row } from './schemas.ts';

/** Of the distractors flagged in a run, at most this share is expected to be flagged by chance. */
const MAX_FALSE_DISCOVERY_RATE = 0.05;

export type Flag = Row['flags'][number];

export interface Finding {
  flag: Flag;
  /** Empty if the text of another finding says the same. */
  text: string;
}

/** Findings on facility and discrimination. They do not depend on options. */
export function findItemFlags(statistics: ItemStatistics, parameters: Parameters): Finding[] {
  const { facility_interval: facility, corrected_point_biserial_interval } = statistics;
  const discrimination = explainTooFew(statistics, parameters) ? null : corrected_point_biserial_interval;
  const findings: Finding[] = [];
  if (discrimination && roundTo(discrimination.high) < 0) {
    findings.push({
      flag: 'negative_discrimination',
      text: `cases with high scores on the other questions answer it correctly less often (95 % interval ${formatInterval(discrimination)})`,
    });
  } else if (discrimination && roundTo(discrimination.high) < parameters.min_discrimination) {
    findings.push({
      flag: 'low_discrimination',
      text: `it is significantly below ${formatMinDiscrimination(parameters)} (95 % interval ${formatInterval(discrimination)})`,
    });
  }
  if (facility && facility.high < parameters.min_facility) {
    findings.push({
      flag: 'too_hard',
      text: `too hard: facility is significantly below ${formatLimitPercent(parameters.min_facility)}`,
    });
  }
  if (facility && facility.low > parameters.max_facility) {
    findings.push({
      flag: 'too_easy',
      text: `too easy: facility is significantly above ${formatLimitPercent(parameters.max_facility)}`,
    });
  }
  return findings;
}

const formatMinDiscrimination = ({ min_discrimination }: Parameters) =>
  String(min_discrimination).replace('-', '−');

/**
 * Reasons to wait for more responses: an estimate outside the limits whose confidence interval
 * reaches into them, or a discrimination that cannot be distinguished from 0.
 */
export function describeDoubts(statistics: ItemStatistics, parameters: Parameters): string[] {
  const {
    facility,
    facility_interval,
    corrected_point_biserial: r,
    corrected_point_biserial_interval: interval,
  } = statistics;
  const isJudged = r !== null && interval !== null && !explainTooFew(statistics, parameters);
  const doubts: string[] = [];
  if (isJudged && roundTo(r) < parameters.min_discrimination)
    doubts.push(
      `${formatMinDiscrimination(parameters)} is within the 95 % interval (${formatInterval(interval)}), so more cases are needed to judge it`,
    );
  else if (isJudged && roundTo(interval.low) <= 0)
    doubts.push(
      `the 95 % interval (${formatInterval(interval)}) includes 0, so more cases are needed to confirm it`,
    );
  const range = facility_interval
    ? ` (95 % interval of the facility ${formatPercent(facility_interval.low)} to ${formatPercent(facility_interval.high)})`
    : '';
  if (facility! < parameters.min_facility) doubts.push(`it may be too hard${range}`);
  if (facility! > parameters.max_facility) doubts.push(`it may be too easy${range}`);
  return doubts;
}

/** Findings on the key and the distractors. */
export function findOptionFlags(statistics: ItemStatistics, parameters: Parameters): Finding[] {
  const { options } = statistics;
  if (!options || !hasEnoughChoices(statistics, parameters)) return [];
  const distractors = options.filter(({ key }) => !key);
  const evidence = findWrongKeyEvidence(statistics, parameters);
  return [
    ...(evidence ? [describeWrongKey(evidence, options.length - distractors.length > 1)] : []),
    ...findPositiveDistractors(distractors, parameters, evidence?.option),
    ...findNonfunctioningDistractors(distractors, parameters),
  ];
}

/** Significant evidence of a wrong key that comes from too few cases for a flag. */
export function describeWeakEvidence(statistics: ItemStatistics, parameters: Parameters): string[] {
  const evidence = findSignificantEvidence(statistics, parameters);
  if (!evidence || findWrongKeyEvidence(statistics, parameters)) return [];
  return [
    `${quote(evidence.option)} may be the key, but only ${formatCount(evidence.n, 'case')} chose it; more are needed`,
  ];
}

const hasEnoughChoices = ({ option_n }: ItemStatistics, { min_cases }: Parameters) =>
  (option_n ?? 0) >= min_cases;

function findWrongKeyEvidence(statistics: ItemStatistics, parameters: Parameters): KeyEvidence | null {
  const evidence = findSignificantEvidence(statistics, parameters);
  const isEnough =
    hasEnoughChoices(statistics, parameters) && (evidence?.n ?? 0) >= parameters.min_per_outcome;
  return isEnough ? evidence : null;
}

/** Each distractor is tested, so the significance level is divided by their number (Bonferroni). */
function findSignificantEvidence(
  { options, key_evidence: evidence }: ItemStatistics,
  { significance }: Parameters,
): KeyEvidence | null {
  const distractors = (options ?? []).filter(({ key }) => !key).length;
  const level = significance / Math.max(1, distractors);
  return evidence && evidence.p_value < level ? evidence : null;
}

const COMPARISON_NAMES: Record<KeyEvidence['compared_with'], string> = {
  key: 'those who chose the key',
  all_other_options: 'all who chose another option',
};

function describeWrongKey(
  { option, key, upper, key_upper, compared_with, p_value }: KeyEvidence,
  several: boolean,
): Finding {
  const text =
    `${quote(option)} may be ${several ? 'a' : 'the'} key: ${formatPercent(upper)} of the upper group chose it and ` +
    `${formatPercent(key_upper)} the key${several ? ` ${quote(key)}` : ''}, and those who chose it score higher on the other questions than ` +
    `${COMPARISON_NAMES[compared_with]} (p ${formatP(p_value)})`;
  return { flag: 'likely_wrong_key', text };
}

/** `likelyKey` is flagged, but the message does not name it again as a distractor. */
function findPositiveDistractors(
  distractors: readonly Option[],
  { min_distractor_correlation }: Parameters,
  likelyKey: string | undefined,
): Finding[] {
  const positive = distractors.filter(
    ({ point_biserial: r, p_adjusted: p }) =>
      p !== null && p < MAX_FALSE_DISCOVERY_RATE && r! >= min_distractor_correlation,
  );
  const others = positive.filter(({ text }) => text !== likelyKey);
  if (positive.length === 0) return [];
  const text =
    others.length > 0
      ? `cases with high scores on the other questions choose ${listPositive(others)} more often than others do`
      : '';
  return [{ flag: 'positive_distractor', text }];
}

const listPositive = (options: readonly Option[]) =>
  joinAnd(
    options.map(
      ({ text, point_biserial: r, p_adjusted: p }) =>
        `the distractor ${quote(text)} (correlation ${formatDecimal(r!)}, adjusted p ${formatP(p!)})`,
    ),
  );

/** Options that were never chosen are listed apart: they may be newer than the responses. */
function findNonfunctioningDistractors(
  distractors: readonly Option[],
  { min_distractor_share }: Parameters,
): Finding[] {
  const nonfunctioning = distractors.filter(({ share }) => share < min_distractor_share);
  const never = nonfunctioning.filter(({ n }) => n === 0);
  const rarely = nonfunctioning.filter(({ n }) => n > 0);
  const texts = [
    ...(never.length > 0 ? [`distractor never chosen: ${listTexts(never)}`] : []),
    ...(rarely.length > 0
      ? [`distractor chosen by less than ${formatLimitPercent(min_distractor_share)}: ${listTexts(rarely)}`]
      : []),
  ];
  return nonfunctioning.length > 0 ? [{ flag: 'nonfunctioning_distractor', text: texts.join('; ') }] : [];
}

const listTexts = (options: readonly Option[]) => joinAnd(options.map(({ text }) => quote(text)));
