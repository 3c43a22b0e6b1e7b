/** Splits a text into tokens between white space, and tokens into sentences. */
import { ABBREVIATIONS, SENTENCE_STARTERS, TITLES } from './vocabulary.ts';

export interface Token {
  /** From the first to the last letter or digit; empty if the token has none. */
  word: string;
  /** The punctuation before and after the word; all of a token without a word is before. */
  before: string;
  after: string;
  /** Line feeds between this token and the next. */
  lineFeeds: number;
}

const TOKEN = /(\S+)(\s*)/gu;
const WORD = /[\p{L}\p{N}_](?:.*[\p{L}\p{N}_])?/su;

export function tokenize(text: string): Token[] {
  return Array.from(text.matchAll(TOKEN), ([, token = '', space = '']) => {
    const match = WORD.exec(token);
    const [word, start] = match ? [match[0], match.index] : ['', token.length];
    return {
      word,
      before: token.slice(0, start),
      after: token.slice(start + word.length),
      lineFeeds: space.split('\n').length - 1,
    };
  });
}

/** A stop with closing marks; "Panic!, " does not end a sentence. */
const STOP = /[.!?…][^,;:]*$/u;
const ONLY_FULL_STOPS = /^[^!?]*$/u;
const ONLY_EXCLAMATION = /^[^.?…]*$/u;
/** "J" and "U.S", of which the last full stop follows. */
const INITIALS = /^\p{L}(?:\.\p{L})*$/u;
const ENUMERATOR = /^\p{N}{1,2}$/u;
/** A slash between spaces separates lines of a song or a poem, or alternatives. */
const SLASH = /^(?:\/+|\|)$/u;
const CAPITAL = /^[\p{Lu}\p{Lt}]/u;
const STARTS_SENTENCE = /^[\p{Lu}\p{Lt}\p{N}]/u;
const LIST_MARK = /^["“‘'(•–—-]/u;

/** By token: whether a sentence ends after it. */
export function findSentenceEnds(tokens: readonly Token[]): boolean[] {
  const hasVerses = tokens.filter(isSlash).length > 1;
  let isFirst = true;
  return tokens.map((token, i) => {
    const next = findNextWord(tokens, i);
    const ends = isSlash(token)
      ? hasVerses || CAPITAL.test(next?.word ?? '')
      : endsSentence(token, next, isFirst) || endsLine(token, tokens[i + 1]);
    if (token.word !== '') isFirst = false;
    if (ends) isFirst = true;
    return ends;
  });
}

const isSlash = ({ word, before }: Token): boolean => word === '' && SLASH.test(before);

const findNextWord = (tokens: readonly Token[], index: number): Token | undefined => {
  let i = index + 1;
  while (i < tokens.length && tokens[i]!.word === '') i++;
  return tokens[i];
};

function endsSentence({ word, before, after }: Token, next: Token | undefined, isFirst: boolean): boolean {
  const marks = word === '' ? before : after;
  if (!STOP.test(marks)) return false;
  if (!next) return true;
  if (!STARTS_SENTENCE.test(next.word)) return false;
  // "Panic! At the Disco"
  if (ONLY_EXCLAMATION.test(marks) && !isFirst && CAPITAL.test(word)) return false;
  if (!ONLY_FULL_STOPS.test(marks)) return true;
  const key = word.toLowerCase();
  if (TITLES.has(key) || (isFirst && ENUMERATOR.test(word))) return false;
  if (INITIALS.test(word) || ABBREVIATIONS.has(key)) return SENTENCE_STARTERS.has(next.word.toLowerCase());
  return true;
}

/** A line of a song, a poem or a list, as opposed to a wrapped line. */
function endsLine({ lineFeeds }: Token, next: Token | undefined): boolean {
  if (lineFeeds === 0 || !next) return false;
  return lineFeeds > 1 || STARTS_SENTENCE.test(next.word) || LIST_MARK.test(next.before);
}
