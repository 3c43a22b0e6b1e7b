/** A rule about stems that agree in number or tense with one option only. */
import type { ParsedQuestion } from './parsed-question.ts';
import { citeGuideline, type FieldSpan, type QuestionRule, toChoiceSpan } from './rule.ts';
import { isPlainPhrase } from './wording.ts';

export const grammarRules: QuestionRule[] = [
  {
    name: 'grammar_clue',
    scope: 'question',
    severity: 'minor',
    englishOnly: true,
    problem: 'only one option agrees with the stem in number or tense',
    why: 'Grammar alone gives the answer away.',
    how: 'Give all options the number and tense that the stem requires.',
    source: citeGuideline(28, 'avoid clues to the right answer, such as grammatical inconsistencies'),
    find: findGrammarClue,
  },
];

type NumberOfNoun = 'singular' | 'plural';

/** The verb that the option is to agree with, where the option is its subject or complement. */
const ASKS_FOR_NOUN = [
  /^what (is|are|was|were) (?:an? |the |these |those )?[\p{Ll} -]{2,60}\?$/iu,
  /^(?:_{2,}|\.{3,}|…) (is|are|was|were|has|have)\b/iu,
  /\bwhich of (?:these|the following) (is|are|was|were) /iu,
  /\b(is|are|was|were) (?:_{2,}|\.{3,}|…)[.?]?$|\b(is|are|was|were)\s*:?$/iu,
];

function findGrammarClue(parsed: ParsedQuestion): FieldSpan[] {
  if (parsed.kind !== 'choice' || parsed.choices.length < 3) return [];
  const choices = parsed.choices.map((choice) => choice.trim());
  const odd =
    findOnlyAgreement(parsed.text.trim(), choices) ?? findOnlyInfinitive(parsed.text.trim(), choices);
  return odd === null ? [] : [toChoiceSpan(parsed, odd)];
}

function findOnlyAgreement(text: string, choices: readonly string[]): number | null {
  const match = ASKS_FOR_NOUN.map((pattern) => pattern.exec(text)).find((found) => found !== null);
  if (!match) return null;
  const verb = (match[1] ?? match[2])!.toLowerCase();
  const required: NumberOfNoun = /^(?:are|were|have)$/.test(verb) ? 'plural' : 'singular';
  const numbers = choices.map(getNumber);
  if (numbers.includes(null)) return null;
  const agreeing = numbers.flatMap((number, i) => (number === required ? [i] : []));
  return agreeing.length === 1 && numbers.length >= 3 ? agreeing[0]! : null;
}

/**
 * Null where the number is not certain: a noun without an article may be a mass noun, a name or a
 * plural that does not end in s.
 */
function getNumber(choice: string): NumberOfNoun | null {
  if (/\b(?:and|or|&)\b|,/.test(choice)) return null;
  if (
    /^an? (?:type|kind|sort|form|breed|species|group|pair|set|number|lot|couple|few|series|variety)\b/i.test(
      choice,
    )
  )
    return null;
  if (/^(?:an?|one) \p{Ll}/iu.test(choice)) return 'singular';
  if (/^(?:two|three|four|some|many|several|these) \p{Ll}/iu.test(choice)) return 'plural';
  const isCommonNoun = !/\s/.test(choice) || isPlainPhrase(choice);
  if (!isCommonNoun || /\b(?:of|in|for|with|to|from|that|which|who)\b/.test(choice)) return null;
  return /^(?!\p{L}*(?:ss|us|is|ics|series|species|news|mumps|measles|glasses|as|os)$)(?:\p{L}+ )?\p{Ll}*\p{Ll}{2}s$/u.test(
    choice[0]!.toLowerCase() + choice.slice(1),
  )
    ? 'plural'
    : null;
}

/** “The verb means to ___” with one infinitive among gerunds and participles. */
function findOnlyInfinitive(text: string, choices: readonly string[]): number | null {
  if (
    !/\bto(?:\s*(?:_{2,}|\.{3,}|…|:))?[.?]?$/i.test(text) ||
    !choices.every((choice) => /^\p{L}+(?: \p{Ll}+)*$/u.test(choice))
  )
    return null;
  const inflected = choices.map((choice) => /^\p{L}{2,}(?:ing|[^e]ed)\b/u.test(choice));
  const infinitives = inflected.flatMap((isInflected, i) => (isInflected ? [] : [i]));
  return infinitives.length === 1 && choices.length - 1 >= 2 ? infinitives[0]! : null;
}
