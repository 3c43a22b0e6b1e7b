/** The readability formulas for English, with the coefficients of textstat 0.7. */
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

/** Requires at least one word. ARI divides by tokens rather than words, as textstat does. */
export function computeScores(counts: Counts): Scores {
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
 * The median of four formulas that give a school grade, to one decimal. SMOG is not among them: for
 * a single sentence it can only be 3.1, 8.8, 11.2 and so on.
 */
export function computeGrade(scores: Scores): number {
  const grades = Float64Array.of(
    scores.flesch_kincaid_grade,
    scores.gunning_fog,
    scores.coleman_liau_index,
    scores.automated_readability_index,
  ).sort();
  return Math.round(5 * (grades[1]! + grades[2]!)) / 10;
}

/**
 * Standard error of a grade, to one decimal. Grades of 5 to 50 words drawn at random from 5,250
 * public trivia questions had a standard deviation of 10.9/√words to 11.6/√words.
 */
export const computeGradeStandardError = (words: number): number => Math.round(110 / Math.sqrt(words)) / 10;
