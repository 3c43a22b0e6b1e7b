/** Makes rows and figures of how often the questions were right. */

import { mean, quantile } from '../../statistics/descriptive.ts';
import { wilson } from '../../statistics/intervals.ts';
import { kappa, kendall, quadraticKappa, spearman } from '../../statistics/ranks.ts';
import { type Bounds, bandOf, LEVELS, rangeOf, type Verdict, verdictOn } from './bands.ts';
import type { Row, Summary } from './schemas.ts';

export interface Settings extends Bounds {
  confidence: number;
  min_responses: number;
  not_reached: 'wrong' | 'missing';
  /** What goes with the confidence, in standard deviations. */
  z: number;
}

export interface Question {
  question_id: string;
  question_text: string;
  difficulty: number;
}

/** How often each question was answered and right, by its place. */
export interface Tally {
  answered: Uint32Array;
  correct: Uint32Array;
}

/** How often one question was scored, and what came of it. */
interface Counts {
  n: number;
  correct: number;
  /** Without an answer, and yet counted as wrong. */
  unanswered: number;
}

/** When more of the wrong ones are no answers than this, the facility speaks of them as much as of difficulty. */
const NOTABLE_UNANSWERED = 1 / 3;

interface Judged {
  verdict: Verdict;
  facility: number;
  low: number;
  high: number;
  /** How far the interval is from the band of the label. */
  beyond: number;
}

export function judge(difficulty: number, n: number, correct: number, settings: Settings): Judged | null {
  const interval = wilson(correct, n, settings.z);
  if (!interval) return null;
  const [low, high] = interval;
  const [from, to] = rangeOf(difficulty, settings);
  const verdict = n < settings.min_responses ? 'too_few' : verdictOn(difficulty, interval, settings);
  const gaps = { harder: from - high, easier: low - to, as_labelled: 0, too_few: 0 };
  return { verdict, facility: correct / n, low, high, beyond: gaps[verdict] };
}

const RANKS: Record<Verdict, number> = { harder: 0, easier: 0, as_labelled: 1, too_few: 2 };

/**
 * Misrated ones first, the farthest from their band before all; then those as labelled, then those with too
 * little data.
 */
export function orderOf(places: readonly number[], judgedAt: (place: number) => Judged | null): number[] {
  const keys = places.map((place) => {
    const judged = judgedAt(place);
    return { place, rank: judged ? RANKS[judged.verdict] : 3, beyond: judged?.beyond ?? 0 };
  });
  keys.sort((a, b) => a.rank - b.rank || b.beyond - a.beyond || a.place - b.place);
  return keys.map(({ place }) => place);
}

export function rowOf(question: Question, counts: Counts, settings: Settings): Row {
  const { n, correct, unanswered } = counts;
  const judged = judge(question.difficulty, n, correct, settings);
  if (!judged) return { ...question, ...NO_SCORE };
  const { verdict, facility, low, high } = judged;
  const observed = bandOf(facility, settings);
  const misrated = verdict === 'harder' || verdict === 'easier';
  const certain = bandOf(low, settings) === bandOf(high, settings);
  return {
    ...question,
    flags: FLAGS_OF[verdict],
    message: [
      verdictOf(question, n, judged, observed, certain, settings),
      ...remarkOn(counts, settings),
    ].join(' '),
    n,
    correct,
    unanswered,
    facility,
    low,
    high,
    observed_difficulty: observed,
    suggested_difficulty: misrated ? observed : null,
    suggestion_certain: misrated ? certain : null,
    beyond: verdict === 'too_few' ? null : judged.beyond,
  };
}

const FLAGS_OF: Record<Verdict, Row['flags']> = {
  harder: ['misrated_harder'],
  easier: ['misrated_easier'],
  too_few: ['too_few'],
  as_labelled: [],
};

const NO_SCORE: Omit<Row, keyof Question> = {
  flags: ['too_few'],
  message: 'Not judged: none of its responses counts as right or wrong.',
  n: 0,
  correct: 0,
  unanswered: 0,
  facility: null,
  low: null,
  high: null,
  observed_difficulty: null,
  suggested_difficulty: null,
  suggestion_certain: null,
  beyond: null,
};

function verdictOf(
  { difficulty }: Question,
  n: number,
  { verdict, facility, low, high }: Judged,
  observed: number,
  certain: boolean,
  settings: Settings,
): string {
  const label = LEVELS[difficulty]!;
  const level = Math.round(settings.confidence * 1000) / 10;
  const found = `${percent(facility)} of ${n} ${n === 1 ? 'response is' : 'responses are'} right (${level} % interval ${percent(low)} to ${percent(high)})`;
  if (verdict === 'too_few') {
    return `Not judged: ${found}, and it takes ${settings.min_responses} to judge.`;
  }
  const [from, to] = rangeOf(difficulty, settings);
  const band = `${percent(from)} to ${percent(to)}`;
  if (verdict === 'as_labelled') {
    return observed === difficulty
      ? `As labelled: ${found}, and ${label} is ${band}.`
      : `The label ${label} may stand: ${found}; that is rather ${LEVELS[observed]}, but ${label} (${band}) is not ruled out.`;
  }
  const suggestion = certain ? LEVELS[observed] : `${LEVELS[observed]}, most likely`;
  const comparative = verdict === 'harder' ? 'Harder' : 'Easier';
  return `${comparative} than labelled: ${found}, but ${label} is ${band}. Suggested: ${suggestion}.`;
}

/** Said where a large part of the wrong answers are none. */
function remarkOn({ n, correct, unanswered }: Counts, { not_reached }: Settings): string[] {
  const wrong = n - correct;
  if (!(unanswered > NOTABLE_UNANSWERED * wrong)) return [];
  const fate = not_reached === 'wrong' ? 'left out or not reached' : 'left out';
  const share = wrong === 1 ? 'The only response that counts' : `${unanswered} of the ${wrong} that count`;
  const left = n - unanswered;
  const rest =
    left === 0
      ? 'nobody answered'
      : `without ${unanswered === 1 ? 'it' : 'them'} ${percent(correct / left)} would be right`;
  return [`${share} as wrong ${unanswered === 1 ? 'was' : 'were'} ${fate}, not answered: ${rest}.`];
}

/** All and none are said of nothing else. */
function percent(share: number): string {
  const rounded = Number((100 * share).toFixed(1));
  if (rounded === 100 && share < 1) return 'over 99.9 %';
  return rounded === 0 && share > 0 ? 'under 0.1 %' : `${rounded} %`;
}

/** Figures about all questions with enough responses. */
export function summaryOf(
  questions: readonly Question[],
  places: readonly number[],
  { answered, correct }: Tally,
  settings: Settings,
): Omit<Summary, 'questions' | 'cases' | 'responses' | 'same_questions'> {
  const confusion = LEVELS.map(() => LEVELS.map(() => 0));
  const counts = LEVELS.map(() => ({ questions: 0, harder: 0, easier: 0, facilities: [] as number[] }));
  const labels: number[] = [];
  const facilities: number[] = [];
  for (const place of places) {
    const { difficulty } = questions[place]!;
    const judged = judge(difficulty, answered[place]!, correct[place]!, settings);
    if (!judged) continue;
    const own = counts[difficulty]!;
    own.questions++;
    if (judged.verdict === 'too_few') continue;
    if (judged.verdict !== 'as_labelled') own[judged.verdict]++;
    own.facilities.push(judged.facility);
    confusion[difficulty]![bandOf(judged.facility, settings)]!++;
    labels.push(difficulty);
    facilities.push(judged.facility);
  }
  const misrated_harder = counts.reduce((sum, { harder }) => sum + harder, 0);
  const misrated_easier = counts.reduce((sum, { easier }) => sum + easier, 0);
  const misrated = misrated_harder + misrated_easier;
  const x = Float64Array.from(labels);
  const y = Float64Array.from(facilities);
  return {
    questions_with_responses: places.length,
    judged: labels.length,
    too_few: places.length - labels.length,
    misrated,
    misrated_harder,
    misrated_easier,
    misrated_share: labels.length === 0 ? null : misrated / labels.length,
    spearman: spearman(x, y, settings.confidence),
    kendall_tau_b: kendall(x, y, settings.confidence),
    kappa_quadratic: quadraticKappa(confusion, settings.confidence),
    kappa: kappa(confusion, settings.confidence),
    confusion,
    levels: counts.map((own, difficulty) => ({
      difficulty,
      name: LEVELS[difficulty]!,
      ...rangeFields(difficulty, settings),
      questions: own.questions,
      judged: own.facilities.length,
      misrated_harder: own.harder,
      misrated_easier: own.easier,
      ...spreadOf(own.facilities),
    })),
  };
}

function rangeFields(difficulty: number, bounds: Bounds) {
  const [from, to] = rangeOf(difficulty, bounds);
  return { from, to };
}

function spreadOf(facilities: readonly number[]) {
  const sorted = Float64Array.from(facilities).sort();
  return {
    mean_facility: mean(sorted),
    lower_quartile: quantile(sorted, 0.25),
    median: quantile(sorted, 0.5),
    upper_quartile: quantile(sorted, 0.75),
  };
}
