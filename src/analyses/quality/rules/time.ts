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

/** Ends the clause, so that “so far over” and “to date a find” are not meant. */
const CLAUSE_END = '(?=\\s*(?:[,?.!)]|$))';

/** Phrases that refer to the time of asking, in a sentence in the present tense. */
const PRESENT = new RegExp(
  `\\b(?:${[
    'currently(?! (?:known as|called|named|known by))',
    'nowadays',
    'at present(?![- ]day)',
    'as of (?:now|today|yet)',
    '(?:up to|until) now',
    `(?<!\\b(?:of|in|on|for|during|on which) )these days${CLAUSE_END}`,
    `at the moment${CLAUSE_END}`,
    `(?:the |its |their )current (?:${OFFICES})`,
    `the latest (?:${WORKS})`,
    'the most recent(?! (?:common|glaci|ice|ancestor|epoch|period|era))',
  ].join('|')})\\b|\\b(?:so far|to date)${CLAUSE_END}`,
  'gi',
);
/** Phrases that refer to the time of asking in the past tense as well. */
const RECENT =
  /(?<!\b(?:had|was|were|been|more|most|until|as|just|having|very|too|how) )\brecently\b(?! (?:deceased|departed|discovered|divorced|widowed|married|arrived|returned|turned|separated|orphaned))|(?<!\b(?:in|during|of|by|until|from|since|the|about|than|it|is) )(?<=\S )\b(?:this|last) (?:year|month|season)(?=\s*(?:[,?.!)]|$)|['’]s (?:oscar|grammy|super bowl|world cup|election))/gi;

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

const STATES_YEAR = /\b(?:1[5-9]|20)\d\d(?:s|['’]s)?\b/;
const PRESENT_TENSE =
  /\b(?:is|are|has|have|does|do|holds?|plays?|owns?|leads?|lives?|serves?|runs?|hosts?|stars?|reigns?|remains?|works?|coaches|manages|ranks?|can)\b|['’]s\b/i;
const PAST_TENSE = /\b(?:was|were|did|had)\b/i;

/** A question that states a year is about that year. A story has its own present. */
function findRelativeTime(parsed: ParsedQuestion): FieldSpan[] {
  const { unquoted } = parsed;
  if (STATES_YEAR.test(unquoted) || /\blyrics?\b/i.test(unquoted)) return [];
  const present = findSpans(PRESENT, unquoted);
  const recent = findSpans(RECENT, unquoted);
  if (present.length + recent.length === 0) return [];
  const asking = listAskingSentences(parsed);
  const findSentence = ({ start }: Span) =>
    asking.find((sentence) => sentence.start <= start && start < sentence.end);
  return [
    ...present.filter((span) => {
      const sentence = findSentence(span);
      return sentence && isInPresent(unquoted.slice(sentence.start, sentence.end));
    }),
    ...recent.filter(findSentence),
  ]
    .filter((span) => isOutsideTitle(span, unquoted))
    .map((span) => ({ ...span, field: QUESTION_TEXT }));
}

const isInPresent = (sentence: string) => PRESENT_TENSE.test(sentence) && !PAST_TENSE.test(sentence);

/** Capitals within a sentence indicate a title. */
const isOutsideTitle = ({ start, end }: Span, unquoted: string) =>
  start === 0 || !/\p{Lu}\p{Ll}/u.test(unquoted.slice(start, end));

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
