/** Applies the rules to a question. */
import { listCorrect } from '../../schemas/question-kinds.ts';
import type { QuestionWithAnswers } from '../define.ts';
import { type ParsedQuestion, parseQuestion } from './rules/parsed-question.ts';
import {
  CORRECT_ANSWER,
  type FieldSpan,
  QUESTION_TEXT,
  type Rule,
  type TextRule,
  type Thresholds,
} from './rules/rule.ts';
import type { Change } from './schemas.ts';

/** All occurrences of a problem in one field of a question. The span is that of the first. */
export interface Finding {
  rule: Rule;
  field: string;
  start: number;
  end: number;
  occurrences: number;
  excerpt: string;
  /** Null without a safe remedy. */
  change: Change | null;
}

export function inspectQuestion(
  question: QuestionWithAnswers,
  rules: readonly Rule[],
  thresholds: Thresholds,
): { parsed: ParsedQuestion; findings: Finding[] } {
  const parsed = parseQuestion(question);
  const findings: Finding[] = [];
  for (const rule of rules) {
    if (rule.englishOnly && !parsed.isEnglish) continue;
    const spans = applyRule(rule, question, parsed, thresholds);
    if (spans.length > 0) findings.push(...groupByField(rule, spans, question, parsed));
  }
  return { parsed, findings };
}

function applyRule(
  rule: Rule,
  question: QuestionWithAnswers,
  parsed: ParsedQuestion,
  thresholds: Thresholds,
): FieldSpan[] {
  if (rule.scope === 'question') return rule.find(parsed, thresholds);
  if (rule.scope === 'text') return applyTextRule(rule, question, parsed);
  const answers = listCorrect(question.correct_answer);
  const indices = answers.map((answer) => question.choices.indexOf(answer));
  const spans = answers.flatMap((answer, i) =>
    rule.find(parsed, { answer, index: indices[i]!, indices }, thresholds),
  );
  // Two correct answers can be found at the same place.
  return [...new Map(spans.map((span) => [JSON.stringify(span), span])).values()];
}

/** The answer is one of the choices; it is a text of its own only if there are none. */
function applyTextRule(rule: TextRule, question: QuestionWithAnswers, parsed: ParsedQuestion): FieldSpan[] {
  const spans: FieldSpan[] = [];
  const apply = (field: number) => {
    for (const span of rule.find(getText(field, question), parsed)) spans.push({ ...span, field });
  };
  apply(QUESTION_TEXT);
  for (let i = 0; i < question.choices.length; i++) apply(i);
  if (question.choices.length === 0) apply(CORRECT_ANSWER);
  return spans;
}

function groupByField(
  rule: Rule,
  spans: readonly FieldSpan[],
  question: QuestionWithAnswers,
  parsed: ParsedQuestion,
): Finding[] {
  const findings = new Map<number, Finding>();
  for (const { field, start, end } of spans) {
    const existing = findings.get(field);
    if (existing) existing.occurrences++;
    else {
      const text = getText(field, question);
      const excerpt = buildExcerpt(text, start, end);
      const corrected = correctText(rule, text, parsed);
      const change = corrected === null ? null : buildChange(question, field, text, corrected);
      findings.set(field, { rule, field: formatField(field), start, end, occurrences: 1, excerpt, change });
    }
  }
  return [...findings.values()];
}

/** Null without a safe remedy, or if the correction would make two options equal. */
function correctText(rule: Rule, text: string, parsed: ParsedQuestion): string | null {
  if (rule.scope === 'answer' || !rule.fix) return null;
  const corrected = rule.fix(text, parsed);
  return corrected === text || corrected.trim() === '' || parsed.choices.includes(corrected)
    ? null
    : corrected;
}

/** Null for a text that had markup: the correction would remove it. */
function buildChange(
  question: QuestionWithAnswers,
  field: number,
  before: string,
  after: string,
): Change | null {
  const { revision, correct_answer, incorrect_answers, had_markup, choices_given } = question;
  if (had_markup) return null;
  const change = { before, after, revision };
  if (field === QUESTION_TEXT) return { ...change, body: { question_text: after } };
  const correct = (text: string) => (text === before ? after : text);
  const choices = choices_given && { choices: question.choices.map(correct) };
  if (field === CORRECT_ANSWER || listCorrect(correct_answer).includes(before)) {
    const corrected = Array.isArray(correct_answer) ? correct_answer.map(correct) : after;
    return { ...change, body: { correct_answer: corrected, ...choices } };
  }
  return { ...change, body: { incorrect_answers: incorrect_answers.map(correct), ...choices } };
}

function getText(field: number, question: QuestionWithAnswers): string {
  if (field === QUESTION_TEXT) return question.question_text;
  return field === CORRECT_ANSWER ? listCorrect(question.correct_answer)[0]! : question.choices[field]!;
}

export const ANSWER_FIELD = 'correct_answer';
export const QUESTION_FIELD = 'question_text';

function formatField(field: number): string {
  if (field === QUESTION_TEXT) return QUESTION_FIELD;
  return field === CORRECT_ANSWER ? ANSWER_FIELD : `choices/${field}`;
}

const MAX_EXCERPT_CHARS = 80;
const EXCERPT_CONTEXT_CHARS = 20;

function buildExcerpt(text: string, start: number, end: number): string {
  const from = alignToCharacter(text, Math.max(0, start - EXCERPT_CONTEXT_CHARS));
  const to = alignToCharacter(
    text,
    Math.min(text.length, end + EXCERPT_CONTEXT_CHARS, start + MAX_EXCERPT_CHARS),
  );
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}

/** Moves an index that splits a surrogate pair before the pair. */
function alignToCharacter(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff && index > 0 ? index - 1 : index;
}
