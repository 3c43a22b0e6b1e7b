/** What is said about a question: flags for programs, and sentences for people. */

import { counted, decimal } from '../shared/format.ts';
import { type Model, slopeBoundOf } from './calibration/model.ts';
import { DISCRIMINATION, type Flag, type Row } from './schemas.ts';

/** What is still good enough. */
export interface Limits {
  model: Model;
  min_per_outcome: number;
  min_discrimination: number;
  max_discrimination: number;
  significance: number;
  max_rmsea: number;
  max_mean_square: number;
  max_abs_difficulty: number;
  max_difficulty_se: number;
  min_responses: number;
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
  const unfit = unfitness(row, limits.min_per_outcome);
  const bounded = boundFinding(row, limits);
  const found = bounded
    ? [bounded]
    : row.estimated
      ? [...slopeFindings(row, limits), ...fitFindings(row, limits), ...placeFindings(row, limits)]
      : [...(unfit ? [unfit] : [])];
  if (row.n < limits.min_responses)
    found.push({
      flag: 'few_responses',
      sentence: `It has only ${counted(row.n, 'answer')}, where ${limits.min_responses} are advised.`,
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
      sentence: `Everybody got it ${right === 0 ? 'wrong' : 'right'} (${counted(n, 'answer')}), so nothing can be estimated.`,
    };
  if (Math.min(right, wrong) >= leastEach) return undefined;
  const few =
    Math.max(right, wrong) < leastEach
      ? `right (${right} of ${n}) and too few wrong (${wrong} of ${n})`
      : `${right < wrong ? 'right' : 'wrong'} (${Math.min(right, wrong)} of ${n})`;
  return {
    flag: 'too_few_each',
    sentence: `Too few answers are ${few} to estimate anything: \`min_per_outcome\` asks for ${leastEach}.`,
  };
}

/** What there is to say, in sentences. */
export function messageOf(
  row: Figures,
  findings: readonly Finding[],
  { model }: Limits,
  settled: boolean,
): string {
  const sentences = findings.map(({ sentence }) => sentence);
  if (!row.estimated) return sentences.join(' ') || (row.reason ?? '');
  const bound = slopeBoundOf(model, row.slope!.estimate);
  if (!settled) sentences.push('The estimation came to no definite maximum: do not rely on these figures.');
  sentences.push(...errorRemarks(row, bound !== null));
  const place = row.difficulty
    ? `difficulty ${estimateOf(row.difficulty)}`
    : 'no difficulty, for its curve is flat';
  const slope =
    bound || model === '1pl' ? '' : `; slope ${estimateOf(row.slope!)}, which is ${row.discrimination}`;
  if (sentences.length === 0) return `Nothing stands out: ${place}${slope}.`;
  return [...sentences, ...(bound && !row.difficulty ? [] : [`${capital(place)}${slope}.`])].join(' ');
}

/** Why there is no standard error where there is none; a slope at its bound has been told of. */
function* errorRemarks({ slope, difficulty, lower }: Figures, bounded: boolean): Generator<string> {
  if (bounded) return;
  if (slope!.standard_error === null || difficulty?.standard_error === null)
    yield 'There are no standard errors, for the answers do not tell its parameters apart.';
  else if (lower?.standard_error === null)
    yield `Its share of guessing ran to its bound (${decimal(lower.estimate)}) and has no standard error.`;
}

/** Where the slope is as large or as small as any that is estimated; fit and place are then those of the bound. */
function boundFinding({ slope }: Figures, { model }: Limits): Finding | undefined {
  const bound = slope && slopeBoundOf(model, slope.estimate);
  if (!bound) return;
  const sentences = model === '1pl' ? SHARED_BOUND : OWN_BOUND;
  return { flag: 'slope_at_bound', sentence: sentences[bound] };
}

const OWN_BOUND = {
  upper:
    'Its slope ran to the bound of 20: the answers fit a step better than any curve, and there is no estimate of it.',
  lower:
    'Its slope ran to the bound of −20: the abler people are wrong and the others right, as with a wrong key. Check the key; there is no estimate of the slope.',
};
const SHARED_BOUND = {
  upper:
    'The slope that all questions share ran to the bound of 20: the answers fit steps better than any curves, and there is no estimate of it.',
  lower:
    'The slope that all questions share ran to its lower bound, as good as 0: they do not measure one ability together, so there is no scale on which this one has a difficulty.',
};

function* slopeFindings(
  { slope }: Figures,
  { model, min_discrimination, max_discrimination }: Limits,
): Generator<Finding> {
  // In the 1PL the slope is that of all questions: it says nothing about one.
  if (!slope || model === '1pl') return;
  if (slope.high !== null && slope.high < 0)
    yield {
      flag: 'negative_slope',
      sentence: 'The abler people are, the less often they get it right: check the key.',
    };
  else if (slope.estimate < min_discrimination)
    yield {
      flag: 'low_slope',
      sentence: `It hardly tells able people from others${
        slope.high !== null && slope.high < min_discrimination
          ? ''
          : ', though with so few answers that may be chance'
      }.`,
    };
  else if (slope.estimate > max_discrimination)
    yield {
      flag: 'steep_slope',
      sentence:
        'Its slope is steeper than those of real questions: often chance with few answers, or a question that repeats another.',
    };
}

function* fitFindings({ s_x2, infit, outfit }: Figures, limits: Limits): Generator<Finding> {
  if (s_x2 && s_x2.p_adjusted < limits.significance && s_x2.rmsea > limits.max_rmsea)
    yield {
      flag: 'misfit',
      sentence:
        'Right answers do not rise with ability as the model says ' +
        `(S-X² ${decimal(s_x2.chi_squared)} with ${counted(s_x2.degrees_of_freedom, 'degree')} of freedom, ` +
        `adjusted p ${probability(s_x2.p_adjusted)}, RMSEA ${decimal(s_x2.rmsea)}).`,
    };
  const notable = (fit: Figures['infit']) =>
    fit && fit.mean_square > limits.max_mean_square && (fit.z ?? 0) > NOTABLE_Z;
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
  if (Math.abs(difficulty.estimate) > limits.max_abs_difficulty)
    yield {
      flag: 'extreme_difficulty',
      sentence: `Its difficulty lies where hardly anybody is (${(100 * facility).toFixed(1)} % are right).`,
    };
  if ((difficulty.standard_error ?? 0) > limits.max_difficulty_se)
    yield { flag: 'imprecise', sentence: 'Its difficulty is not well known.' };
}

const estimateOf = ({ estimate, low, high }: NonNullable<Figures['slope']>) =>
  decimal(estimate) +
  (low === null || high === null ? '' : ` (95 % interval ${decimal(low)} to ${decimal(high)})`);
const squareOf = (fit: Figures['infit']) => `${decimal(fit!.mean_square)}, z ${decimal(fit!.z!)}`;
const probability = (p: number) => (p < 0.001 ? 'below 0.001' : p.toFixed(3));
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
