/**
 * Rules about words in options, and in statements to be judged, that tell right from wrong or mean different
 * things to different people.
 */
import { wordsOf } from '../shared/words.ts';
import type { Reading } from './parse.ts';
import { guideline, type Place, QUESTION_TEXT, type QuestionRule, spansOf } from './rule.ts';

const DETERMINERS = guideline(28, 'avoid clues to the right answer, such as specific determiners');

const ABSOLUTE =
  /\b(?:always|never|completely|absolutely|totally|entirely|invariably|under no circumstances|without exception)\b/g;
/** In a statement, only what makes it a claim about every case. */
const ALWAYS = /\b(?:always|never|invariably|under no circumstances|without exception)\b/g;
const VAGUE =
  /\b(?:often|usually|sometimes|frequently|generally|typically|probably|seldom|rarely|occasionally|might|possibly)\b(?! (?:called|known|referred|considered|credited|described|regarded|said|associated))/g;
const NEGATED =
  /^(?:\S+ ){0,3}\b(?:not|cannot|(?:is|are|was|were|do|does|did|has|have|had|ca|could|wo|would|should)n['’]t)\b/g;

/** Questions about what is said or called: the words are not the writer's. */
const ABOUT_SAYING =
  /\b(?:quotes?|quotations?|lyrics?|line|lines|sa(?:y|ys|id|ying)|slogan|motto|catchphrase|tagline|proverb|phrase|song|title|titled|words|rules?|laws?|sentence|idiom|called|tell|told|sing|sings|sang|writes?|wrote|reads?)\b/i;

export const termRules: QuestionRule[] = [
  {
    name: 'absolute_term',
    looks_at: 'question',
    severity: 'minor',
    english: true,
    what: 'an option or statement says “always”, “never” or the like',
    why: 'Hardly anything is so without exception: test-wise readers know such options to be wrong.',
    how: 'Say what holds and when, or leave the word out.',
    source: DETERMINERS,
    find: (reading) => findTerms(reading, reading.kind === 'true_false' ? ALWAYS : ABSOLUTE),
  },
  {
    name: 'vague_term',
    looks_at: 'question',
    severity: 'info',
    english: true,
    what: 'an option or statement says “often”, “usually” or the like',
    why: 'People understand such words differently, and test-wise readers take them for signs of the right option.',
    how: 'Say how often, or leave the word out.',
    source: DETERMINERS,
    find: (reading) => findTerms(reading, VAGUE),
  },
  {
    name: 'negative_option',
    looks_at: 'question',
    severity: 'info',
    english: true,
    what: 'an option is put negatively',
    why: 'A small “not” in an option is overlooked as easily as in the question.',
    how: 'Say what is so.',
    source: guideline(27, 'phrase choices positively; avoid negatives such as NOT'),
    find: (reading) => (reading.kind === 'choice' ? findTerms(reading, NEGATED) : []),
  },
];

/** In the statement to be judged, or in options that are phrases: a short option is a title or a name. */
function findTerms(reading: Reading, terms: RegExp): Place[] {
  if (reading.kind === 'true_false') {
    return spansOf(terms, reading.plain).map((span) => ({ ...span, field: QUESTION_TEXT }));
  }
  if (ABOUT_SAYING.test(reading.text)) return [];
  return reading.choices.flatMap((choice, field) => {
    const spans = spansOf(terms, choice);
    return spans.length > 0 && isPhrase(choice) ? spans.map((span) => ({ ...span, field })) : [];
  });
}

/** Three words at least, most of them in small letters, and not quoted. */
function isPhrase(choice: string): boolean {
  if (/["“”]/.test(choice)) return false;
  const all = wordsOf(choice);
  const small = all.filter(({ text }) => /^\p{Ll}/u.test(text)).length;
  return all.length >= 3 && small * 2 > all.length;
}
