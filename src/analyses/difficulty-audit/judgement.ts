/** Judges the label of one question by the confidence interval of its facility. */
import { wilson } from '../../statistics/intervals.ts';
import { type Bounds, findBand, getBand } from './bands.ts';
import type { Parameters } from './schemas.ts';

export interface Settings extends Parameters {
  /** 1 − significance. */
  confidence: number;
  /** The normal quantile of the confidence interval. */
  z: number;
}

/** The scored responses of one question. */
export interface Counts {
  n: number;
  correct: number;
  /** Without an answer, but scored as wrong. */
  unanswered: number;
}

export type Verdict = 'as_labelled' | 'harder' | 'easier' | 'too_few';

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
