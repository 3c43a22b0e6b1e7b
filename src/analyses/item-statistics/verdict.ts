import {
  describeDoubts,
  describeWeakEvidence,
  type Finding,
  type Flag,
  findItemFlags,
  findOptionFlags,
} from './findings.ts';
import { DIRECTION_UNCERTAIN, describeOmissions, describeStatistics, explainTooFew } from './messages.ts';
import { describeProposals } from './proposals.ts';
import type { ItemStatistics, Parameters, Row, VERDICTS } from './schemas.ts';

type Verdict = (typeof VERDICTS)[number];

export const VERDICT_NAMES: Record<Verdict, string> = {
  check_key: 'Check the key',
  revise: 'Revise',
  watch: 'Watch',
  too_little_data: 'Too little data',
  keep: 'Keep',
};

/** Facts about the run that the verdict of an item depends on. */
export interface RunContext {
  /** See `direction_uncertain` in the summary. */
  directionUncertain: boolean;
}

/** Recommends an action for an item, with flags and reasons. */
export function judgeItem(
  statistics: ItemStatistics,
  parameters: Parameters,
  { directionUncertain }: RunContext,
): Pick<Row, 'verdict' | 'flags' | 'message'> {
  const { n, facility } = statistics;
  if (n === 0 || facility === null) {
    const reasons = ['no response was scored', ...describeOmissions(statistics, parameters)];
    return { verdict: 'too_little_data', flags: [], message: formatMessage('too_little_data', reasons) };
  }
  const hasEnoughCases = n >= parameters.min_cases;
  const itemFindings = hasEnoughCases ? findItemFlags(statistics, parameters) : [];
  const findings = [...itemFindings, ...findOptionFlags(statistics, parameters)];
  const weakEvidence = describeWeakEvidence(statistics, parameters);
  const doubts = hasEnoughCases && itemFindings.length === 0 ? describeDoubts(statistics, parameters) : [];
  const isDoubtful = doubts.length + weakEvidence.length > 0 || directionUncertain;
  const verdict = decideVerdict(statistics, parameters, findings, { isDoubtful, directionUncertain });
  const flags = [
    ...findings.map(({ flag }) => flag),
    ...(facility === 0 || facility === 1 ? (['no_variance'] as const) : []),
  ];
  const reasons = [
    describeStatistics(statistics, parameters),
    ...describeOmissions(statistics, parameters),
    ...(hasEnoughCases ? [] : [`not judged with fewer than ${parameters.min_cases} cases`]),
    ...doubts,
    ...findings.map(({ text }) => text).filter((text) => text !== ''),
    ...weakEvidence,
    ...describeProposals(statistics),
    ...(directionUncertain && verdict !== 'too_little_data' ? [DIRECTION_UNCERTAIN] : []),
  ];
  return { verdict, flags, message: formatMessage(verdict, reasons) };
}

const formatMessage = (verdict: Verdict, reasons: readonly string[]) =>
  `${VERDICT_NAMES[verdict]}: ${reasons.join('; ')}.`;

/**
 * An item whose discrimination is not judged, for want of correct or of incorrect responses, is not
 * kept on its facility alone. If the direction of the score is uncertain, a low discrimination says
 * more about the keys than about the item.
 */
function decideVerdict(
  statistics: ItemStatistics,
  parameters: Parameters,
  findings: readonly Finding[],
  { isDoubtful, directionUncertain }: RunContext & { isDoubtful: boolean },
): Verdict {
  if (statistics.n < parameters.min_cases) return 'too_little_data';
  const has = (...flags: Flag[]) => findings.some(({ flag }) => flags.includes(flag));
  if (has('negative_discrimination', 'likely_wrong_key')) return 'check_key';
  if (directionUncertain && has('low_discrimination')) return 'check_key';
  if (has('too_hard', 'too_easy', 'low_discrimination')) return 'revise';
  if (statistics.corrected_point_biserial === null || explainTooFew(statistics, parameters))
    return 'too_little_data';
  return isDoubtful || has('positive_distractor') ? 'watch' : 'keep';
}
