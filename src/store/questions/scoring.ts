/**
 * Scores answers. Case, white space, the Unicode form, and the kind of quotation marks and dashes
 * are ignored; numbers are compared by value. See docs/answers.md.
 */
import { type AnswerMatching, kindOf, listCorrect, type Numeric } from '../../schemas/question-kinds.ts';
import { fold, foldFurther } from '../../text/folding.ts';
import { buildNumericMatcher, parseNumber } from '../../text/quantity.ts';

/** What answers are compared with. */
export interface Key {
  correct_answer: string | string[];
  incorrect_answers: string[];
  numeric?: Numeric | undefined;
  accepted_answers?: string[] | undefined;
  answer_matching?: AnswerMatching | undefined;
}

/** A text, or the options that were chosen. */
export type GivenAnswer = string | readonly string[];

export interface Score {
  correct: boolean;
  /** The indices into `listOptions` of the options that were chosen, ascending. */
  chosen: number[];
}

/** The forms in which a text is compared. A text that has no such form gives undefined. */
type NormalForm = (text: string) => string | undefined;

const toExactForm: NormalForm = (text) => text.normalize('NFC').trim();

/** Normal forms of an option, the most exact first. */
const NORMAL_FORMS: NormalForm[] = [toExactForm, (text) => fold(text), parseNumber];

/** Normal forms of the answer to a question without options. */
const listNormalForms = (matching: AnswerMatching): NormalForm[] => [
  toExactForm,
  (text) => fold(text, matching),
  (text) => foldFurther(text, matching),
  parseNumber,
];

/**
 * Builds a function that finds the indices of the texts an answer matches, by the most exact normal
 * form that matches any. So `Ca` and `CA` can be two options.
 */
function buildMatcher(texts: readonly string[], forms: NormalForm[]): (answer: string) => number[] {
  const matchers = forms.map((normalize) => {
    let normalized: (string | undefined)[] | undefined;
    return (answer: string): number[] => {
      const given = normalize(answer);
      if (given === undefined) return [];
      normalized ??= texts.map(normalize);
      return normalized.flatMap((text, index) => (text === given ? [index] : []));
    };
  });
  return (answer) => {
    for (const match of matchers) {
      const indices = match(answer);
      if (indices.length > 0) return indices;
    }
    return [];
  };
}

/** The options, the correct ones first. */
export const listOptions = ({ correct_answer, incorrect_answers }: Key) => [
  ...listCorrect(correct_answer),
  ...incorrect_answers,
];

/** Builds the function that scores the answers to a question. */
export function buildScorer(key: Key): (answer: GivenAnswer) => Score {
  const kind = kindOf(key);
  if (kind === 'multiple_choice' || kind === 'multiple_response') return buildOptionScorer(key);
  const [correct] = listCorrect(key.correct_answer) as [string];
  const forms = listNormalForms(key.answer_matching ?? {});
  const match = kind === 'short_answer' && buildMatcher([correct, ...(key.accepted_answers ?? [])], forms);
  const isRight = match
    ? (answer: string) => match(answer).length > 0
    : buildNumericMatcher(correct, key.numeric ?? {});
  return (answer) => {
    const texts = new Set(typeof answer === 'string' ? [answer] : answer);
    return { correct: texts.size === 1 && isRight([...texts][0]!), chosen: [] };
  };
}

/**
 * An answer is correct if it chooses all correct options and no others. A text that matches several
 * options chooses none of them.
 */
function buildOptionScorer(key: Key): (answer: GivenAnswer) => Score {
  const correctCount = listCorrect(key.correct_answer).length;
  const match = buildMatcher(listOptions(key), NORMAL_FORMS);
  return (answer) => {
    const matches = (typeof answer === 'string' ? [answer] : answer).map(match);
    const chosen = new Set(matches.flatMap((indices) => (indices.length === 1 ? indices : [])));
    const isClear = matches.every((indices) => indices.length === 1);
    const correct = isClear && chosen.size === correctCount && [...chosen].every((i) => i < correctCount);
    return { correct, chosen: [...chosen].sort((a, b) => a - b) };
  };
}

export const isCorrect = (key: Key, answer: GivenAnswer): boolean => buildScorer(key)(answer).correct;
