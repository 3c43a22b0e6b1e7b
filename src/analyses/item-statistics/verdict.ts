import {
  describeDoubts,
  describeWeakEvidence,
  type Finding,
  type Flag,
  findItemFlags,
  findOptionFlags,
} from './findings.ts';
import { describeOmissions, describeStatistics } from './messages.ts';
import type { ItemStatistics, Parameters, Row, VERDICTS } from './schemas.ts';

type Verdict = (typeof VERDICTS)[number];

const VERDICT_NAMES: Record<Verdict, string> = {
  check_key: 'Check the key',
  revise: 'Revise',
  too_little_data: 'Too little data',
  keep: 'Keep',
};

/** Recommends an action for an item, with flags and reasons. */
export function judgeItem(
  statistics: ItemStatistics,
  parameters: Parameters,
): Pick<Row, 'verdict' | 'flags' | 'message'> {
  const { n, facility } = statistics;
  if (n === 0 || facility === null) {
    const reasons = ['no response was scored', ...describeOmissions(statistics, parameters)];
    return { verdict: 'too_little_data', flags: [], message: formatMessage('too_little_data', reasons) };
  }
  const hasEnoughCases = n >= parameters.min_cases;
  const itemFindings = hasEnoughCases ? findItemFlags(statistics, parameters) : [];
  const findings = [...itemFindings, ...findOptionFlags(statistics, parameters)];
  const verdict = decideVerdict(statistics, hasEnoughCases, findings);
  const flags = [
    ...findings.map(({ flag }) => flag),
    ...(facility === 0 || facility === 1 ? (['no_variance'] as const) : []),
  ];
  const reasons = [
    describeStatistics(statistics, parameters),
    ...describeOmissions(statistics, parameters),
    ...(hasEnoughCases ? [] : [`not judged with fewer than ${parameters.min_cases} cases`]),
    ...(hasEnoughCases && itemFindings.length === 0 ? describeDoubts(statistics, parameters) : []),
    ...findings.map(({ text }) => text).filter((text) => text !== ''),
    ...describeWeakEvidence(statistics, parameters),
  ];
  return { verdict, flags, message: formatMessage(verdict, reasons) };
}

const formatMessage = (verdict: Verdict, reasons: readonly string[]) =>
  `${VERDICT_NAMES[verdict]}: ${reasons.join('; ')}.`;

function decideVerdict(
  statistics: ItemStatistics,
  hasEnoughCases: boolean,
  findings: readonly Finding[],
): Verdict {
  if (!hasEnoughCases) return 'too_little_data';
  const has = (...flags: Flag[]) => findings.some(({ flag }) => flags.includes(flag));
  if (has('negative_discrimination', 'likely_wrong_key')) return 'check_key';
  if (has('too_hard', 'too_easy', 'low_discrimination')) return 'revise';
  return statistics.corrected_point_biserial === null ? 'too_little_data' : 'keep';
}
