/** Rules about errors of typing and copying, applied to every text. */
import { findLostApostrophes, restoreApostrophes } from './apostrophes.ts';
import { findDoubledWords, removeDoubledWords } from './doubled-words.ts';
import { type ParsedQuestion, toSpaces } from './parsed-question.ts';
import { citeGuideline, findSpans, type Span, type TextRule } from './rule.ts';
import { correctSpacing, findLostAmpersands, findSpacing } from './spacing.ts';
import { ABOUT_WRITING } from './wording.ts';

const PROOF = citeGuideline(11, 'edit and proof items');
const GRAMMAR = citeGuideline(12, 'use correct grammar, punctuation, capitalization and spelling');

const PLACEHOLDER_WITHIN =
  /\[(?:insert|your|add) [^[\]]{1,60}\]|\b(?:insert|enter|type) (?:your )?(?:question|answer|text|option) here\b/gi;
const PLACEHOLDER_ONLY =
  /^(?:(?:option|answer|choice|distractor|question|wrong answer|incorrect answer|correct answer)\s*#?(?:[a-f]|\d{1,2})|(?:test|sample|dummy|example|placeholder)\s+(?:question|answer|option|text|item)s?(?:\s*#?\d+)?|n\/a|asdf\w{0,8}|placeholder)\s?[.?!:]?$/i;
/** Only in capitals: “todo” is a Spanish word. “XXX” is the Roman numeral 30. */
const TODO_NOTE = /^(?:TODO|FIXME|TBD|TBA|x{3,})$|\b(?:TODO|FIXME|TBD)(?=:| *$)/g;
const LOREM_IPSUM = /\blorem ipsum\b/gi;

const REPEATED_MARKS = /(?<=\p{L})[?]{2,}|(?<=\p{L}),{2,}|(?<=\p{L})\.\.(?!\.)|(?<=\p{L});{2,}/gu;

/** Words after “a” that are no noun phrase: a letter or note is meant, or a foreign word. */
const NO_NOUN_PHRASE =
  '(?!(?:is|in|and|or|on|of|are|as|at|into|over|under|along|also|after|if|it|even|although|against|among|around|above|about|across|each|either|else|ever|every|esta|este|ella|otra|otro|alla|amore|eterno|oder|aber|away|ago|onto|off|out|once|one|ones|oneself|euro\\p{L}*|ewe\\p{L}*|ouija|oui|aux|une)\\b)';
const WRONG_ARTICLE = new RegExp(
  [
    `(?:^A|(?<=^|[\\s("“])a) (?=${NO_NOUN_PHRASE}(?:[ai]|e(?![uw])|o(?!n[ce]\\b))\\p{Ll}{2,}|(?:un(?!i|\\b|a )|um[bp]|ug|up(?!on)|ul[ct]|us(?!e|u|a|i)|ut(?:t|most))\\p{Ll}+|(?:hour|honest|honor|honour|heir)\\p{Ll}*)`,
    `(?:^An|(?<=^|[\\s("“])an) (?=(?!(?:der|dem|den|die|das|ta|na|to|ti|le|la|sich|mir|van)\\b)[bcdfgjklmnpqrstvwz](?:[aeiou]|[lrh][aeiou])\\p{Ll}|(?:university|uniform|union|unicorn|unique|unit|united|universal|useful|user|usual|used|european|one)\\b)`,
  ].join('|'),
  'gu',
);

export const typingRules: TextRule[] = [
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
    name: 'lost_apostrophe',
    scope: 'text',
    severity: 'minor',
    englishOnly: true,
    problem: 'a word has lost its apostrophe',
    why: 'Typing errors distract respondents and undermine trust.',
    how: 'Restore the apostrophe.',
    source: GRAMMAR,
    find: (text, parsed) => (ABOUT_WRITING.test(parsed.text) ? [] : findLostApostrophes(text)),
    fix: restoreApostrophes,
  },
  {
    name: 'lost_ampersand',
    scope: 'text',
    severity: 'minor',
    englishOnly: true,
    problem: 'two names are joined by a double space, where “&” seems to be lost',
    why: 'The name or title is wrong without it.',
    how: 'Restore “&” or “and” between the two words. Remove one space if nothing is missing.',
    source: PROOF,
    find: findLostAmpersands,
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
    fix: removeDoubledWords,
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
    find: (text, parsed) => (ABOUT_WRITING.test(parsed.text) ? [] : findSpans(WRONG_ARTICLE, text)),
    fix: (text) =>
      text.replace(WRONG_ARTICLE, (article) => (article.length === 2 ? `${article[0]}n ` : `${article[0]} `)),
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
    find: findSpacing,
    fix: correctSpacing,
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
    fix: (text) => (/\.\./.test(text) ? text : text.replace(REPEATED_MARKS, (marks) => marks[0]!)),
  },
];

/** An English sentence that contains “lorem ipsum” is a question about it. */
function findPlaceholder(text: string, parsed: ParsedQuestion): Span[] {
  if (text.length <= 60 && PLACEHOLDER_ONLY.test(text.trim())) return [{ start: 0, end: text.length }];
  const spans = [...findSpans(PLACEHOLDER_WITHIN, text), ...findSpans(TODO_NOTE, text)];
  return parsed.isEnglish ? spans : [...spans, ...findSpans(LOREM_IPSUM, text)];
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
