/** A question's text as the words that matter, each in one spelling. */
import { splitWords, type Word } from '../shared/words.ts';
import { NEGATIONS, STOPWORDS, toCanonicalSpelling } from './lexicon.ts';
import { stem } from './typos.ts';

export interface Token {
  /** In one spelling: lower case, no accents, numbers in digits, American. */
  key: string;
  /** Without endings. */
  stem: string;
  /** In lower case, but spelled as it was. */
  written: string;
  kind: 'word' | 'empty' | 'number' | 'negation';
  /** Whether it is a proper name; null where the way it is written does not tell. */
  name: boolean | null;
}

const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  rsquo: '’',
  lsquo: '‘',
  ldquo: '“',
  rdquo: '”',
  hellip: '…',
  shy: '',
  ndash: '–',
  mdash: '—',
};
const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi;
/** Accents, and what cannot be seen: soft hyphens, joiners, marks of direction, variation selectors. */
const MARKS = /[\u0300-\u036f]|[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|\ufe0e|\ufe0f/g;
/** What only makes letters slanted or bold. */
const FORMATTING = /<\/?(?:i|b|u|em|strong)>/gi;

/** The common case, which has nothing to normalise and can be gone through faster. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
const ASCII = /^[\x00-\x7f]*$/;

const character = (code: number) =>
  code > 31 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : ' ';

/**
 * Without what is only a matter of writing it down: entities, accents, invisible marks, the kinds of dashes
 * and quotes.
 */
function normalizeText(text: string): string {
  let result = text;
  if (result.includes('&')) {
    result = result.replace(ENTITY, (whole, decimal?: string, hex?: string, named?: string) => {
      if (named) return ENTITIES[named.toLowerCase()] ?? whole;
      return character(decimal ? Number(decimal) : Number.parseInt(hex!, 16));
    });
  }
  if (result.includes('</')) result = result.replace(FORMATTING, '');
  return ASCII.test(result) ? result : result.normalize('NFKD').replace(MARKS, '').normalize('NFC');
}

/** What is punctuation elsewhere, between numbers or as the sign of one. */
const OPERATOR = /(?<=\p{N}\s?)[-–−/:](?=\s?\p{N})|(?<![\p{L}\p{N}])[-–−](?=\p{N})/gu;
/** The same as signs that are kept. */
const AS_OPERATOR: Record<string, string> = { '-': '−', '–': '−', '−': '−', '/': '∕', ':': '∶' };

/** What stands between letters, digits and signs. */
const BETWEEN = /[^\p{L}\p{M}\p{N}\p{Sm}\p{Sc}\p{So}#%@&*]+/gu;
/** The same in ASCII, to which the operators are added. */
const BETWEEN_ASCII = /[^a-z0-9+<=>|~$#%@&*\u2212\u2215\u2236]+/g;

/**
 * Letters and digits in lower case, one blank between them: what the likeness of two texts is measured on.
 */
export function foldText(text: string): string {
  const bare = normalizeText(text).toLowerCase();
  const folded = (/\p{N}/u.test(bare) ? bare.replace(OPERATOR, (sign) => AS_OPERATOR[sign]!) : bare)
    .replace(/['’]/g, '')
    .replace(ASCII.test(bare) ? BETWEEN_ASCII : BETWEEN, ' ')
    .trim();
  return folded === '' ? text.trim().replace(/\s+/gu, ' ') : folded;
}

const DIGITS = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];
const TEENS = ['thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen'];
const TENS = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
const ORDINALS = [
  'first',
  'second',
  'third',
  'fourth',
  'fifth',
  'sixth',
  'seventh',
  'eighth',
  'ninth',
  'tenth',
  'eleventh',
  'twelfth',
];
const NUMBERS = new Map<string, string>([
  ...[...DIGITS, ...TEENS].map((word, i) => [word, String(i)] as const),
  ...TENS.map((word, i) => [word, String((i + 2) * 10)] as const),
  ...ORDINALS.map((word, i) => [word, `${i + 1}th`] as const),
  ['once', '1'],
  ['twice', '2'],
]);
const ROMAN = /^(?=[IVX])X{0,3}(?:IX|IV|V?I{0,3})$/;

function fromRoman(numeral: string): string {
  const values = [...numeral].map((letter) => ({ I: 1, V: 5, X: 10 })[letter]!);
  return String(values.reduce((sum, value, i) => sum + (value < (values[i + 1] ?? 0) ? -value : value), 0));
}

/** Several words for what has a shorter name, and one word for several. */
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
  }).map(([phrase, short]) => [phrase, short.split(' ')]),
);
const PHRASE_BEGINNINGS = new Set([...PHRASES.keys()].map((phrase) => phrase.split(' ')[0]!));
const LONGEST_PHRASE = 4;

/** Signs that tell questions apart as numbers do: C and C++, ♀ and ♂, 5 + 3 and 5 - 3. */
const SIGN = new RegExp(`[\\p{Sm}\\p{Sc}\\p{So}#%@&*]|${OPERATOR.source}`, 'gu');
/** A quick look for anything that could be one. */
const BESIDES_WORDS = /[^\w\s.,;?!'"()]/;
const SIGN_WORDS: Record<string, string> = {
  '&': 'and',
  '%': 'percent',
  '°': 'degree',
  '–': '-',
  '−': '-',
  '©': '',
  '®': '',
  '™': '',
};
/** Scripts without blanks between words: each character is taken for a word. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const INITIALS = /(?<![\p{L}\p{N}.])(?:\p{L}\.)+(?:\p{L}(?![\p{L}\p{N}]))?/gu;
const CAPITAL = /^\p{Lu}/u;

/** The words of a text, in one spelling each. */
export function tokenize(text: string): Token[] {
  let bare = normalizeText(text);
  if (bare.includes('.'))
    bare = bare.replace(INITIALS, (found) => (found.length > 2 ? found.replaceAll('.', '') : found));
  const words = withSigns(bare, spaced(bare, splitWords(bare)));
  const told = caseTells(words);
  const tokens: Token[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    const name = told ? nameOf(bare, word) : null;
    for (const key of keysOf(word, words[i - 1], words[i + 1])) tokens.push(tokenOf(key, name, word.key));
  }
  return shortened(tokens);
}

const tokenOf = (key: string, name: boolean | null, written = key): Token => ({
  key,
  stem: stem(key),
  written,
  kind: kindOf(key),
  name,
});

const isAscii = (code: number) => code < 128;
const isCapital = (word: string) => {
  const code = word.charCodeAt(0);
  return isAscii(code) ? code > 64 && code < 91 : CAPITAL.test(word);
};
const hasCase = (word: string) => isAscii(word.charCodeAt(0)) || /\p{Lu}|\p{Ll}/u.test(word);

function withSigns(text: string, words: Word[]): Word[] {
  if (!BESIDES_WORDS.test(text)) return words;
  const signs = [...text.matchAll(SIGN)].map(({ 0: sign, index }) => ({
    text: sign,
    key: SIGN_WORDS[sign] ?? sign,
    start: index,
    end: index + sign.length,
  }));
  if (signs.length === 0) return words;
  return [...words, ...signs.filter(({ key }) => key !== '')].sort((a, b) => a.start - b.start);
}

function spaced(text: string, words: Word[]): Word[] {
  if (ASCII.test(text) || !UNSPACED.test(text)) return words;
  return words.flatMap((word) =>
    UNSPACED.test(word.key) ? [...word.key].map((key) => ({ ...word, text: key, key })) : [word],
  );
}

function beginsSentence(text: string, start: number): boolean {
  let at = start - 1;
  while (at >= 0 && ' "\'“”‘’('.includes(text[at]!)) at--;
  return at < 0 || '.?!:'.includes(text[at]!);
}

/** Whether it is written as a name. At the beginning of a sentence every word is. */
function nameOf(text: string, { text: word, start }: Word): boolean | null {
  if (!hasCase(word)) return null;
  if (!isCapital(word)) return false;
  return beginsSentence(text, start) ? null : true;
}

/** Whether capitals mark names here, and not every word or none. */
function caseTells(words: Word[]): boolean {
  let [capitals, small] = [false, false];
  for (const [i, { text, key }] of words.entries()) {
    if (isCapital(text)) capitals = true;
    else if (i > 0 && text === key && hasCase(text)) small = true;
  }
  return capitals && small;
}

function keysOf(word: Word, before: Word | undefined, after: Word | undefined): string[] {
  const { text, key } = word;
  if (text === 'US') return ['usa'];
  const alone = text.length === 1 && !(before && isCapital(before.text) && before.start > 0);
  if (ROMAN.test(text) && !alone) return [fromRoman(text)];
  if (isNumber(key)) {
    const whole = key.replace(/,(?=\p{N}{3}(?!\p{N}))/gu, '').replace(/\.0+$/, '');
    return [after && after.start === word.end && /^(?:st|nd|rd|th)$/.test(after.key) ? `${whole}th` : whole];
  }
  if (before?.end === word.start && /^(?:st|nd|rd|th)$/.test(key) && isNumber(before.key)) return [];
  if (key === 'one') return counts(before, after) ? ['1'] : [];
  if (key.endsWith("n't"))
    return [key === "can't" ? 'can' : key === "won't" ? 'will' : key.slice(0, -3), 'not'];
  const base = key.includes("'") ? key.replace(/'(?:s|re|ve|ll|d|m)$/, '').replaceAll("'", '') : key;
  return [NUMBERS.get(base) ?? toCanonicalSpelling(base)];
}

/** Whether "one" is a number here, and not "which one" or "one of". */
const counts = (before: Word | undefined, after: Word | undefined) =>
  after?.key !== 'of' && !/^(?:which|this|that|the|no|any|every|each|only)$/.test(before?.key ?? '');

function kindOf(key: string): Token['kind'] {
  if (NEGATIONS.has(key)) return 'negation';
  if (STOPWORDS.has(key)) return 'empty';
  const code = key.charCodeAt(0);
  const letter = isAscii(code) ? code > 96 && code < 123 : /^[\p{L}\p{M}]/u.test(key);
  return letter ? 'word' : 'number';
}

const isNumber = (key: string) => {
  const code = key.charCodeAt(0);
  return isAscii(code) ? code > 47 && code < 58 : /^\p{N}/u.test(key);
};

/** Phrases in their short form; twenty and one as 21. */
function shortened(tokens: Token[]): Token[] {
  const result: Token[] = [];
  for (let i = 0; i < tokens.length; ) {
    const token = tokens[i]!;
    const next = tokens[i + 1];
    if (next?.kind === 'number' && /^[2-9]0$/.test(token.key) && /^[1-9](?:th)?$/.test(next.key)) {
      result.push(tokenOf(token.key[0] + next.key, null));
      i += 2;
      continue;
    }
    const length = PHRASE_BEGINNINGS.has(token.key) ? phraseLength(tokens, i) : 0;
    if (length === 0) {
      result.push(token);
      i++;
      continue;
    }
    const phrase = PHRASES.get(keysFrom(tokens, i, length))!;
    for (const key of phrase) result.push(tokenOf(key, token.name));
    i += length;
  }
  return result;
}

const keysFrom = (tokens: Token[], from: number, length: number) =>
  tokens
    .slice(from, from + length)
    .map(({ key }) => key)
    .join(' ');

function phraseLength(tokens: Token[], from: number): number {
  for (let length = LONGEST_PHRASE; length > 0; length--) {
    if (PHRASES.has(keysFrom(tokens, from, length))) return length;
  }
  return 0;
}
