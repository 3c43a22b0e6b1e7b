/** Judges the label of one question by the confidence interval of its facility. */
import { wilson } from '../../statistics/intervals.ts';
import { type Bounds, findBand, getBand } from './bands.ts';
import { describeJudgement, describeUnanswered } from './messages.ts';
import type { Parameters, Row } from './schemas.ts';

export interface Settings extends Parameters {
  /** 1 − significance. */
  confidence: number;
  /** The normal quantile of the confidence interval. */
  z: number;
}

export interface Question {
  question_id: string;
  question_text: string;
  difficulty: number;
}

/** The scored responses of one question. */
export interface Counts {
  n: number;
  correct: number;
  /** Without an answer, but scored as wrong. */
  unanswered: number;
}

type Verdict = 'as_labelled' | 'harder' | 'easier' | 'too_few';

export interface Judgement {
  verdict: Verdict;
  facility: number;
  low: number;
  high: number;
  /** The gap between the confidence interval and the band of the label. */
  distance: number;
}

/** Returns null without a scored response. */
export function judgeLabel(
  difficulty: number,
  n: number,
  correct: number,
  settings: Settings,
): Judgement | null {
  const interval = wilson(correct, n, settings.z);
  if (!interval) return null;
  const [low, high] = interval;
  const [from, to] = getBand(difficulty, settings);
  const verdict = n < settings.min_responses ? 'too_few' : compareWithBand(difficulty, interval, settings);
  const distances = { harder: from - high, easier: low - to, as_labelled: 0, too_few: 0 };
  return { verdict, facility: correct / n, low, high, distance: distances[verdict] };
}

/** A label is rejected only if the whole confidence interval lies outside its band. */
function compareWithBand(
  difficulty: number,
  [low, high]: readonly [number, number],
  bounds: Bounds,
): Exclude<Verdict, 'too_few'> {
  if (findBand(high, bounds) > difficulty) return 'harder';
  return findBand(low, bounds) < difficulty ? 'easier' : 'as_labelled';
}

const URGENCY: Record<Verdict, number> = { harder: 0, easier: 0, as_labelled: 1, too_few: 2 };

/**
 * Sorts question indices: misrated ones by descending distance, then as labelled, then too few
 * responses.
 */
export function sortByUrgency(
  indices: readonly number[],
  judgeAt: (index: number) => Judgement | null,
): number[] {
  const keys = indices.map((index) => {
    const judgement = judgeAt(index);
    return {
      index,
      urgency: judgement ? URGENCY[judgement.verdict] : 3,
      distance: judgement?.distance ?? 0,
    };
  });
  keys.sort((a, b) => a.urgency - b.urgency || b.distance - a.distance || a.index - b.index);
  return keys.map(({ index }) => index);
}

const FLAGS: Record<Verdict, Row['flags']> = {
  harder: ['misrated_harder'],
  easier: ['misrated_easier'],
  too_few: ['too_few'],
  as_labelled: [],
};

const NO_SCORED_RESPONSE: Omit<Row, keyof Question> = {
  flags: ['too_few'],
  message: 'Not judged: no response was scored.',
  n: 0,
  correct: 0,
  unanswered: 0,
  facility: null,
  low: null,
  high: null,
  observed_difficulty: null,
  suggested_difficulty: null,
  suggestion_certain: null,
  distance_from_band: null,
};

export function buildRow(question: Question, counts: Counts, settings: Settings): Row {
  const { n, correct, unanswered } = counts;
  const judgement = judgeLabel(question.difficulty, n, correct, settings);
  if (!judgement) return { ...question, ...NO_SCORED_RESPONSE };
  const { verdict, facility, low, high, distance } = judgement;
  const observed = findBand(facility, settings);
  const isMisrated = verdict === 'harder' || verdict === 'easier';
  const isCertain = findBand(low, settings) === findBand(high, settings);
  return {
    ...question,
    flags: FLAGS[verdict],
    message: [
      describeJudgement(question.difficulty, n, judgement, { observed, isCertain }, settings),
      ...describeUnanswered(counts, settings),
    ].join(' '),
    n,
    correct,
    unanswered,
    facility,
    low,
    high,
    observed_difficulty: observed,
    suggested_difficulty: isMisrated ? observed : null,
    suggestion_certain: isMisrated ? isCertain : null,
    distance_from_band: verdict === 'too_few' ? null : distance,
  };
}
