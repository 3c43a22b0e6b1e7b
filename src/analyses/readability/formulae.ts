/** The readability formulae for English, and what is made of the grades they give to many texts. */

import Type, { type Static } from 'typebox';
import { Nullable } from '../../schemas/common.ts';
import { quantile } from '../../statistics/descriptive.ts';
import type { Counts } from './counts.ts';

export interface Scores {
  flesch_reading_ease: number;
  flesch_kincaid_grade: number;
  smog_index: number;
  gunning_fog: number;
  coleman_liau_index: number;
  automated_readability_index: number;
  dale_chall_readability_score: number;
  lix: number;
}

/** There has to be a word. That ARI takes lone signs for words is a custom of textstat. */
export function scoresOf(counts: Counts): Scores {
  const { words, sentences } = counts;
  const sentenceLength = words / sentences;
  const syllablesPerWord = counts.syllables / words;
  const difficultPercent = (100 * counts.difficult_words) / words;
  return {
    flesch_reading_ease: 206.835 - 1.015 * sentenceLength - 84.6 * syllablesPerWord,
    flesch_kincaid_grade: 0.39 * sentenceLength + 11.8 * syllablesPerWord - 15.59,
    smog_index: 1.043 * Math.sqrt((30 * counts.polysyllables) / sentences) + 3.1291,
    gunning_fog: 0.4 * (sentenceLength + (100 * counts.complex_words) / words),
    coleman_liau_index: (5.8 * counts.letters) / words - (29.6 * sentences) / words - 15.8,
    automated_readability_index: (4.71 * counts.characters) / counts.tokens + 0.5 * sentenceLength - 21.43,
    dale_chall_readability_score:
      0.1579 * difficultPercent + 0.0496 * sentenceLength + (difficultPercent > 5 ? 3.6365 : 0),
    lix: sentenceLength + (100 * counts.long_words) / words,
  };
}

/**
 * The median of four formulae that give a school grade, to one decimal: more would pretend to know more than they do.
 * SMOG is not among them, because a single sentence can only be of grade 3.1, 8.8, 11.2 and so on by it.
 */
export function gradeOf(scores: Scores): number {
  const grades = Float64Array.of(
    scores.flesch_kincaid_grade,
    scores.gunning_fog,
    scores.coleman_liau_index,
    scores.automated_readability_index,
  ).sort();
  return Math.round(5 * (grades[1]! + grades[2]!)) / 10;
}

/**
 * One standard error of a grade by chance alone. Of words drawn at random from 5,250 public trivia questions, 5 to 50 at
 * a time, the grades had a standard deviation of 10.9 to 11.6 over the root of their number.
 */
export const marginOf = (words: number): number => Math.round(110 / Math.sqrt(words)) / 10;

const Value = (description: string) => Nullable(Type.Number(), { description });
export const Distribution = (description: string) =>
  Type.Object(
    {
      count: Type.Integer({ minimum: 0, description: 'How many values.' }),
      min: Value('The smallest.'),
      lower_quartile: Value('A quarter is below.'),
      median: Value('Half is below.'),
      upper_quartile: Value('A quarter is above.'),
      max: Value('The largest.'),
    },
    { additionalProperties: false, description },
  );
export type Distribution = Static<ReturnType<typeof Distribution>>;

export function distributionOf(values: Float64Array): Distribution {
  const sorted = values.toSorted();
  return {
    count: sorted.length,
    min: quantile(sorted, 0),
    lower_quartile: quantile(sorted, 0.25),
    median: quantile(sorted, 0.5),
    upper_quartile: quantile(sorted, 0.75),
    max: quantile(sorted, 1),
  };
}

/** Grades in bins; what lies outside is counted in the first or the last one. */
export function binsOf(
  values: Float64Array,
  { from, step, count }: { from: number; step: number; count: number },
): number[] {
  const bins = new Array<number>(count).fill(0);
  for (const value of values) {
    const bin = Math.floor((value - from) / step);
    bins[Math.min(Math.max(bin, 0), count - 1)]!++;
  }
  return bins;
}

/** Fewer values have no quartiles worth comparing with. */
export const SMALLEST_GROUP = 5;
/** Where the grades of a group hardly differ, one has to stand out by so much. */
const SMALLEST_GAP = 1;

/** Above this a grade stands out in its group. */
export function fenceOf({ count, lower_quartile, upper_quartile }: Distribution, factor: number): number {
  if (count < SMALLEST_GROUP) return Number.POSITIVE_INFINITY;
  return upper_quartile! + Math.max(factor * (upper_quartile! - lower_quartile!), SMALLEST_GAP);
}

/** Far more tenths of a grade than any text that is allowed can have; the longest word possible is of grade 58,000. */
const GRADE_SPAN = 2 ** 22;

/**
 * The places by rank, within a rank the highest grade first, and then as they came. One number holds all three,
 * since numbers are sorted fastest by far.
 */
export function orderOf(ranks: Uint8Array, grades: Float64Array): Float64Array {
  const count = ranks.length;
  const keys = Float64Array.from(ranks, (rank, place) => {
    const tenths = Math.round((grades[place] || 0) * 10);
    return ((rank + 0.5) * GRADE_SPAN - tenths) * count + place;
  });
  return keys.sort().map((key) => key % count);
}
