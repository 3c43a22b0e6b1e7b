/** The words of an answer, as far as they are compared. */
import { isContent } from './prepared-text.ts';
import { type Token, tokenize } from './tokens.ts';

/** Longer answers are compared as text. Bounds the quadratic matching. */
const MAX_ANSWER_WORDS = 30;

/** The tokens without stopwords, unless there are only stopwords. Undefined if there are too many. */
export function findAnswerWords(answer: string): readonly Token[] | undefined {
  const tokens = tokenize(answer);
  const content = tokens.filter(isContent);
  const words = content.length > 0 ? content : tokens;
  return words.length > MAX_ANSWER_WORDS ? undefined : words;
}
