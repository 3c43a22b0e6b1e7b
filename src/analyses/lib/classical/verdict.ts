/** What to do with a question, and why, in words. An interval that still reaches into the good condemns nothing. */
import type { Parameters, Row, VERDICTS } from './item-schemas.ts';

type Flag = Row['flags'][number];
export type Judgement = Pick<Row, 'verdict' | 'flags' | 'message'>;
type Verdict = (typeof VERDICTS)[number];
export type Figures = Omit<Row, keyof Judgement>;

const percent = (share: number) => `${Math.round(100 * share)} %`;
const two = (value: number) => (Math.abs(value) < 0.005 ? '0.00' : value.toFixed(2).replace('-', '−'));

/** Ebel's (1972) words for discrimination. */
function ebel(discrimination: number): string {
  if (discrimination >= 0.4) return 'very good';
  if (discrimination >= 0.3) return 'good';
  return discrimination >= 0.2 ? 'marginal' : 'poor';
}

/** Without options, nothing is said that depends on them. */
export function judge(figures: Figures, parameters: Parameters): Judgement {
  const { n, facility } = figures;
  if (n === 0 || facility === null) {
    const message = 'Too little data: no response to it counts, as omitted and not reached ones are set.';
    return { verdict: 'too_little_data', flags: [], message };
  }
  const enough = n >= parameters.minimum_cases;
  const faults = enough ? faultsOf(figures, parameters) : [];
  const optionFaults = optionFaultsOf(figures, parameters);
  const verdict = verdictOf(figures, enough, [...faults, ...optionFaults]);
  const flags = [
    ...faults,
    ...optionFaults,
    ...(facility === 0 || facility === 1 ? [{ flag: 'no_variance' as const, text: '' }] : []),
  ].map(({ flag }) => flag);
  const texts = [...faults, ...optionFaults].map(({ text }) => text).filter((text) => text !== '');
  if (!enough) {
    texts.unshift(`with fewer than ${parameters.minimum_cases} cases it is not judged`);
    const hint = figures.key_evidence;
    if (hint && hint.p_value < levelFor(figures, parameters))
      texts.push(`a first sign that “${hint.option}” may be the right answer needs more cases to be trusted`);
  } else if (faults.length === 0) texts.push(...doubtsOf(figures, parameters));
  return { verdict, flags, message: `${HEADS[verdict]}: ${[standing(figures), ...texts].join('; ')}.` };
}

const HEADS: Record<Verdict, string> = {
  check_key: 'Check the key',
  revise: 'Revise',
  too_little_data: 'Too little data',
  keep: 'Keep',
};

function verdictOf(figures: Figures, enough: boolean, faults: readonly Fault[]): Verdict {
  if (!enough) return 'too_little_data';
  const has = (...flags: Flag[]) => faults.some(({ flag }) => flags.includes(flag));
  if (has('negative_discrimination', 'likely_wrong_key')) return 'check_key';
  if (has('too_hard', 'too_easy', 'low_discrimination')) return 'revise';
  return figures.corrected_point_biserial === null ? 'too_little_data' : 'keep';
}

/** Where it stands: how hard, and how well it discriminates. */
function standing({ n, facility, corrected_point_biserial: r, discrimination_reason }: Figures): string {
  const hard = `${percent(facility!)} of ${n} had it right`;
  if (r === null) return `${hard}; its discrimination is not known${because(discrimination_reason)}`;
  return `${hard}, and its discrimination of ${two(r)} is ${r < 0 ? 'negative' : ebel(r)}`;
}

const because = (reason: string | null) =>
  reason ? `, for ${reason.charAt(0).toLowerCase()}${reason.slice(1).replace(/\.$/, '')}` : '';

interface Fault {
  flag: Flag;
  /** Nothing where another fault says it already. */
  text: string;
}

function faultsOf(figures: Figures, parameters: Parameters): Fault[] {
  const { facility_interval: facility, corrected_point_biserial_interval: discrimination } = figures;
  const faults: Fault[] = [];
  if (discrimination && discrimination.high < 0) {
    faults.push({
      flag: 'negative_discrimination',
      text: `those who do well on the other questions have it wrong more often (95 % interval ${range(discrimination)})`,
    });
  } else if (discrimination && discrimination.high < parameters.minimum_discrimination) {
    faults.push({
      flag: 'low_discrimination',
      text: `it surely discriminates less than ${parameters.minimum_discrimination} (95 % interval ${range(discrimination)})`,
    });
  }
  if (facility && facility.high < parameters.minimum_facility) {
    faults.push({
      flag: 'too_hard',
      text: `it is too hard: surely fewer than ${percent(parameters.minimum_facility)} have it right`,
    });
  }
  if (facility && facility.low > parameters.maximum_facility) {
    faults.push({
      flag: 'too_easy',
      text: `it is too easy: surely more than ${percent(parameters.maximum_facility)} have it right`,
    });
  }
  return faults;
}

const range = ({ low, high }: { low: number; high: number }) => `${two(low)} to ${two(high)}`;

/** What lies outside the limits but may come of chance. */
function doubtsOf(figures: Figures, parameters: Parameters): string[] {
  const { facility, corrected_point_biserial: r, corrected_point_biserial_interval: interval } = figures;
  const doubts: string[] = [];
  if (r !== null && interval && r < parameters.minimum_discrimination)
    doubts.push(
      `that is little, but may be chance (95 % interval ${range(interval)}), so look again with more cases`,
    );
  if (facility! < parameters.minimum_facility) doubts.push('it may be too hard');
  if (facility! > parameters.maximum_facility) doubts.push('it may be too easy');
  return doubts;
}

/** One test for each wrong option: together they should err no more often than one. */
const levelFor = ({ options }: Figures, { wrong_key_level }: Parameters) =>
  wrong_key_level / Math.max(1, (options?.length ?? 0) - 1);

function optionFaultsOf(figures: Figures, parameters: Parameters): Fault[] {
  const { options, option_n, key_evidence: evidence } = figures;
  if (!options || (option_n ?? 0) < parameters.minimum_cases) return [];
  const faults: Fault[] = [];
  if (evidence && evidence.p_value < levelFor(figures, parameters)) {
    faults.push({
      flag: 'likely_wrong_key',
      text:
        `“${evidence.option}” looks more like the right answer: ${percent(evidence.upper)} of the best chose it and ` +
        `${percent(evidence.key_upper)} the key, and its choosers do better on the other questions than ${evidence.compared_with} ` +
        `(p ${evidence.p_value < 0.001 ? '< 0.001' : `= ${evidence.p_value.toFixed(3)}`})`,
    });
  }
  const wrong = options.filter(({ key }) => !key);
  const positive = wrong.filter(({ point_biserial_interval: r }) => r && r.low > 0);
  const unnamed = positive.filter(({ text }) => faults.length === 0 || text !== evidence?.option);
  if (positive.length > 0) {
    faults.push({
      flag: 'positive_distractor',
      text: unnamed.length > 0 ? `better cases tend to choose the wrong ${named(unnamed)}` : '',
    });
  }
  const dead = wrong.filter(({ share }) => share < parameters.dead_option_share);
  if (dead.length > 0) {
    faults.push({
      flag: 'dead_option',
      text: `hardly anybody chooses ${named(dead)} (less than ${percent(parameters.dead_option_share)})`,
    });
  }
  return faults;
}

const named = (options: readonly { text: string }[]) => options.map(({ text }) => `“${text}”`).join(' and ');
