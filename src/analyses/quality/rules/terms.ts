/** Rules about specific determiners and negations in options and true/false statements. */
import { splitWords } from '../../shared/words.ts';
import type { ParsedQuestion } from './parsed-question.ts';
import { citeGuideline, type FieldSpan, findSpans, QUESTION_TEXT, type QuestionRule } from './rule.ts';

const DETERMINERS = citeGuideline(28, 'avoid clues to the right answer, such as specific determiners');

const ABSOLUTE =
  /\b(?:always|never|completely|absolutely|totally|entirely|invariably|under no circumstances|without exception)\b/g;
/** In a true/false statement, only words that make it a claim about every case. */
const UNIVERSAL = /\b(?:always|never|invariably|under no circumstances|without exception)\b/g;
const VAGUE =
  /\b(?:often|usually|sometimes|frequently|generally|typically|probably|seldom|rarely|occasionally|might|possibly)\b(?! (?:called|known|referred|considered|credited|described|regarded|said|associated))/g;
const NEGATED =
  /^(?:\S+ ){0,3}\b(?:not|cannot|(?:is|are|was|were|do|does|did|has|have|had|ca|could|wo|would|should)n['’]t)\b/g;

/** Questions about quotes, titles and names, whose wording is not the author's. */
const ABOUT_SAYING =
  /\b(?:quotes?|quotations?|lyrics?|line|lines|sa(?:y|ys|id|ying)|slogan|motto|catchphrase|tagline|proverb|phrase|song|title|titled|words|rules?|laws?|sentence|idiom|called|tell|told|sing|sings|sang|writes?|wrote|reads?)\b/i;

export const termRules: QuestionRule[] = [
  {
    name: 'absolute_term',
    scope: 'question',
    severity: 'minor',
    englishOnly: true,
    problem: 'an option or statement says “always”, “never” or the like',
    why: 'Absolute claims are rarely true, so test-wise respondents reject them.',
    how: 'Qualify the claim, or remove the word.',
    source: DETERMINERS,
    find: (parsed) => findTerms(parsed, parsed.kind === 'true_false' ? UNIVERSAL : ABSOLUTE),
  },
  {
    name: 'vague_term',
    scope: 'question',
    severity: 'info',
    englishOnly: true,
    problem: 'an option or statement says “often”, “usually” or the like',
    why: 'Such words are ambiguous, and test-wise respondents take them as a sign of the correct option.',
    how: 'State the frequency, or remove the word.',
    source: DETERMINERS,
    find: (parsed) => findTerms(parsed, VAGUE),
  },
  {
    name: 'negative_option',
    scope: 'question',
    severity: 'info',
    englishOnly: true,
    problem: 'an option is negative',
    why: 'Respondents may overlook the negation.',
    how: 'Word the option positively.',
    source: citeGuideline(27, 'phrase choices positively; avoid negatives such as NOT'),
    find: (parsed) => (parsed.kind === 'choice' ? findTerms(parsed, NEGATED) : []),
  },
];

/** In true/false statements, and in options that are phrases rather than titles or names. */
function findTerms(parsed: ParsedQuestion, terms: RegExp): FieldSpan[] {
  if (parsed.kind === 'true_false') {
    return findSpans(terms, parsed.unquoted).map((span) => ({ ...span, field: QUESTION_TEXT }));
  }
  if (ABOUT_SAYING.test(parsed.text)) return [];
  return parsed.choices.flatMap((choice, field) => {
    const spans = findSpans(terms, choice);
    return spans.length > 0 && isPhrase(choice) ? spans.map((span) => ({ ...span, field })) : [];
  });
}

/** At least three words, mostly in lower case, and not quoted. */
function isPhrase(choice: string): boolean {
  if (/["“”]/.test(choice)) return false;
  const words = splitWords(choice);
  const lowerCase = words.filter(({ text }) => /^\p{Ll}/u.test(text)).length;
  return words.length >= 3 && lowerCase * 2 > words.length;
}
