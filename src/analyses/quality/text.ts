/** Rules about any text: what went wrong when it was typed, copied or imported. */
import { blank, type Reading } from './parse.ts';
import { guideline, type Span, spansOf, type TextRule } from './rule.ts';

const PROOF = guideline(11, 'edit and proof items');
const GRAMMAR = guideline(12, 'use correct grammar, punctuation, capitalization and spelling');

const ENTITY = /&(?:#\d{2,6}|#x[0-9a-f]{2,6}|[a-z]{2,24}\d{0,2});|&(?:amp|quot|apos|nbsp|lt|gt)\b(?!=)/gi;
const TAG =
  /<\/?(?:a|b|i|u|p|br|em|strong|span|div|sup|sub|font|img|li|ul|ol|hr|h[1-6]|table|t[dr])(?:\s[^<>]{0,200})?\/?>/gi;
/** Questions about the markup itself. */
const ABOUT_MARKUP = /\b(?:html|xml|bbcode|markup|tags?|entity|entities|escape sequences?)\b/i;

/** What UTF-8 looks like when it is taken for Windows-1252, and the sign for a character that was lost. */
const MISREAD =
  /Ã[\u0080-\u00bfƒ‚„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ€]|â€[\u0080-\u00bf‚„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ€]|Â[\u00a0-\u00bf]|ðŸ|ï»¿|ï¿½|\ufffd/g;
const LOST = /(?<=\p{Ll})\?(?=\p{Ll})|(?<=\s)\?(?=\p{Ll}{2})/gu;

const INVISIBLE = /[\u200b\u2060\ufeff]/g;

const FILLER_WITHIN =
  /\[(?:insert|your|add) [^[\]]{1,60}\]|\b(?:insert|enter|type) (?:your )?(?:question|answer|text|option) here\b/gi;
const FILLER_WHOLE =
  /^(?:(?:option|answer|choice|distractor|question|wrong answer|incorrect answer|correct answer)\s*#?(?:[a-f]|\d{1,2})|(?:test|sample|dummy|example|placeholder)\s+(?:question|answer|option|text|item)s?(?:\s*#?\d+)?|n\/a|asdf\w{0,8}|placeholder)\s?[.?!:]?$/i;
/** In capitals, as a note to oneself; "todo" is a word of Spanish, and XXX is thirty. */
const NOTE = /^(?:TODO|FIXME|TBD|TBA|x{3,})$|\b(?:TODO|FIXME|TBD)(?=:| *$)/g;
const LOREM = /\blorem ipsum\b/gi;

const DOUBLED =
  /(?<![\p{L}\p{N}'’-])(the|an?|of|and|was|were|are|which|what|who|how|did|does|their|his|its|only|this|these|your|have|will)\s+(?:\1)(?![\p{L}\p{N}'’-])/giu;

const SPACING =
  /(?<=[^\s.?!:])[ \u00a0]{2,}(?=\S)|(?<=[\p{L}\p{N})"”])[ \t]+[?!,;](?=\s|$)|(?<=\p{L}{2}),(?=\p{L}{2})/gu;
const REPEATED_MARKS = /(?<=\p{L})[?]{2,}|(?<=\p{L}),{2,}|(?<=\p{L})\.\.(?!\.)|(?<=\p{L});{2,}/gu;

const WRONG_A =
  /(?:^A|(?<=^|\s)a) (?=(?:[ai]|e(?![uw])|o(?!n[ce]|u))\p{Ll}{3})|(?:^An|(?<=^|\s)an) (?=[bcdfgjklmnpqrstvwz](?:[aeiou]|[lrh][aeiou])\p{Ll})/gu;

export const textRules: TextRule[] = [
  {
    name: 'html_remnant',
    looks_at: 'text',
    severity: 'major',
    english: false,
    what: 'HTML codes stand in the text',
    why: 'Readers see the code instead of the character or style that was meant.',
    how: 'Replace the code by the character it stands for; remove tags.',
    source: PROOF,
    find: findMarkup,
  },
  {
    name: 'misread_characters',
    looks_at: 'text',
    severity: 'major',
    english: false,
    what: 'characters were garbled by a wrong encoding',
    why: 'Text that was read in the wrong encoding shows nonsense in place of accents and quotation marks.',
    how: 'Import the file again as UTF-8, or type the right characters in.',
    source: PROOF,
    find: (text) => spansOf(MISREAD, text),
  },
  {
    name: 'lost_character',
    looks_at: 'text',
    severity: 'minor',
    english: true,
    what: 'a question mark seems to stand for a lost character',
    why: 'Programs put a question mark for a letter they could not write; names become hard to read.',
    how: 'Put the letter back, or a space after the question mark.',
    source: PROOF,
    find: (text) => (/[/=\\]/.test(text) ? [] : spansOf(LOST, text)),
  },
  {
    name: 'invisible_characters',
    looks_at: 'text',
    severity: 'minor',
    english: false,
    what: 'the text holds invisible characters',
    why: 'They break searching, comparing and wrapping of lines, and nobody sees why.',
    how: 'Type the passage again, or remove the character.',
    source: PROOF,
    find: (text) => spansOf(INVISIBLE, text),
  },
  {
    name: 'placeholder',
    looks_at: 'text',
    severity: 'major',
    english: false,
    what: 'placeholder text was left in',
    why: 'The question is not finished.',
    how: 'Write the missing text, or delete the question.',
    source: PROOF,
    find: findFiller,
  },
  {
    name: 'doubled_word',
    looks_at: 'text',
    severity: 'minor',
    english: true,
    what: 'a word is repeated',
    why: 'Slips of the pen make readers stumble and doubt the rest.',
    how: 'Remove one of the two words.',
    source: GRAMMAR,
    find: findDoubledWords,
  },
  {
    name: 'unbalanced_marks',
    looks_at: 'text',
    severity: 'minor',
    english: false,
    what: 'a bracket or quotation mark has no partner',
    why: 'It is unclear where the title, quotation or remark ends; often a piece of the text is missing.',
    how: 'Add the missing mark or remove the stray one.',
    source: GRAMMAR,
    find: findUnbalanced,
  },
  {
    name: 'wrong_article',
    looks_at: 'text',
    severity: 'info',
    english: true,
    what: 'the article is wrong: “a” before a vowel, or “an” before a consonant',
    why: 'Slips of the pen make readers stumble and doubt the rest.',
    how: 'Write “an” before a vowel sound, “a” before all others.',
    source: GRAMMAR,
    find: (text) => spansOf(WRONG_A, text),
  },
  {
    name: 'spacing',
    looks_at: 'text',
    severity: 'info',
    english: true,
    what: 'spaces are doubled, missing, or stand before a punctuation mark',
    why: 'Uneven typography looks careless, and can make the odd option stand out.',
    how: 'One space after a word or mark, none before a mark.',
    source: GRAMMAR,
    find: (text) => spansOf(SPACING, text),
  },
  {
    name: 'repeated_punctuation',
    looks_at: 'text',
    severity: 'info',
    english: false,
    what: 'a punctuation mark is repeated',
    why: 'Uneven typography looks careless.',
    how: 'Keep one of the marks (three dots for an ellipsis).',
    source: GRAMMAR,
    find: (text) => spansOf(REPEATED_MARKS, text),
  },
];

function findMarkup(text: string, { text: question }: Reading): Span[] {
  const spans = [...spansOf(ENTITY, text), ...spansOf(TAG, text)];
  if (spans.length === 0 || ABOUT_MARKUP.test(question)) return [];
  return spans.sort((a, b) => a.start - b.start);
}

/** The filler text of typesetters is not English; an English sentence that holds it asks about it. */
function findFiller(text: string, reading: Reading): Span[] {
  if (text.length <= 60 && FILLER_WHOLE.test(text.trim())) return [{ start: 0, end: text.length }];
  const spans = [...spansOf(FILLER_WITHIN, text), ...spansOf(NOTE, text)];
  return reading.english ? spans : [...spans, ...spansOf(LOREM, text)];
}

/** A capital in the second place is a name: The The is a band. */
function findDoubledWords(text: string): Span[] {
  return spansOf(DOUBLED, text).filter(({ start, end }) => {
    const second = text.slice(start, end).split(/\s+/)[1]!;
    return second === second.toLowerCase();
  });
}

const PARTNERS = new Map([
  [')', '('],
  [']', '['],
  ['}', '{'],
  ['»', '«'],
]);
const OPENING = new Set(PARTNERS.values());
/** Half-open intervals: their brackets differ on purpose. */
const INTERVAL = /[[\](]\s?[-−]?[\p{L}\p{N}.∞]{1,12}\s?[,;]\s?[-−+]?[\p{L}\p{N}.∞]{1,12}\s?[\])[]/gu;
/** What stands before a bracket that is alone on purpose: a face :( or the point of a list, a) or 1). */
const ALONE = /(?:[:;=][-'^]?|(?:^|[\s,;(])(?:\p{L}|\p{N}{1,2}|[ivx]{2,3}))$/u;
const MARK = /[()[\]{}«»"“”„]/;
const QUOTATION_MARK = /["“”„]/g;

function findUnbalanced(text: string): Span[] {
  if (!MARK.test(text) || !/\p{L}{2}/u.test(text)) return [];
  const brackets = unmatchedBrackets(text.replace(INTERVAL, blank));
  return brackets.length > 0 ? brackets : unmatchedQuotation(text);
}

function unmatchedBrackets(text: string): Span[] {
  const open: number[] = [];
  const unmatched: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const sign = text[i]!;
    if (OPENING.has(sign)) open.push(i);
    else if (PARTNERS.has(sign)) {
      if (open.length > 0 && text[open.at(-1)!] === PARTNERS.get(sign)) open.pop();
      else unmatched.push(i);
    }
  }
  return [...unmatched, ...open]
    .filter((i) => !ALONE.test(text.slice(Math.max(0, i - 4), i)))
    .sort((a, b) => a - b)
    .map((start) => ({ start, end: start + 1 }));
}

/** An odd number of marks, whatever their shape; after a digit they may be inches. */
function unmatchedQuotation(text: string): Span[] {
  const marks = spansOf(QUOTATION_MARK, text);
  if (
    marks.length % 2 === 0 ||
    marks.some(({ start }) => /\d\s?$/.test(text.slice(Math.max(0, start - 2), start)))
  )
    return [];
  return [marks.at(-1)!];
}
