/** Rules about errors of import and encoding, applied to every text. */
import { decodeEntities, decodeMojibake } from './decoding.ts';
import type { ParsedQuestion } from './parsed-question.ts';
import { citeGuideline, findSpans, type Span, type TextRule } from './rule.ts';
import { findMixedScripts, replaceLookalikes } from './scripts.ts';

const PROOF = citeGuideline(11, 'edit and proof items');

const ENTITY =
  /&(?:#\d{2,6}|#x[0-9a-f]{2,6}|[a-z]{2,24}\d{0,2});|&(?:amp|quot|apos|nbsp|lt|gt|#0?39|#8217|#8220|#8221)\b(?!=)|(?<![&\p{L}])(?:amp|quot|apos|nbsp|#8217);|(?<!&)#0?39;/giu;
const TAG =
  /<\/?(?:a|b|i|u|p|br|em|strong|span|div|sup|sub|font|img|li|ul|ol|hr|h[1-6]|table|t[dr])(?:\s[^<>]{0,200})?\/?>|\[\/?(?:b|i|u|url|img|quote)\]/gi;
/** A backslash before a quotation mark, and escapes of JSON and of URLs. */
const ESCAPE = /\\(?=["'’])|\\u[0-9a-f]{4}|\\[nrt](?=\s|\p{Lu})|(?<=\p{L})%20(?=\p{L})/giu;
/** Questions about markup itself. */
const ABOUT_MARKUP =
  /\b(?:html|xml|bbcode|markup|tags?|entity|entities|escape|escaped|unicode|regex|regular expression|latex|url|urls|programming|code|javascript|python)\b/i;

/** Characters of Windows-1252 at 0x80 to 0x9f, as which bytes of UTF-8 are shown. */
const CP1252 = '\\u0080-\\u009f€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ';
/**
 * UTF-8 decoded as Windows-1252 or Mac Roman, also where a byte was lost, single bytes of
 * Windows-1252 decoded as Latin-1, and U+FFFD, the replacement character.
 */
const MOJIBAKE = new RegExp(
  [
    `Ã[${CP1252}\\u00a0-\\u00bf]`,
    `(?<=\\p{Ll})Ã`,
    `â(?:€|„¢|‚¬|ˆ|†|™)[${CP1252}\\u00a0-\\u00bf?]?`,
    `(?<=\\p{Ll})â\\?`,
    `Â[\\u00a0-\\u00bf]`,
    `(?<=\\p{Ll})Â(?=\\s|$)`,
    `[ÄÅ][\\u0080-\\u009f\\u00a0-\\u00bf‚ƒ„†‡ˆ‰Š‹™š›œžŸ]`,
    `(?:[ÐÑ][${CP1252}\\u00a0-\\u00bf]){2}`,
    `ðŸ|ï»¿|ï¿½|ï¬`,
    `‚Ä[ôúùìîòòÄ¶]`,
    `(?<=\\p{L})√[©®±≠≥ºß∂°¢´¨∏]`,
    `[\\u0080-\\u009f]`,
    `\\ufffd`,
  ].join('|'),
  'gu',
);
const REPLACED_BY_QUESTION_MARK = /(?<=\p{Ll}|(?<!\p{L})\p{Lu})\?(?=\p{Ll})|(?<=\s)\?(?=\p{Ll}{2})/gu;

/** Zero-width and control characters. Joiners shape Arabic, Indic scripts and emoji. */
const INVISIBLE =
  /(?![\t\n\r\u0080-\u009f])\p{Cc}|[\u00ad\u180e\u200b\u2028\u2029\u2060-\u2064\ufeff\ufff9-\ufffb]/gu;
const DIRECTION = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const JOINER = /(?<=[\p{Script=Latin}\s\d])[\u200c\u200d](?=[\p{Script=Latin}\s\d]|$)/gu;
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u;

export const encodingRules: TextRule[] = [
  {
    name: 'html_remnant',
    scope: 'text',
    severity: 'major',
    englishOnly: false,
    problem: 'the text contains HTML entities, tags or escape sequences',
    why: 'They are shown literally.',
    how: 'Replace them with the characters they stand for, and remove tags.',
    source: PROOF,
    find: findMarkup,
    fix: (text) => {
      const decoded = decodeEntities(text);
      return findSpans(TAG, decoded).length > 0 || findSpans(ENTITY, decoded).length > 0 ? text : decoded;
    },
  },
  {
    name: 'misread_characters',
    scope: 'text',
    severity: 'major',
    englishOnly: false,
    problem: 'characters are garbled by a wrong encoding',
    why: 'Accented letters and quotation marks are unreadable.',
    how: 'Import the file again as UTF-8, or correct the characters.',
    source: PROOF,
    find: (text) => findSpans(MOJIBAKE, text),
    fix: (text) => {
      const decoded = decodeMojibake(text);
      return findSpans(MOJIBAKE, decoded).length > 0 ? text : decoded;
    },
  },
  {
    name: 'lost_character',
    scope: 'text',
    severity: 'minor',
    englishOnly: true,
    problem: 'a question mark seems to replace a lost character',
    why: 'A letter was lost in a conversion of the encoding.',
    how: 'Restore the letter, or add a space after the question mark.',
    source: PROOF,
    find: (text) => (/[/=\\]|www|â\?/.test(text) ? [] : findSpans(REPLACED_BY_QUESTION_MARK, text)),
  },
  {
    name: 'invisible_characters',
    scope: 'text',
    severity: 'minor',
    englishOnly: false,
    problem: 'the text contains invisible characters',
    why: 'They break search, comparison and line wrapping.',
    how: 'Remove them, or retype the passage.',
    source: PROOF,
    find: (text) => listInvisible(text).flatMap((pattern) => findSpans(pattern, text)),
    fix: (text) =>
      listInvisible(text).reduce((cleaned, pattern) => cleaned.replace(pattern, replaceInvisible), text),
  },
  {
    name: 'mixed_scripts',
    scope: 'text',
    severity: 'minor',
    englishOnly: false,
    problem: 'a word mixes letters of two scripts that look alike',
    why: 'The word cannot be searched, compared or read aloud.',
    how: 'Retype the word in one script.',
    source: PROOF,
    find: findMixedScripts,
    fix: replaceLookalikes,
  },
];

function findMarkup(text: string, { text: question }: ParsedQuestion): Span[] {
  const spans = [...findSpans(ENTITY, text), ...findSpans(TAG, text), ...findSpans(ESCAPE, text)];
  if (spans.length === 0 || ABOUT_MARKUP.test(question)) return [];
  return spans.sort((a, b) => a.start - b.start);
}

/** Direction marks are needed in text from right to left. */
const listInvisible = (text: string): RegExp[] =>
  RIGHT_TO_LEFT.test(text) ? [INVISIBLE] : [INVISIBLE, DIRECTION, JOINER];

/** A line or paragraph separator also separates words. */
const replaceInvisible = (character: string) => (/[\u2028\u2029]/.test(character) ? ' ' : '');
