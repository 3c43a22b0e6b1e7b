/** Rules about questions whose answer changes with time. */
import type { Reading } from './parse.ts';
import { guideline, type Place, QUESTION_TEXT, type QuestionRule, type Span, spansOf } from './rule.ts';
import { ASKING } from './vocabulary.ts';

const ONE_ANSWER = guideline(19, 'make sure that only one of the choices is the right answer');

const OFFICES =
  'president|prime minister|king|queen|pope|monarch|emperor|chancellor|champion|record|holder|capital|population|host|mayor|governor|' +
  'ceo|owner|coach|manager|captain|leader|head|world|chief|minister|members?|number';
const WORKS =
  'model|version|album|film|movie|book|season|game|edition|release|generation|single|novel|iphone';

/**
 * Each with what keeps it from meaning something else: "so far away", "to date a find", "the latest hour".
 */
const PHRASES = [
  'currently(?! (?:known as|called|named))',
  '(?:nowadays|at present|presently|as of (?:now|today|yet)|up to now|until now)',
  'so far(?! (?:away|as|from|north|south|east|west|out|into|ahead|behind|apart|that))',
  '(?:to date|these days)(?=\\s?[,?.)])',
  'at the moment(?=\\s?[,?.)])',
  '(?<!(?:had|was|were|been|more|most|until|as|just|having) )recently',
  "(?<!(?:in|during|of|by|until|from|since|the|about) )(?<=\\S )(?:this|last) (?:year|month)(?! of)(?!['’])",
  'most recent(?! (?:common|glaci|ice))',
  `(?:the )?current (?:${OFFICES})`,
  `the latest (?:${WORKS})`,
];
const NOW = new RegExp(`\\b(?:${PHRASES.join('|')})\\b`, 'gi');

const MONTHS =
  'january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec';
const PART_OF_YEAR = 'start|end|beginning|year|season|summer|winter|spring|autumn|fall|early|mid|late';
const AS_OF = new RegExp(
  `\\bas (?:of|at) (?:the )?(?:(?:${PART_OF_YEAR})[ -](?:of )?){0,3}(?:(?:${MONTHS})\\.? (?:\\d{1,2}(?:st|nd|rd|th)?,? )?)?(?:19|20)\\d\\d\\b`,
  'gi',
);

export const timeRules: QuestionRule[] = [
  {
    name: 'time_bound',
    looks_at: 'question',
    severity: 'minor',
    english: true,
    what: 'the answer depends on when the question is asked',
    why: 'The answer goes stale without anybody touching the question.',
    how: 'Name the year (“as of 2020”), or ask about something that stays.',
    source: ONE_ANSWER,
    find: findNow,
  },
  {
    name: 'dated',
    looks_at: 'question',
    severity: 'info',
    english: true,
    what: 'the question is about the state of things at a date',
    why: 'It stays right, but grows old; readers will think of today.',
    how: 'Look at it once a year, and move the date on or drop it.',
    source: ONE_ANSWER,
    find: (reading) => spansOf(AS_OF, reading.plain).map((span) => ({ ...span, field: QUESTION_TEXT })),
  },
];

/** Where a year is named, that is the time which is meant. */
function findNow(reading: Reading): Place[] {
  const { plain } = reading;
  const spans = spansOf(NOW, plain);
  if (spans.length === 0 || /\b(?:19|20)\d\d\b/.test(plain)) return [];
  const asking = askingSentences(reading);
  return spans
    .filter((span) => isWriters(span, plain))
    .filter(({ start }) => asking.some((sentence) => sentence.start <= start && start < sentence.end))
    .map((span) => ({ ...span, field: QUESTION_TEXT }));
}

/** Capitals within a sentence belong to a title. */
const isWriters = ({ start, end }: Span, plain: string) =>
  start === 0 || !/\p{Lu}/u.test(plain.slice(start, end));

/**
 * Those that ask or are to be judged: what is told before, or supposed, is a story with a time of its own.
 */
function askingSentences({ plain, words, kind }: Reading): Span[] {
  const sentences: Span[] = [];
  let i = 0;
  for (const { start, end } of sentencesOf(plain)) {
    let asks = kind === 'true_false' || plain[end] === '?';
    let supposes = false;
    for (; i < words.length && words[i]!.start < end; i++) {
      asks ||= ASKING.has(words[i]!.key);
      supposes ||= words[i]!.key === 'if';
    }
    if (asks && !supposes) sentences.push({ start, end });
  }
  return sentences;
}

/**
 * Up to the mark that ends each, which comes before a space: not that of a number or an abbreviation in one
 * word.
 */
function sentencesOf(text: string): Span[] {
  const ends = spansOf(/[.?!](?=\s|$)/g, text).map(({ start }) => start);
  if (ends.at(-1) !== text.length - 1) ends.push(text.length);
  return ends.map((end, i) => ({ start: ends[i - 1] ?? 0, end }));
}
