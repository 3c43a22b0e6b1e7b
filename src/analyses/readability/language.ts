/** Recognizes text that is not English, by its function words and by the dictionary. */
import type { Token } from './tokens.ts';
import { ENGLISH_FUNCTION_WORDS, FOREIGN_FUNCTION_WORDS } from './vocabulary.ts';

/** The language of fewer words is not judged. */
const MIN_JUDGED_WORDS = 4;
const MIN_FOREIGN_WORDS = 2;
/** Without foreign function words, more words are needed, and most must be unknown. */
const MIN_WORDS_WITHOUT_SIGNS = 6;
const MAX_KNOWN_SHARE = 0.55;
/** English text has one function word in every three words or so. */
const MAX_ENGLISH_SHARE = 0.15;

const LETTER = /\p{L}/u;
const HAS_DIGIT = /\p{N}/u;
const OPENING = /["“«„]/u;
const CLOSING = /["”»“]/u;

/**
 * Numbers, names and quotations are not judged: an English question may quote a foreign title. If all
 * of the text is in quotation marks, nothing is.
 */
export function isProbablyForeign(
  tokens: readonly Token[],
  names: readonly boolean[],
  isKnown: (word: string) => boolean,
): boolean {
  let [judged, english, foreign, known] = [0, 0, 0, 0];
  for (const i of listUnquoted(tokens)) {
    const { word } = tokens[i]!;
    if (names[i] || !LETTER.test(word) || HAS_DIGIT.test(word)) continue;
    const key = word.toLowerCase();
    judged++;
    if (ENGLISH_FUNCTION_WORDS.has(key)) english++;
    else if (FOREIGN_FUNCTION_WORDS.has(key)) foreign++;
    if (isKnown(word)) known++;
  }
  if (judged < MIN_JUDGED_WORDS) return false;
  if (foreign >= MIN_FOREIGN_WORDS && foreign > english) return true;
  return (
    judged >= MIN_WORDS_WITHOUT_SIGNS &&
    known / judged < MAX_KNOWN_SHARE &&
    english / judged < MAX_ENGLISH_SHARE
  );
}

/** The indices of the tokens outside quotation marks. A mark that is not closed opens nothing. */
function listUnquoted(tokens: readonly Token[]): number[] {
  const unquoted: number[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const { word, before } = tokens[i]!;
    const end = word !== '' && OPENING.test(before) ? findClosing(tokens, i) : -1;
    if (end < 0) unquoted.push(i);
    else i = end;
  }
  return unquoted;
}

function findClosing(tokens: readonly Token[], start: number): number {
  for (let i = start; i < tokens.length; i++) if (CLOSING.test(tokens[i]!.after)) return i;
  return -1;
}
