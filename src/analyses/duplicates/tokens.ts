/** Tokenizes question texts: each word in one canonical spelling, with its stem and kind. */
import { splitWords, UNSPACED_SCRIPT, type Word } from '../shared/words.ts';
import { NEGATIONS, STOPWORDS, toCanonicalSpelling } from './lexicon.ts';
import { isAscii, normalizeText, OPERATOR } from './normalization.ts';
import { combineNumbers, foldDigits, parseNumberWord, parseRomanNumeral } from './number-words.ts';
import { stem } from './stemming.ts';

export interface Token {
  /** The canonical spelling: lower case, no diacritics, numbers in digits, American English. */
  key: string;
  stem: string;
  /** In lower case, otherwise as written. */
  written: string;
  kind: 'word' | 'stopword' | 'number' | 'negation';
  /** Whether it is a proper name, by its capital; null where capitals are not evidence. */
  name: boolean | null;
}

/** Phrases with a common abbreviation, and abbreviations of phrases. */
const PHRASES = new Map(
  Object.entries({
    'united states of america': 'usa',
    'united states': 'usa',
    'united kingdom': 'uk',
    'soviet union': 'ussr',
    'european union': 'eu',
    'united nations': 'un',
    'new york city': 'nyc',
    'per cent': 'percent',
    '1th world war': 'world war 1',
    '2th world war': 'world war 2',
    ww1: 'world war 1',
    wwi: 'world war 1',
    ww2: 'world war 2',
    wwii: 'world war 2',
    cannot: 'can not',
  }).map(([phrase, canonical]) => [phrase, canonical.split(' ')]),
);
const FIRST_WORDS_OF_PHRASES = new Set([...PHRASES.keys()].map((phrase) => phrase.split(' ')[0]!));
const MAX_PHRASE_WORDS = 4;

/** Symbols that distinguish questions as numbers do: C and C++, ♀ and ♂, 5 + 3 and 5 - 3. */
const SYMBOL = new RegExp(`[\\p{Sm}\\p{Sc}\\p{So}#%@&*]|${OPERATOR.source}`, 'gu');
/** A cheap test for text that may contain a symbol. */
const MAY_HAVE_SYMBOL = /[^\w\s.,;?!'"()]/;
const SYMBOL_WORDS: Record<string, string> = {
  '&': 'and',
  '%': 'percent',
  '°': 'degree',
  '–': '-',
  '−': '-',
  '©': '',
  '®': '',
  '™': '',
};
const INITIALS = /(?<![\p{L}\p{N}.])(?:\p{L}\.)+(?:\p{L}(?![\p{L}\p{N}]))?/gu;
const CAPITAL = /^\p{Lu}/u;
const ORDINAL_ENDING = /^(?:st|nd|rd|th)$/;

export function tokenize(text: string): Token[] {
  let normalized = normalizeText(text);
  if (normalized.includes('.'))
    normalized = normalized.replace(INITIALS, (found) =>
      found.length > 2 ? found.replaceAll('.', '') : found,
    );
  const words = addSymbols(normalized, splitUnspaced(normalized, splitWords(normalized)));
  const hasNames = capitalsMarkNames(words);
  const tokens: Token[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    const name = hasNames ? isName(normalized, word) : null;
    for (const key of toKeys(word, words[i - 1], words[i + 1])) tokens.push(toToken(key, name, word.key));
  }
  return replacePhrases(tokens);
}

const toToken = (key: string, name: boolean | null, written = key): Token => ({
  key,
  stem: stem(key),
  written,
  kind: findKind(key),
  name,
});

const isAsciiCode = (code: number) => code < 128;
const isCapitalized = (word: string) => {
  const code = word.charCodeAt(0);
  return isAsciiCode(code) ? code > 64 && code < 91 : CAPITAL.test(word);
};
const hasCase = (word: string) => isAsciiCode(word.charCodeAt(0)) || /\p{Lu}|\p{Ll}/u.test(word);

function addSymbols(text: string, words: Word[]): Word[] {
  if (!MAY_HAVE_SYMBOL.test(text)) return words;
  const symbols = [...text.matchAll(SYMBOL)].map(({ 0: symbol, index }) => ({
    text: symbol,
    key: SYMBOL_WORDS[symbol] ?? symbol,
    start: index,
    end: index + symbol.length,
  }));
  if (symbols.length === 0) return words;
  return [...words, ...symbols.filter(({ key }) => key !== '')].sort((a, b) => a.start - b.start);
}

/** In scripts without spaces each character is a word. */
function splitUnspaced(text: string, words: Word[]): Word[] {
  if (isAscii(text) || !UNSPACED_SCRIPT.test(text)) return words;
  return words.flatMap((word) =>
    UNSPACED_SCRIPT.test(word.key) ? [...word.key].map((key) => ({ ...word, text: key, key })) : [word],
  );
}

function startsSentence(text: string, start: number): boolean {
  let i = start - 1;
  while (i >= 0 && ' "\'“”‘’('.includes(text[i]!)) i--;
  return i < 0 || '.?!:'.includes(text[i]!);
}

/** Null at the start of a sentence, where every word has a capital. */
function isName(text: string, { text: word, start }: Word): boolean | null {
  if (!hasCase(word)) return null;
  if (!isCapitalized(word)) return false;
  return startsSentence(text, start) ? null : true;
}

/** Whether some words of the text have capitals and some do not. */
function capitalsMarkNames(words: Word[]): boolean {
  let [hasCapitals, hasLowerCase] = [false, false];
  for (const [i, { text, key }] of words.entries()) {
    if (isCapitalized(text)) hasCapitals = true;
    else if (i > 0 && text === key && hasCase(text)) hasLowerCase = true;
  }
  return hasCapitals && hasLowerCase;
}

/** The canonical spelling of a word: none for the "th" of "5 th", two for "don't". */
function toKeys(word: Word, previous: Word | undefined, next: Word | undefined): string[] {
  const { text, key } = word;
  if (text === 'US') return ['usa'];
  const isolated = text.length === 1 && !(previous && isCapitalized(previous.text) && previous.start > 0);
  const roman = isolated || !isCapitalized(text) ? undefined : parseRomanNumeral(text);
  if (roman !== undefined) return [roman];
  if (isNumber(key)) {
    const digits = foldDigits(key);
    return [next && next.start === word.end && ORDINAL_ENDING.test(next.key) ? `${digits}th` : digits];
  }
  if (previous?.end === word.start && ORDINAL_ENDING.test(key) && isNumber(previous.key)) return [];
  if (key === 'one') return isOneANumber(previous, next) ? ['1'] : [];
  if (key.endsWith("n't"))
    return [key === "can't" ? 'can' : key === "won't" ? 'will' : key.slice(0, -3), 'not'];
  const base = key.includes("'") ? key.replace(/'(?:s|re|ve|ll|d|m)$/, '').replaceAll("'", '') : key;
  return [parseNumberWord(base) ?? toCanonicalSpelling(base)];
}

/** Distinguishes the number from the pronoun in "which one" and "one of". */
const isOneANumber = (previous: Word | undefined, next: Word | undefined) =>
  next?.key !== 'of' && !/^(?:which|this|that|the|no|any|every|each|only)$/.test(previous?.key ?? '');

function findKind(key: string): Token['kind'] {
  if (NEGATIONS.has(key)) return 'negation';
  if (STOPWORDS.has(key)) return 'stopword';
  const code = key.charCodeAt(0);
  const isLetter = isAsciiCode(code) ? code > 96 && code < 123 : /^[\p{L}\p{M}]/u.test(key);
  return isLetter ? 'word' : 'number';
}

const isNumber = (key: string) => {
  const code = key.charCodeAt(0);
  return isAsciiCode(code) ? code > 47 && code < 58 : /^\p{N}/u.test(key);
};

/** Replaces phrases by their canonical form, and twenty one by 21. */
function replacePhrases(tokens: Token[]): Token[] {
  const result: Token[] = [];
  for (let i = 0; i < tokens.length; ) {
    const token = tokens[i]!;
    const next = tokens[i + 1];
    const combined =
      next && token.kind === 'number' ? combineNumbers(token.key, next.key, next.written) : undefined;
    if (combined !== undefined) {
      result.push(toToken(combined, null));
      i += 2;
      continue;
    }
    const length = FIRST_WORDS_OF_PHRASES.has(token.key) ? findPhraseLength(tokens, i) : 0;
    if (length === 0) {
      result.push(token);
      i++;
      continue;
    }
    const phrase = PHRASES.get(joinKeys(tokens, i, length))!;
    for (const key of phrase) result.push(toToken(key, token.name));
    i += length;
  }
  return result;
}

const joinKeys = (tokens: Token[], start: number, length: number) =>
  tokens
    .slice(start, start + length)
    .map(({ key }) => key)
    .join(' ');

/** The length in words of the longest phrase that starts there; 0 for none. */
function findPhraseLength(tokens: Token[], start: number): number {
  for (let length = MAX_PHRASE_WORDS; length > 0; length--) {
    if (PHRASES.has(joinKeys(tokens, start, length))) return length;
  }
  return 0;
}
