/** Rules about errors of typing, copying and import, applied to every text. */
import { type ParsedQuestion, toSpaces } from './parsed-question.ts';
import { citeGuideline, findSpans, type Span, type TextRule } from './rule.ts';

const PROOF = citeGuideline(11, 'edit and proof items');
const GRAMMAR = citeGuideline(12, 'use correct grammar, punctuation, capitalization and spelling');

const ENTITY = /&(?:#\d{2,6}|#x[0-9a-f]{2,6}|[a-z]{2,24}\d{0,2});|&(?:amp|quot|apos|nbsp|lt|gt)\b(?!=)/gi;
const TAG =
  /<\/?(?:a|b|i|u|p|br|em|strong|span|div|sup|sub|font|img|li|ul|ol|hr|h[1-6]|table|t[dr])(?:\s[^<>]{0,200})?\/?>/gi;
/** Questions about markup itself. */
const ABOUT_MARKUP = /\b(?:html|xml|bbcode|markup|tags?|entity|entities|escape sequences?)\b/i;

/** UTF-8 decoded as Windows-1252 (mojibake), and U+FFFD, the replacement character. */
const MOJIBAKE =
  /Ã[\u0080-\u00bfƒ‚„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ€]|â€[\u0080-\u00bf‚„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ€]|Â[\u00a0-\u00bf]|ðŸ|ï»¿|ï¿½|\ufffd/g;
const REPLACED_BY_QUESTION_MARK = /(?<=\p{Ll})\?(?=\p{Ll})|(?<=\s)\?(?=\p{Ll}{2})/gu;

const INVISIBLE = /[\u200b\u2060\ufeff]/g;

const PLACEHOLDER_WITHIN =
  /\[(?:insert|your|add) [^[\]]{1,60}\]|\b(?:insert|enter|type) (?:your )?(?:question|answer|text|option) here\b/gi;
const PLACEHOLDER_ONLY =
  /^(?:(?:option|answer|choice|distractor|question|wrong answer|incorrect answer|correct answer)\s*#?(?:[a-f]|\d{1,2})|(?:test|sample|dummy|example|placeholder)\s+(?:question|answer|option|text|item)s?(?:\s*#?\d+)?|n\/a|asdf\w{0,8}|placeholder)\s?[.?!:]?$/i;
/** Only in capitals: “todo” is a Spanish word. “XXX” is the Roman numeral 30. */
const TODO_NOTE = /^(?:TODO|FIXME|TBD|TBA|x{3,})$|\b(?:TODO|FIXME|TBD)(?=:| *$)/g;
const LOREM_IPSUM = /\blorem ipsum\b/gi;

const DOUBLED_WORD =
  /(?<![\p{L}\p{N}'’-])(the|an?|of|and|was|were|are|which|what|who|how|did|does|their|his|its|only|this|these|your|have|will)\s+(?:\1)(?![\p{L}\p{N}'’-])/giu;

const SPACING =
  /(?<=[^\s.?!:])[ \u00a0]{2,}(?=\S)|(?<=[\p{L}\p{N})"”])[ \t]+[?!,;](?=\s|$)|(?<=\p{L}{2}),(?=\p{L}{2})/gu;
const REPEATED_MARKS = /(?<=\p{L})[?]{2,}|(?<=\p{L}),{2,}|(?<=\p{L})\.\.(?!\.)|(?<=\p{L});{2,}/gu;

const WRONG_ARTICLE =
  /(?:^A|(?<=^|\s)a) (?=(?:[ai]|e(?![uw])|o(?!n[ce]|u))\p{Ll}{3})|(?:^An|(?<=^|\s)an) (?=[bcdfgjklmnpqrstvwz](?:[aeiou]|[lrh][aeiou])\p{Ll})/gu;

export const textRules: TextRule[] = [
  {
    name: 'html_remnant',
    scope: 'text',
    severity: 'major',
    englishOnly: false,
    problem: 'the text contains HTML entities or tags',
    why: 'They are shown literally.',
    how: 'Replace entities with their characters, and remove tags.',
    source: PROOF,
    find: findMarkup,
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
    find: (text) => (/[/=\\]/.test(text) ? [] : findSpans(REPLACED_BY_QUESTION_MARK, text)),
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
    find: (text) => findSpans(INVISIBLE, text),
  },
  {
    name: 'placeholder',
    scope: 'text',
    severity: 'major',
    englishOnly: false,
    problem: 'the text contains placeholder text',
    why: 'The question is not finished.',
    how: 'Replace the placeholder, or delete the question.',
    source: PROOF,
    find: findPlaceholder,
  },
  {
    name: 'doubled_word',
    scope: 'text',
    severity: 'minor',
    englishOnly: true,
    problem: 'a word is repeated',
    why: 'Typing errors distract respondents and undermine trust.',
    how: 'Remove one of the two words.',
    source: GRAMMAR,
    find: findDoubledWords,
  },
  {
    name: 'unbalanced_marks',
    scope: 'text',
    severity: 'minor',
    englishOnly: false,
    problem: 'a bracket or quotation mark is unbalanced',
    why: 'It is unclear where the title or quotation ends, or text is missing.',
    how: 'Add the missing mark, or remove the extra one.',
    source: GRAMMAR,
    find: findUnbalanced,
  },
  {
    name: 'wrong_article',
    scope: 'text',
    severity: 'info',
    englishOnly: true,
    problem: 'the article is wrong: “a” before a vowel, or “an” before a consonant',
    why: 'Typing errors distract respondents and undermine trust.',
    how: 'Write “an” before a vowel sound and “a” before a consonant sound.',
    source: GRAMMAR,
    find: (text) => findSpans(WRONG_ARTICLE, text),
  },
  {
    name: 'spacing',
    scope: 'text',
    severity: 'info',
    englishOnly: true,
    problem: 'a space is doubled, missing, or before a punctuation mark',
    why: 'Inconsistent typography looks careless, and can make an option stand out.',
    how: 'Put one space after a word or punctuation mark, and none before a mark.',
    source: GRAMMAR,
    find: (text) => findSpans(SPACING, text),
  },
  {
    name: 'repeated_punctuation',
    scope: 'text',
    severity: 'info',
    englishOnly: false,
    problem: 'a punctuation mark is repeated',
    why: 'Inconsistent typography looks careless.',
    how: 'Keep one mark, or three dots for an ellipsis.',
    source: GRAMMAR,
    find: (text) => findSpans(REPEATED_MARKS, text),
  },
];

function findMarkup(text: string, { text: question }: ParsedQuestion): Span[] {
  const spans = [...findSpans(ENTITY, text), ...findSpans(TAG, text)];
  if (spans.length === 0 || ABOUT_MARKUP.test(question)) return [];
  return spans.sort((a, b) => a.start - b.start);
}

/** An English sentence that contains “lorem ipsum” is a question about it. */
function findPlaceholder(text: string, parsed: ParsedQuestion): Span[] {
  if (text.length <= 60 && PLACEHOLDER_ONLY.test(text.trim())) return [{ start: 0, end: text.length }];
  const spans = [...findSpans(PLACEHOLDER_WITHIN, text), ...findSpans(TODO_NOTE, text)];
  return parsed.isEnglish ? spans : [...spans, ...findSpans(LOREM_IPSUM, text)];
}

/** A capitalised second word is a name: The The is a band. */
function findDoubledWords(text: string): Span[] {
  return findSpans(DOUBLED_WORD, text).filter(({ start, end }) => {
    const second = text.slice(start, end).split(/\s+/)[1]!;
    return second === second.toLowerCase();
  });
}

const OPENING_BY_CLOSING = new Map([
  [')', '('],
  [']', '['],
  ['}', '{'],
  ['»', '«'],
]);
const OPENING = new Set(OPENING_BY_CLOSING.values());
/** Half-open intervals, such as [0, 1). */
const INTERVAL = /[[\](]\s?[-−]?[\p{L}\p{N}.∞]{1,12}\s?[,;]\s?[-−+]?[\p{L}\p{N}.∞]{1,12}\s?[\])[]/gu;
/** Text before an intended single bracket: an emoticon :( or a list marker, a) or 1). */
const EMOTICON_OR_LIST_MARKER = /(?:[:;=][-'^]?|(?:^|[\s,;(])(?:\p{L}|\p{N}{1,2}|[ivx]{2,3}))$/u;
const BRACKET_OR_QUOTATION_MARK = /[()[\]{}«»"“”„]/;
const QUOTATION_MARK = /["“”„]/g;

function findUnbalanced(text: string): Span[] {
  if (!BRACKET_OR_QUOTATION_MARK.test(text) || !/\p{L}{2}/u.test(text)) return [];
  const brackets = findUnmatchedBrackets(text.replace(INTERVAL, toSpaces));
  return brackets.length > 0 ? brackets : findUnmatchedQuotationMark(text);
}

function findUnmatchedBrackets(text: string): Span[] {
  const open: number[] = [];
  const unmatched: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const character = text[i]!;
    if (OPENING.has(character)) open.push(i);
    else if (OPENING_BY_CLOSING.has(character)) {
      if (open.length > 0 && text[open.at(-1)!] === OPENING_BY_CLOSING.get(character)) open.pop();
      else unmatched.push(i);
    }
  }
  return [...unmatched, ...open]
    .filter((i) => !EMOTICON_OR_LIST_MARKER.test(text.slice(Math.max(0, i - 4), i)))
    .sort((a, b) => a - b)
    .map((start) => ({ start, end: start + 1 }));
}

/** An odd number of marks of any shape, none of which follows a digit, where it may mean inches. */
function findUnmatchedQuotationMark(text: string): Span[] {
  const marks = findSpans(QUOTATION_MARK, text);
  if (
    marks.length % 2 === 0 ||
    marks.some(({ start }) => /\d\s?$/.test(text.slice(Math.max(0, start - 2), start)))
  )
    return [];
  return [marks.at(-1)!];
}
