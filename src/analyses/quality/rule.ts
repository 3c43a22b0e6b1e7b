/**
 * What a rule about the writing of a question is. There are three kinds, by what they are given to look at,
 * so that a rule which must not know the right option cannot: it is not handed to it.
 */
import type { Reading } from './parse.ts';

export const SEVERITIES = ['info', 'minor', 'major'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Where something stands in a text, in UTF-16 code units. */
export interface Span {
  start: number;
  end: number;
}

/** Fields by number: a choice by its place among the choices, the others below zero. */
export const QUESTION_TEXT = -1;
export const CORRECT_ANSWER = -2;

export interface Place extends Span {
  field: number;
}

/** Which option is right, for the rules that have to know. */
export interface Key {
  answer: string;
  /** Its place among the choices; -1 where there are none. */
  index: number;
}

/** What the caller may set. */
export interface Limits {
  length_ratio: number;
  length_difference: number;
  clue_word_length: number;
}

interface Described {
  /** For programs, and for whoever chooses which rules to run. */
  name: string;
  severity: Severity;
  /** Whether it is about English wording; it is then left out where the question is not in English. */
  english: boolean;
  /** What was found, as part of a sentence. */
  what: string;
  why: string;
  how: string;
  /** Where the rule comes from. */
  source: string;
}

/** Looks at one text at a time: the question, each choice, and the answer where there are no choices. */
export interface TextRule extends Described {
  looks_at: 'text';
  find(text: string, reading: Reading): Span[];
}

/** Looks at the question and its choices, without knowing which is right. */
export interface QuestionRule extends Described {
  looks_at: 'question';
  find(reading: Reading, limits: Limits): Place[];
}

/** Looks at the question knowing the answer. */
export interface AnswerRule extends Described {
  looks_at: 'answer';
  find(reading: Reading, key: Key, limits: Limits): Place[];
}

export type Rule = TextRule | QuestionRule | AnswerRule;

/** Haladyna, Downing and Rodriguez (2002), by the number of the guideline in their list of 31. */
export const guideline = (number: number, words: string) =>
  `Haladyna, Downing & Rodriguez (2002), guideline ${number}: ${words}`;

/** All places of a pattern (with the flag g) in a text. */
export function spansOf(pattern: RegExp, text: string): Span[] {
  const spans: Span[] = [];
  // matchAll would make a copy of the pattern, which takes longer than looking through a short text.
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    spans.push({ start: match.index, end: pattern.lastIndex });
  }
  return spans;
}

export const wholeChoice = (reading: Reading, field: number): Place => ({
  field,
  start: 0,
  end: reading.choices[field]!.length,
});
