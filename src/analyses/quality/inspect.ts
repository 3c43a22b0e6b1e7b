/** Applies the rules to a question. */
import type { QuestionWithAnswers } from '../define.ts';
import { type Reading, read } from './parse.ts';
import { CORRECT_ANSWER, type Limits, type Place, QUESTION_TEXT, type Rule, type TextRule } from './rule.ts';

/** What a rule found in one field of a question. */
export interface Finding {
  rule: Rule;
  field: string;
  start: number;
  end: number;
  /** How often it was found in the field; the place is that of the first. */
  times: number;
  excerpt: string;
}

export function inspect(
  question: QuestionWithAnswers,
  rules: readonly Rule[],
  limits: Limits,
): { reading: Reading; findings: Finding[] } {
  const reading = read(question);
  const findings: Finding[] = [];
  for (const rule of rules) {
    if (rule.english && !reading.english) continue;
    const places = placesOf(rule, question, reading, limits);
    if (places.length > 0) findings.push(...byField(rule, places, question));
  }
  return { reading, findings };
}

function placesOf(rule: Rule, question: QuestionWithAnswers, reading: Reading, limits: Limits): Place[] {
  if (rule.looks_at === 'question') return rule.find(reading, limits);
  if (rule.looks_at === 'text') return placesInTexts(rule, question, reading);
  const answer = question.correct_answer;
  return rule.find(reading, { answer, index: question.choices.indexOf(answer) }, limits);
}

/** The answer is one of the choices; it is a text of its own only where there are none. */
function placesInTexts(rule: TextRule, question: QuestionWithAnswers, reading: Reading): Place[] {
  const places: Place[] = [];
  const look = (field: number) => {
    for (const span of rule.find(textOf(field, question), reading)) places.push({ ...span, field });
  };
  look(QUESTION_TEXT);
  for (let i = 0; i < question.choices.length; i++) look(i);
  if (question.choices.length === 0) look(CORRECT_ANSWER);
  return places;
}

function byField(rule: Rule, places: readonly Place[], question: QuestionWithAnswers): Finding[] {
  const findings = new Map<number, Finding>();
  for (const { field, start, end } of places) {
    const known = findings.get(field);
    if (known) known.times++;
    else {
      const excerpt = excerptOf(textOf(field, question), start, end);
      findings.set(field, { rule, field: nameOf(field), start, end, times: 1, excerpt });
    }
  }
  return [...findings.values()];
}

function textOf(field: number, question: QuestionWithAnswers): string {
  if (field === QUESTION_TEXT) return question.question_text;
  return field === CORRECT_ANSWER ? question.correct_answer : question.choices[field]!;
}

export const ANSWER_FIELD = 'correct_answer';

function nameOf(field: number): string {
  if (field === QUESTION_TEXT) return 'question_text';
  return field === CORRECT_ANSWER ? ANSWER_FIELD : `choices/${field}`;
}

/** How much is shown of what was found, and of what stands around it. */
const LONGEST = 80;
const AROUND = 20;

function excerptOf(text: string, start: number, end: number): string {
  const from = whole(text, Math.max(0, start - AROUND));
  const to = whole(text, Math.min(text.length, end + AROUND, start + LONGEST));
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}

/** A place that is not in the middle of a character of two code units. */
function whole(text: string, place: number): number {
  const code = text.charCodeAt(place);
  return code >= 0xdc00 && code <= 0xdfff && place > 0 ? place - 1 : place;
}
