/** Distinguishes an author's own wording from titles, names and quotations. */
import { splitWords } from '../../shared/words.ts';

/** Questions about quotes, titles and names, whose wording is not the author's. */
export const ABOUT_SAYING =
  /\b(?:quot(?:e|es|ed|ations?)|lyrics?|lines?|sa(?:y|ys|id|ying)|slogan|motto|catch ?phrase|tagline|proverb|phrase|songs?|tunes?|title|titled|titles|words|rules?|laws?|sentence|idiom|tells?|told|sings?|sang|sung|asks?|asked|writes?|wrote|reads?|speech|riddle|joke|poem|nursery rhyme|chorus|verse|advice|adage|headline)\b/i;

/** Questions about spelling or syntax, where texts differ in it by design. */
export const ABOUT_WRITING =
  /\b(?:spel(?:l|led|ling|ls|t)|misspel\w+|capitali[sz]ed|capitali[sz]ation|(?:correctly|properly) written|written (?:correctly|properly)|punctuat\w+|apostrophes?|contractions?|(?:upper|lower)[- ]?case|case[- ]sensitive|syntax|palindromes?|anagrams?|grammar|grammatical\w*|grammatically|correct sentence)\b/i;

/** At least three words, mostly in lower case, and not quoted. */
export function isPhrase(text: string): boolean {
  if (/["“”]/.test(text)) return false;
  const words = splitWords(text);
  const lowerCase = words.filter(({ text: word }) => /^\p{Ll}/u.test(word)).length;
  return words.length >= 3 && lowerCase * 2 > words.length;
}

/**
 * A phrase of which no word but the first begins with a capital: not a title, and without the name
 * of a person or place.
 */
export function isPlainPhrase(text: string): boolean {
  const [, ...others] = splitWords(text);
  return !/["“”]/.test(text) && others.length >= 1 && !others.some(({ text: word }) => /^\p{Lu}/u.test(word));
}
