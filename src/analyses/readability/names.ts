/**
 * Recognizes names. A name is read as a unit, and it cannot be replaced by a simpler word: Gunning
 * (1952) excludes names from the hard words. Texts written in capitals have no other sign of a name
 * than that the dictionary lacks it.
 */
import type { Token } from './tokens.ts';
import { ENGLISH_FUNCTION_WORDS, SENTENCE_STARTERS } from './vocabulary.ts';

const CAPITAL = /^[\p{Lu}\p{Lt}]/u;
/** Acronyms, and "iPhone", "VR6", "K-pop". */
const UNUSUAL_FORM = /^.+\p{Lu}|\p{L}\p{N}|\p{N}\p{L}/su;
const ORDINAL = /^\p{N}+(?:st|nd|rd|th|s)$/u;
const LETTER = /\p{L}/u;
/** The share of function words with a capital from which capitals are the style of a text. */
const MIN_CAPITALIZED_SHARE = 0.5;
const MAX_OPTION_CHARS = 200;
const OPTION_WORD = /[\p{L}\p{N}_]+(?:['’-][\p{L}\p{N}_]+)*/gu;

export type IsKnown = (word: string) => boolean;

/** The words of the options that are names: capitalized after the first word, or not English. */
export function listOptionNames(options: readonly string[], isKnown: IsKnown): ReadonlySet<string> {
  const names = new Set<string>();
  for (const option of options) {
    for (const [i, [word]] of [...option.slice(0, MAX_OPTION_CHARS).matchAll(OPTION_WORD)].entries()) {
      if (CAPITAL.test(word) && (i > 0 || !isKnown(word))) names.add(word.toLowerCase());
    }
  }
  return names;
}

/** By token: whether it is a name. `ends` are the ends of sentences. */
export function findNames(
  tokens: readonly Token[],
  ends: readonly boolean[],
  optionNames: ReadonlySet<string>,
  isKnown: IsKnown,
): boolean[] {
  const hasStyle = isWrittenInCapitals(tokens);
  let isFirst = true;
  return tokens.map(({ word }, i) => {
    const startsSentence = isFirst;
    if (word !== '') isFirst = false;
    if (ends[i]) isFirst = true;
    if (!LETTER.test(word) || ORDINAL.test(word)) return false;
    if (optionNames.has(word.toLowerCase())) return true;
    if (!CAPITAL.test(word)) return UNUSUAL_FORM.test(word);
    if (hasStyle) return !isKnown(word);
    if (!startsSentence || UNUSUAL_FORM.test(word) || !isKnown(word)) return true;
    // "Mitsubishi Motors", but not "Which Swiss".
    return CAPITAL.test(tokens[i + 1]?.word ?? '') && !ends[i] && !SENTENCE_STARTERS.has(word.toLowerCase());
  });
}

/** "What Is the Name Of This?": whether function words have capitals, the first word aside. */
function isWrittenInCapitals(tokens: readonly Token[]): boolean {
  const words = tokens.slice(1).filter(({ word }) => ENGLISH_FUNCTION_WORDS.has(word.toLowerCase()));
  const capitalized = words.filter(({ word }) => CAPITAL.test(word));
  return capitalized.length > MIN_CAPITALIZED_SHARE * words.length;
}
