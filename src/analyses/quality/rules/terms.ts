/** Rules about specific determiners and negations in options and true/false statements. */
import type { ParsedQuestion } from './parsed-question.ts';
import { citeGuideline, type FieldSpan, findSpans, QUESTION_TEXT, type QuestionRule } from './rule.ts';
import { ABOUT_SAYING, isPhrase } from './wording.ts';

const DETERMINERS = citeGuideline(28, 'avoid clues to the right answer, such as specific determiners');

const QUALIFIED = '(?<!\\b(?:[Aa]lmost|[Nn]early|not|hardly|virtually|practically|if|than|as|for|or)\\s)';
const ABSOLUTE = new RegExp(
  `${QUALIFIED}\\b(?:[Aa]lways|[Nn]ever|invariably|under no circumstances|without exception|in (?:all|every) cases?)\\b(?! (?:before|again|been|mind|ending|seen|to be)\\b)`,
  'g',
);
/** “Has never won” states a fact about the past, which is either so or not. */
const ABOUT_THE_PAST =
  /\b(?:ha[sd]|have) (?:\p{Ll}+ )?(?:never|always|been)\b|\b(?:had|was|were|did|would|could)\b|n['’]t\b|\b(?:always|never) (?:\p{Ll}+ly )?(?:\p{Ll}+(?<!e)ed|won|wore|went|came|gave|took|made|had|lost|met|saw|got|ate|wrote|sang|became|left|knew|said|told|held|kept|led|ran|sat|slept|spoke|swam|thought|fought|bought|brought|drove|drank|flew|grew|rode|rose|sold|sent|stood|taught)\b/u;
/** Statements about a person or character report a fact; about a kind of thing, a generalisation. */
const PERSONAL = /\b(?:he|she|his|her|i|you|we|me|my|us|our|let|him)\b/i;

const VAGUE_FREQUENCY = 'often|sometimes|frequently|seldom|rarely|occasionally|possibly|perhaps|maybe';
const MIGHT = 'might(?= (?:be|have|not|also|even|cause|lead|become|contain|occur|happen|help|look|need)\\b)';
const NAMING =
  '(?! (?:called|known|referred|considered|credited|described|regarded|said|associated|thought|believed|confused|mistaken|seen|used|cited|quoted|found|nicknamed|dubbed|spelled|abbreviated|named|depicted|portrayed|written|misquoted|attributed)\\b)';
const VAGUE_STATEMENT = new RegExp(`\\b(?:${VAGUE_FREQUENCY}|${MIGHT})\\b${NAMING}`, 'g');
const VAGUE_OPTION = new RegExp(
  `\\b(?:${VAGUE_FREQUENCY}|${MIGHT}|usually|generally|typically|probably)\\b${NAMING}`,
  'g',
);
const NEGATED =
  /^(?:\S+ ){0,3}\b(?:not|cannot|(?:is|are|was|were|do|does|did|has|have|had|ca|could|wo|would|should)n['’]t)\b/g;

export const termRules: QuestionRule[] = [
  {
    name: 'absolute_term',
    scope: 'question',
    severity: 'info',
    englishOnly: true,
    problem: 'one option, or a general statement, says “always”, “never” or the like',
    why: 'Absolute claims are rarely true, so test-wise respondents reject them.',
    how: 'Qualify the claim, or remove the word.',
    source: DETERMINERS,
    find: (parsed) => findTerms(parsed, { statement: ABSOLUTE, option: ABSOLUTE }, isGeneralClaim),
  },
  {
    name: 'vague_term',
    scope: 'question',
    severity: 'info',
    englishOnly: true,
    problem: 'one option, or a statement, says “often”, “sometimes” or the like',
    why: 'A vague frequency can hardly be wrong, so test-wise respondents take it as a sign of truth.',
    how: 'State the frequency, or remove the word.',
    source: DETERMINERS,
    find: (parsed) => findTerms(parsed, { statement: VAGUE_STATEMENT, option: VAGUE_OPTION }, () => true),
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
    find: findNegativeOptions,
  },
];

function isGeneralClaim(text: string): boolean {
  return !ABOUT_THE_PAST.test(text) && !PERSONAL.test(text) && !/\s\p{Lu}\p{Ll}/u.test(text);
}

/** A term that several options share distinguishes none of them. */
const MAX_OPTIONS_WITH_TERM = 1;

/** In true/false statements, and in an option that alone has such a term. */
function findTerms(
  parsed: ParsedQuestion,
  terms: { statement: RegExp; option: RegExp },
  applies: (text: string) => boolean,
): FieldSpan[] {
  if (parsed.kind === 'true_false') {
    const spans = findSpans(terms.statement, parsed.unquoted);
    if (spans.length === 0 || ABOUT_SAYING.test(parsed.text) || !applies(parsed.unquoted)) return [];
    return spans.map((span) => ({ ...span, field: QUESTION_TEXT }));
  }
  if (parsed.choices.length < 3 || ABOUT_SAYING.test(parsed.text)) return [];
  const found = parsed.choices.flatMap((choice, field) => {
    const spans = findSpans(terms.option, choice);
    return spans.length > 0 ? [{ ...spans[0]!, field }] : [];
  });
  if (found.length === 0 || found.length > MAX_OPTIONS_WITH_TERM) return [];
  const choice = parsed.choices[found[0]!.field]!;
  return isPhrase(choice) && applies(choice) ? found : [];
}

function findNegativeOptions(parsed: ParsedQuestion): FieldSpan[] {
  if (parsed.kind !== 'choice' || ABOUT_SAYING.test(parsed.text)) return [];
  return parsed.choices.flatMap((choice, field) => {
    const spans = findSpans(NEGATED, choice);
    return spans.length > 0 && isPhrase(choice) ? spans.map((span) => ({ ...span, field })) : [];
  });
}
