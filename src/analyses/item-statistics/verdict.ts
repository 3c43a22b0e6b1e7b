/** What to do with a question, and why, in words. An interval that still reaches into the good condemns nothing. */

import { decimal, limitPercent, percent, range, rounded, uncapitalised } from '../shared/format.ts';
import { optionFaults, optionHint } from './option-faults.ts';
import type { Parameters, Row, VERDICTS } from './schemas.ts';

type Flag = Row['flags'][number];
export type Judgement = Pick<Row, 'verdict' | 'flags' | 'message'>;
type Verdict = (typeof VERDICTS)[number];
export type Figures = Omit<Row, keyof Judgement>;

export interface Fault {
  flag: Flag;
  /** Nothing where another fault says it already. */
  text: string;
}

/** Where more than this share of those who saw a question left it out, its facility is told together with that. */
const MUCH_OMITTED = 1 / 3;

/** Ebel's (1972) words for discrimination. */
function ebel(discrimination: number): string {
  if (discrimination < 0) return 'negative';
  if (discrimination >= 0.4) return 'very good';
  if (discrimination >= 0.3) return 'good';
  return discrimination >= 0.2 ? 'marginal' : 'poor';
}

/** Without options, nothing is said that depends on them. */
export function judge(figures: Figures, parameters: Parameters): Judgement {
  const { n, facility } = figures;
  if (n === 0 || facility === null) {
    const texts = [
      'no response to it counts, as omitted and not reached ones are set',
      ...omissions(figures, parameters),
    ];
    return { verdict: 'too_little_data', flags: [], message: sentence('too_little_data', texts) };
  }
  const enough = n >= parameters.min_cases;
  const faults = enough ? faultsOf(figures, parameters) : [];
  const all = [...faults, ...optionFaults(figures, parameters)];
  const verdict = verdictOf(figures, enough, all);
  const flags = [
    ...all.map(({ flag }) => flag),
    ...(facility === 0 || facility === 1 ? (['no_variance'] as const) : []),
  ];
  const texts = [
    standing(figures, parameters),
    ...omissions(figures, parameters),
    ...(enough ? [] : [`with fewer than ${parameters.min_cases} cases it is not judged`]),
    ...(enough && faults.length === 0 ? doubtsOf(figures, parameters) : []),
    ...all.map(({ text }) => text).filter((text) => text !== ''),
    ...optionHint(figures, parameters),
  ];
  return { verdict, flags, message: sentence(verdict, texts) };
}

const HEADS: Record<Verdict, string> = {
  check_key: 'Check the key',
  revise: 'Revise',
  too_little_data: 'Too little data',
  keep: 'Keep',
};

const sentence = (verdict: Verdict, texts: readonly string[]) => `${HEADS[verdict]}: ${texts.join('; ')}.`;

function verdictOf(figures: Figures, enough: boolean, faults: readonly Fault[]): Verdict {
  if (!enough) return 'too_little_data';
  const has = (...flags: Flag[]) => faults.some(({ flag }) => flags.includes(flag));
  if (has('negative_discrimination', 'likely_wrong_key')) return 'check_key';
  if (has('too_hard', 'too_easy', 'low_discrimination')) return 'revise';
  return figures.corrected_point_biserial === null ? 'too_little_data' : 'keep';
}

/** Where it stands: how hard, and how well it discriminates. */
function standing(figures: Figures, parameters: Parameters): string {
  const { n, right, facility, corrected_point_biserial: r, discrimination_reason } = figures;
  const share = n < parameters.min_cases ? String(right) : percent(facility!);
  const hard = `${share} of ${n} had it right`;
  if (r === null) return `${hard}; its discrimination is not known${because(discrimination_reason)}`;
  const few = tooFew(figures, parameters);
  if (few) return `${hard}; ${few}`;
  return `${hard}, and its discrimination of ${decimal(r)} is ${ebel(rounded(r))}`;
}

const because = (reason: string | null) =>
  reason ? `, for ${uncapitalised(reason).replace(/\.$/, '')}` : '';

/** Why nothing is said of the discrimination, where single cases could decide it. */
function tooFew(
  { n, discrimination_n, discrimination_right: right }: Figures,
  { min_per_outcome }: Parameters,
): string | undefined {
  const wrong = discrimination_n - right;
  const few = [
    ...(right < min_per_outcome ? [`right (${right})`] : []),
    ...(wrong < min_per_outcome ? [`wrong (${wrong})`] : []),
  ];
  if (few.length === 0) return undefined;
  const among = discrimination_n < n ? ` of the ${discrimination_n} who answered another question, too,` : '';
  return `too few${among} had it ${few.join(' or ')} to tell about its discrimination`;
}

/** How many left it out, where that is much of what is seen. */
function omissions({ right, wrong, omitted }: Figures, parameters: Parameters): string[] {
  const seen = right + wrong + omitted;
  if (!(omitted > MUCH_OMITTED * seen)) return [];
  const counting = parameters.omitted === 'wrong' ? ', which counts as wrong' : '';
  return [`${omitted} of ${seen} left it out${counting}`];
}

function faultsOf(figures: Figures, parameters: Parameters): Fault[] {
  const { facility_interval: facility, corrected_point_biserial_interval } = figures;
  const discrimination = tooFew(figures, parameters) ? null : corrected_point_biserial_interval;
  const faults: Fault[] = [];
  if (discrimination && discrimination.high < 0) {
    faults.push({
      flag: 'negative_discrimination',
      text: `those who do well on the other questions have it wrong more often (95 % interval ${range(discrimination)})`,
    });
  } else if (discrimination && discrimination.high < parameters.min_discrimination) {
    faults.push({
      flag: 'low_discrimination',
      text: `it surely discriminates less than ${limitOf(parameters)} (95 % interval ${range(discrimination)})`,
    });
  }
  if (facility && facility.high < parameters.min_facility) {
    faults.push({
      flag: 'too_hard',
      text: `it is too hard: surely fewer than ${limitPercent(parameters.min_facility)} have it right`,
    });
  }
  if (facility && facility.low > parameters.max_facility) {
    faults.push({
      flag: 'too_easy',
      text: `it is too easy: surely more than ${limitPercent(parameters.max_facility)} have it right`,
    });
  }
  return faults;
}

const limitOf = ({ min_discrimination }: Parameters) => String(min_discrimination).replace('-', '−');

/** What lies outside the limits but may come of chance. */
function doubtsOf(figures: Figures, parameters: Parameters): string[] {
  const { facility, corrected_point_biserial: r, corrected_point_biserial_interval: interval } = figures;
  const judged = r !== null && !tooFew(figures, parameters);
  const doubts: string[] = [];
  if (judged && interval && rounded(r) < parameters.min_discrimination)
    doubts.push(
      `so little discrimination may be chance (95 % interval ${range(interval)}), and more cases will tell`,
    );
  if (facility! < parameters.min_facility) doubts.push('it may be too hard');
  if (facility! > parameters.max_facility) doubts.push('it may be too easy');
  return doubts;
}
