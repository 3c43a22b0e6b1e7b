/** Rules about how the stem asks: the question mark, several questions, and stems that break off. */
import type { ParsedQuestion } from './parsed-question.ts';
import { citeGuideline, type FieldSpan, QUESTION_TEXT, type QuestionRule } from './rule.ts';
import { AUXILIARIES, BLANK, INTERROGATIVES, toWordSet } from './vocabulary.ts';

export const askingRules: QuestionRule[] = [
  {
    name: 'truncated',
    scope: 'question',
    severity: 'major',
    englishOnly: true,
    problem: 'the text breaks off',
    why: 'The question cannot be understood without the missing words.',
    how: 'Complete the sentence, or delete the question.',
    source: citeGuideline(11, 'edit and proof items'),
    find: findTruncated,
  },
  {
    name: 'several_questions',
    scope: 'question',
    severity: 'minor',
    englishOnly: true,
    problem: 'more than one question is asked',
    why: 'It is unclear which one to answer.',
    how: 'Keep one question, and move the other to its own item.',
    source: citeGuideline(1, 'every item should reflect a single specific mental behavior'),
    find: findSeveralQuestions,
  },
  {
    name: 'question_mark_missing',
    scope: 'question',
    severity: 'info',
    englishOnly: true,
    problem: 'the question mark is missing',
    why: 'The stem looks unfinished.',
    how: 'End the stem with a question mark.',
    source: citeGuideline(12, 'use correct grammar, punctuation, capitalization and spelling'),
    find: findMissingQuestionMark,
    fix: (text) => `${text.trimEnd().replace(/\s*[.,;]+$/, '')}?`,
  },
];

/** A word that needs another one after it, before the final mark. */
const UNFINISHED_END =
  /(?:(?<!\bword )\bthe|(?<!\b(?:word|letter|vitamin|grade|group|type|note|plus|with|as) )\ban?|\b(?:and|or|its|their|my|your|our|whose|because|very))\s*[?.]\s*$/;
/** Also without a final mark, where the stem begins as a question. */
const UNFINISHED_QUESTION =
  /^(?:what|who|which|where|when|how|in (?:what|which))\b.*\b(?:the|a|an|and|of the|in the|his|its|their|whose)\s*$/i;
const ONLY_FUNCTION_WORDS =
  /^(?:in |on |at |by |to )?(?:what|who|which|where|when|how|why)(?: (?:many|much|year|of|is|are|was|were|did|does|do|has|the|these|this|a|an))*\s*[?.]*\s*$/i;
/** “Who was?” needs no more in a dialogue, but “Why?” and “Which is it?” are whole questions. */
const WHOLE_QUESTION =
  /^(?:why|what|who|where|when|how|which|who (?:is|was) this|what (?:is|are|was) th(?:is|ese))\??$/i;
const ENDS_WITH_COMMA = /,\s*\??\s*$/;
const ABOUT_WORDS =
  /\b(?:words?|articles?|letters?|alphabet|translat\w+|spanish|french|german|italian|language|pronouns?|conjunctions?|vowels?|rhymes?|mean|means|notes?)\b/i;

function findTruncated(parsed: ParsedQuestion): FieldSpan[] {
  const { text, kind, unquotedWords: words } = parsed;
  const trimmed = text.trimEnd();
  if (BLANK.test(text) || /[*_]{1,2}\w/.test(text)) return [];
  const stops =
    (UNFINISHED_END.test(text) && !ABOUT_WORDS.test(text)) ||
    (UNFINISHED_QUESTION.test(trimmed) &&
      !CLUE_BEFORE.test(text) &&
      !/\b(?:called|as|is|was|be|are) an?$/i.test(trimmed)) ||
    (ONLY_FUNCTION_WORDS.test(trimmed) && !WHOLE_QUESTION.test(trimmed)) ||
    (ENDS_WITH_COMMA.test(text) && words.some(({ key }) => INTERROGATIVES.has(key)));
  if (stops) {
    const last = words.at(-1);
    return [{ field: QUESTION_TEXT, start: last?.start ?? 0, end: trimmed.length }];
  }
  if (kind !== 'choice' || /\b(?:complete|finish|lyrics?|fill|missing|continue|next)\b/i.test(text))
    return [];
  return parsed.choices.flatMap((choice, field) =>
    UNFINISHED_OPTION.test(choice)
      ? [{ field, start: choice.search(/\S+\s*$/), end: choice.trimEnd().length }]
      : [],
  );
}

const UNFINISHED_OPTION = /^\S+ \S.* (?:of the|in the|to the|and the|with the|and|and a|of an?)\s*$/;

const CLUE_BEFORE =
  /\b(?:lyrics?|lines?|quotes?|quotations?|quoted|song|sings?|sang|said|says|speech|asks?|asked|riddle|joke|poem|rhyme|dialogue|conversation|exchange|begins?|opens?|title|titled|question|questions)\b/i;
const RIDDLE = /\b(?:who|what|where|which [a-z]+) am i\b/i;
const REFERENCE = toWordSet('it its he his him she her they their them this that these those there');

/**
 * Two questions of the author's own: the second one refers back to the first, or is joined to it.
 * Lyrics and speech after a question are not asked.
 */
function findSeveralQuestions(parsed: ParsedQuestion): FieldSpan[] {
  const { text, unquoted, unquotedWords: words } = parsed;
  if (CLUE_BEFORE.test(unquoted) || RIDDLE.test(unquoted) || text.includes(':')) return [];
  const joined = JOINED_QUESTION.exec(unquoted);
  if (joined && !parsed.choices.some((choice) => ANSWERS_BOTH.test(choice))) {
    const start = joined.index + joined[0].indexOf(joined[1]!);
    return [{ field: QUESTION_TEXT, start, end: text.trimEnd().length }];
  }
  const questions: { start: number; end: number; refersBack: boolean }[] = [];
  let from = 0;
  let i = 0;
  for (let mark = unquoted.indexOf('?'); mark !== -1; mark = unquoted.indexOf('?', from)) {
    while (i < words.length && words[i]!.start < from) i++;
    const first = i;
    while (i < words.length && words[i]!.end <= mark) i++;
    const own = words.slice(first, i);
    from = mark + 1;
    if (own.length < 3 || !asksFromTheStart(own.map(({ key }) => key))) continue;
    const refersBack = /^(?:and|also)$/.test(own[0]!.key) || own.some(({ key }) => REFERENCE.has(key));
    questions.push({ start: own[0]!.start, end: mark + 1, refersBack });
  }
  const [first, second] = questions;
  if (!first || !second?.refersBack || parsed.choices.some((choice) => ANSWERS_BOTH.test(choice))) return [];
  return [{ field: QUESTION_TEXT, start: second.start, end: second.end }];
}

/** “Who wrote it, and when was it printed?” */
const JOINED_QUESTION =
  /^(?:who|what|when|where|which|how|in (?:which|what))\b[^?]*[a-z0-9),],? and (in (?:which|what) (?:year|city|country|film|movie) did|who (?:wrote|directed|sang|invented|was its|is its)|when (?:did|was|were|is) (?:it|he|she|they)|where (?:did|was|were|is|are) (?:it|he|she|they)|what (?:is|was|were|are) (?:its|his|her|their)|how (?:many|much|long|old|tall|far|high) (?:is|was|are|were|did) (?:it|he|she|they))\b[^?]*\?/i;
/** An option in two parts, such as “Tolstoy, 1869”. */
const ANSWERS_BOTH = /,|;|\/| and | & | - |\(/;

function asksFromTheStart(keys: readonly string[]): boolean {
  const [first, second] = keys[0] === 'and' || keys[0] === 'also' ? keys.slice(1) : keys;
  if (INTERROGATIVES.has(first!)) return true;
  return PREPOSITIONS.has(first!) && (second === 'which' || second === 'what' || second === 'whom');
}

const PREPOSITIONS = toWordSet('in at with from by to of on for under during');

/** Nouns and adjectives after “what” that make a question, unlike “What Katy did…”. */
const KINDS = toWordSet(
  'year city country state type kind sort color colour name number band actor actress singer movie film song album animal famous famed ' +
    'popular sport team river ocean island continent planet element metal fruit vegetable language currency month day century decade ' +
    'president king queen author writer artist painter composer director character book novel play show game company brand car instrument ' +
    'award prize nationality profession title word term phrase nickname letter part percentage shape size age breed bird fish tree flower plant ' +
    'food drink dish spice wine cheese organ bone disease vitamin gas unit war battle event holiday religion god goddess school university ' +
    'american british english french german first two three other former legendary popular substance material product color animal',
);
const PAST_VERBS = toWordSet(
  'wrote sang won played directed invented discovered painted composed starred hosted created said founded became killed recorded built ' +
    'designed led ruled produced developed succeeded replaced voiced portrayed scored married assassinated introduced released defeated ' +
    'stars plays wrote made gave took began holds held lives lived lost signed shot stole taught owns sings hosts voices',
);
/** Words after “what” in a clause: “What we call…”. */
const NO_NOUN_AFTER_WHAT = toWordSet(
  'we you they he she it i goes happens remains makes comes begins started a an the if to',
);
const MEASURES = toWordSet('many much long old far tall big high deep fast often large heavy wide hot cold');
const SUBJECTS = toWordSet('did do does is are was were can could will would has have had should may');

/** Whether words, from the start of a sentence, are in the order of a question. */
function isQuestionOrder(words: readonly { key: string; text: string }[]): boolean {
  const [first, second, third] = words.map(({ key }) => key);
  if (!first || !second) return false;
  // A capital in the second word belongs to a title: “Who Framed Roger Rabbit was directed by”.
  if (/^\p{Lu}/u.test(words[1]!.text) && INTERROGATIVES.has(first) && first !== 'which') {
    return (
      first === 'what' && /^\p{Ll}/u.test(words[2]?.text ?? '') && words.some(({ key }) => SUBJECTS.has(key))
    );
  }
  if (first === 'which' || first === 'whose') return second !== 'is' || third !== 'why';
  if (PREPOSITIONS.has(first)) return second === 'which' || second === 'what' || second === 'whose';
  if (first === 'what') {
    if (AUXILIARIES.has(second) || KINDS.has(second)) return true;
    return !NO_NOUN_AFTER_WHAT.has(second) && words.slice(2).some(({ key }) => SUBJECTS.has(key));
  }
  if (first === "what's" || first === "who's" || first === "where's") return true;
  if (first === 'who' || first === 'whom') return AUXILIARIES.has(second) || PAST_VERBS.has(second);
  if (first === 'where' || first === 'when' || first === 'why') return SUBJECTS.has(second);
  return first === 'how' && (MEASURES.has(second) || AUXILIARIES.has(second));
}

/** A question at the end of a statement: “The Louvre is in which city” */
const ASKS_AT_THE_END =
  /\b(?:is|are|was|were|did|called|named|means|by|in|of|for|from|as|to|on|with|at|after|into|under|against|between|about)(?: the)? (?:what(?: [\p{L}\p{N}'’-]+){0,5}|(?:which|whom|whose)(?: [\p{L}\p{N}'’-]+){0,3}|which of (?:the following|these)(?: [\p{L}\p{N}'’-]+){0,3})\s*\.?\s*$/u;
const AFTER_INTRODUCTION =
  /^(?:in|on|according to|during|at|for|of|from|to|before|after|besides|if|when)\b[^,?]{2,70},\s+((?:in |on |at |for |by |with |from )?(?:what|which|who|whose|where|how)\b.*)$/is;

const ASKS_AFTER_PLACE = /^(?:in|on|at|during|from)\b[^,?]{2,80} what (?:is|was|were|are|did|does|do)\b/i;

/** Only if the last sentence begins with an interrogative in the word order of a question. */
function findMissingQuestionMark(parsed: ParsedQuestion): FieldSpan[] {
  const { kind, text, unquoted, unquotedWords: words } = parsed;
  if (kind === 'true_false' || text.includes('?') || BLANK.test(text) || /[:!]\s*$/.test(text)) return [];
  if (words.length < 3 || findTruncated(parsed).length > 0) return [];
  if (/\b(?:complete|finish|lyrics?|fill in|riddle)\b/i.test(text)) return [];
  const sentences = unquoted
    .trimEnd()
    .split(/(?<=\p{Ll}{3}[.!])(?<!\b(?:Bros|Corp|Prof|Capt|vs|Inc|Mrs)\.)\s+(?=\p{Lu})/u);
  const last = sentences.at(-1)!;
  const introduced = AFTER_INTRODUCTION.exec(last)?.[1];
  const asks =
    isQuestionOrder(toWords(last)) ||
    ASKS_AFTER_PLACE.test(last) ||
    (introduced !== undefined && isQuestionOrder(toWords(introduced))) ||
    ASKS_AT_THE_END.test(last);
  if (!asks || (sentences.length > 1 && CLUE_BEFORE.test(text))) return [];
  return [{ field: QUESTION_TEXT, start: words.at(-1)!.start, end: text.trimEnd().length }];
}

const toWords = (sentence: string) =>
  (sentence.match(/[\p{L}\p{N}]+(?:['’]\p{L}+)?/gu) ?? [])
    .slice(0, 6)
    .map((text) => ({ text, key: text.toLowerCase().replace('’', "'") }));
