/** Rules about questions whose answer changes over time. */
import type { ParsedQuestion } from './parsed-question.ts';
import {
  citeGuideline,
  type FieldSpan,
  findSpans,
  QUESTION_TEXT,
  type QuestionRule,
  type Span,
} from './rule.ts';
import { INTERROGATIVES } from './vocabulary.ts';

const ONE_ANSWER = citeGuideline(19, 'make sure that only one of the choices is the right answer');

const OFFICES =
  'president|prime minister|king|queen|pope|monarch|emperor|chancellor|champion|record|holder|capital|population|host|mayor|governor|' +
  'ceo|owner|coach|manager|captain|leader|head|world|chief|minister|members?|number';
const WORKS =
  'model|version|album|film|movie|book|season|game|edition|release|generation|single|novel|iphone';

/** Each excludes other meanings: “so far away”, “to date a find”, “the latest hour”. */
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
const RELATIVE_TO_NOW = new RegExp(`\\b(?:${PHRASES.join('|')})\\b`, 'gi');

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
    scope: 'question',
    severity: 'minor',
    englishOnly: true,
    problem: 'the answer depends on when the question is asked',
    why: 'The key becomes wrong without any change to the question.',
    how: 'State the year (“as of 2020”), or ask about something permanent.',
    source: ONE_ANSWER,
    find: findRelativeTime,
  },
  {
    name: 'dated',
    scope: 'question',
    severity: 'info',
    englishOnly: true,
    problem: 'the question is about the state at a given date',
    why: 'It stays correct but becomes outdated, and respondents may answer for today.',
    how: 'Review it yearly, and update or remove the date.',
    source: ONE_ANSWER,
    find: (parsed) => findSpans(AS_OF, parsed.unquoted).map((span) => ({ ...span, field: QUESTION_TEXT })),
  },
];

/** A question that states a year is about that year. */
function findRelativeTime(parsed: ParsedQuestion): FieldSpan[] {
  const { unquoted } = parsed;
  const spans = findSpans(RELATIVE_TO_NOW, unquoted);
  if (spans.length === 0 || /\b(?:19|20)\d\d\b/.test(unquoted)) return [];
  const asking = listAskingSentences(parsed);
  return spans
    .filter((span) => isOutsideTitle(span, unquoted))
    .filter(({ start }) => asking.some((sentence) => sentence.start <= start && start < sentence.end))
    .map((span) => ({ ...span, field: QUESTION_TEXT }));
}

/** Capitals within a sentence indicate a title. */
const isOutsideTitle = ({ start, end }: Span, unquoted: string) =>
  start === 0 || !/\p{Lu}/u.test(unquoted.slice(start, end));

/** Sentences that ask or are to be judged. Conditions (“If Ann is currently 12…”) do not count. */
function listAskingSentences({ unquoted, unquotedWords, kind }: ParsedQuestion): Span[] {
  const sentences: Span[] = [];
  let i = 0;
  for (const { start, end } of splitSentences(unquoted)) {
    let asks = kind === 'true_false' || unquoted[end] === '?';
    let isConditional = false;
    for (; i < unquotedWords.length && unquotedWords[i]!.start < end; i++) {
      asks ||= INTERROGATIVES.has(unquotedWords[i]!.key);
      isConditional ||= unquotedWords[i]!.key === 'if';
    }
    if (asks && !isConditional) sentences.push({ start, end });
  }
  return sentences;
}

/** A sentence ends at a mark before white space, so not within a number or abbreviation. */
function splitSentences(text: string): Span[] {
  const ends = findSpans(/[.?!](?=\s|$)/g, text).map(({ start }) => start);
  if (ends.at(-1) !== text.length - 1) ends.push(text.length);
  return ends.map((end, i) => ({ start: ends[i - 1] ?? 0, end }));
}
