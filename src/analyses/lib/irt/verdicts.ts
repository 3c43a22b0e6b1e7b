/** What is said about a question: flags for programs, and sentences for people. */
import { DISCRIMINATION, type Flag, type Row } from './schemas.ts';

/** What is still good enough. */
export interface Limits {
  model: '1pl' | '2pl' | '3pl';
  least_each: number;
  least_slope: number;
  most_slope: number;
  significance: number;
  largest_rmsea: number;
  largest_mean_square: number;
  largest_difficulty: number;
  largest_difficulty_error: number;
  fewest_responses: number;
}

/** A row before it is judged. */
export type Figures = Omit<Row, 'flags' | 'message'>;

interface Finding {
  flag: Flag;
  sentence: string;
}

/** A mean square must also differ from 1 by more than chance. */
const NOTABLE_Z = 1.96;
/** From where on the names of discrimination apply, from "very low" on. */
const BOUNDS = [0, 0.35, 0.65, 1.35, 1.7];

export const discriminationOf = (slope: number) =>
  DISCRIMINATION[BOUNDS.filter((bound) => slope >= bound).length]!;

/** What is wrong with a question, in the order of what it is made of. */
export function findingsOf(row: Figures, limits: Limits): Finding[] {
  const unfit = unfitness(row, limits.least_each);
  const found = row.estimated
    ? [...slopeFindings(row, limits), ...fitFindings(row, limits), ...placeFindings(row, limits)]
    : [...(unfit ? [unfit] : [])];
  if (row.n < limits.fewest_responses)
    found.push({
      flag: 'few_responses',
      sentence: `It has only ${plural(row.n, 'answer')}, where ${limits.fewest_responses} are advised.`,
    });
  return found;
}

/** Why a question cannot be calibrated by itself. */
export function unfitness(
  { n, right }: { n: number; right: number },
  leastEach: number,
): Finding | undefined {
  const wrong = n - right;
  if (right === 0 || wrong === 0)
    return {
      flag: 'one_category',
      sentence: `Everybody got it ${right === 0 ? 'wrong' : 'right'} (${plural(n, 'answer')}), so nothing can be estimated.`,
    };
  if (Math.min(right, wrong) >= leastEach) return undefined;
  return {
    flag: 'too_few_each',
    sentence: `Too few answers are ${right < wrong ? 'right' : 'wrong'} (${Math.min(right, wrong)} of ${n}) to estimate anything.`,
  };
}

/** What there is to say, in sentences. */
export function messageOf(row: Figures, findings: readonly Finding[], { model }: Limits): string {
  const said = findings.map(({ sentence }) => sentence).join(' ');
  if (!row.estimated) return said || (row.reason ?? '');
  const place = row.difficulty
    ? `difficulty ${estimateOf(row.difficulty)}`
    : 'no difficulty, for its curve is flat';
  const slope = model === '1pl' ? '' : `; slope ${estimateOf(row.slope!)}, which is ${row.discrimination}`;
  return said ? `${said} ${capital(place)}${slope}.` : `Nothing stands out: ${place}${slope}.`;
}

function* slopeFindings({ slope }: Figures, { model, least_slope, most_slope }: Limits): Generator<Finding> {
  // In the 1PL the slope is that of all questions: it says nothing about one.
  if (!slope || model === '1pl') return;
  if (slope.estimate < 0 && (slope.high ?? slope.estimate) < 0)
    yield {
      flag: 'negative_slope',
      sentence: 'The abler people are, the less often they get it right: check the key.',
    };
  else if (slope.estimate < least_slope)
    yield {
      flag: 'low_slope',
      sentence: `It hardly tells able people from others${
        (slope.high ?? -Infinity) < least_slope ? '' : ', though with so few answers that may be chance'
      }.`,
    };
  else if (slope.estimate > most_slope)
    yield {
      flag: 'steep_slope',
      sentence:
        'Its slope is steeper than that of questions: often chance with few answers, or a question that repeats another.',
    };
}

function* fitFindings({ s_x2, infit, outfit }: Figures, limits: Limits): Generator<Finding> {
  if (s_x2 && s_x2.p_adjusted < limits.significance && s_x2.rmsea > limits.largest_rmsea)
    yield {
      flag: 'misfit',
      sentence:
        'Right answers do not rise with ability as the model says ' +
        `(S-X² ${decimal(s_x2.chi_squared)} with ${plural(s_x2.degrees_of_freedom, 'degree')} of freedom, ` +
        `adjusted p ${probability(s_x2.p_adjusted)}, RMSEA ${decimal(s_x2.rmsea)}).`,
    };
  const notable = (fit: Figures['infit']) =>
    fit && fit.mean_square > limits.largest_mean_square && (fit.z ?? 0) > NOTABLE_Z;
  if (notable(infit))
    yield {
      flag: 'infit_high',
      sentence: `Answers are less predictable than the model says (infit ${squareOf(infit)}).`,
    };
  if (notable(outfit))
    yield {
      flag: 'outfit_high',
      sentence: `Some answers are against all odds, such as lucky guesses or slips (outfit ${squareOf(outfit)}).`,
    };
}

function* placeFindings({ difficulty, facility }: Figures, limits: Limits): Generator<Finding> {
  if (!difficulty) return;
  if (Math.abs(difficulty.estimate) > limits.largest_difficulty)
    yield {
      flag: 'extreme_difficulty',
      sentence: `Its difficulty lies where hardly anybody is (${(100 * facility).toFixed(1)} % are right).`,
    };
  if ((difficulty.standard_error ?? 0) > limits.largest_difficulty_error)
    yield { flag: 'imprecise', sentence: 'Its difficulty is not well known.' };
}

const estimateOf = ({ estimate, low, high }: NonNullable<Figures['slope']>) =>
  decimal(estimate) +
  (low === null || high === null ? '' : ` (95 % interval ${decimal(low)} to ${decimal(high)})`);
const squareOf = (fit: Figures['infit']) => `${decimal(fit!.mean_square)}, z ${decimal(fit!.z!)}`;
const decimal = (value: number) => value.toFixed(2).replace('-', '−');
const probability = (p: number) => (p < 0.001 ? 'below 0.001' : p.toFixed(3));
const plural = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`;
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
