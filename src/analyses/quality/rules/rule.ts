/**
 * Item-writing rules. The scope of a rule decides what it receives: only rules of scope `answer`
 * receive the key, so all other findings may be shown to clients that may not see answers.
 */
import { FINDING_SEVERITIES, type FindingSeverity } from '../../define.ts';
import type { ParsedQuestion } from './parsed-question.ts';

export const SEVERITIES = FINDING_SEVERITIES;
export type Severity = FindingSeverity;

/** In UTF-16 code units; the end is exclusive. */
export interface Span {
  start: number;
  end: number;
}

/** Field numbers: choices have their index, other fields are negative. */
export const QUESTION_TEXT = -1;
export const CORRECT_ANSWER = -2;

export interface FieldSpan extends Span {
  field: number;
}

export interface AnswerKey {
  answer: string;
  /** Index among the choices; -1 if there are none. */
  index: number;
  /** The indices of all correct answers. */
  indices: readonly number[];
}

/** Parameters of the analysis that rules depend on. */
export interface Thresholds {
  min_length_ratio: number;
  min_length_difference: number;
  min_clue_word_length: number;
}

interface RuleBase {
  name: string;
  severity: Severity;
  /** Whether it is about English wording, and so is not applied to other languages. */
  englishOnly: boolean;
  /** The problem as a clause, without a capital or full stop. */
  problem: string;
  /** Why it matters, in a sentence. */
  why: string;
  /** How to fix it, in a sentence. */
  how: string;
  /** The guideline that the rule implements. */
  source: string;
}

/**
 * Corrects the text of a field with a finding. Only rules with one safe remedy have it. Returns the
 * text unchanged if this occurrence has no such remedy.
 */
type Fix = (text: string, parsed: ParsedQuestion) => string;

/** Applied to each text: the question, each choice, and the answer if there are no choices. */
export interface TextRule extends RuleBase {
  scope: 'text';
  find(text: string, parsed: ParsedQuestion): Span[];
  fix?: Fix;
}

/** Applied to the question and its choices, without the key. */
export interface QuestionRule extends RuleBase {
  scope: 'question';
  find(parsed: ParsedQuestion, thresholds: Thresholds): FieldSpan[];
  fix?: Fix;
}

/** Applied to the question with its key. */
export interface AnswerRule extends RuleBase {
  scope: 'answer';
  find(parsed: ParsedQuestion, key: AnswerKey, thresholds: Thresholds): FieldSpan[];
}

export type Rule = TextRule | QuestionRule | AnswerRule;

/** Haladyna, Downing & Rodriguez (2002), Applied Measurement in Education 15(3), 309–334. */
export const citeGuideline = (number: number, words: string) =>
  `Haladyna, Downing & Rodriguez (2002), guideline ${number}: ${words}`;

/** All matches of a pattern, which must have the flag g. */
export function findSpans(pattern: RegExp, text: string): Span[] {
  const spans: Span[] = [];
  // matchAll copies the pattern, which takes longer than scanning a short text.
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    spans.push({ start: match.index, end: pattern.lastIndex });
  }
  return spans;
}

export const toChoiceSpan = (parsed: ParsedQuestion, field: number): FieldSpan => ({
  field,
  start: 0,
  end: parsed.choices[field]!.length,
});

export function findChoices(parsed: ParsedQuestion, matches: (choice: string) => boolean): FieldSpan[] {
  return parsed.choices.flatMap((choice, i) => (matches(choice) ? [toChoiceSpan(parsed, i)] : []));
}
