/** The table that this program writes: one row per question, the same columns in every file. */
import type { PortableQuestion } from '../format.ts';
import { guardCell, joinList } from './cells.ts';
import { MARKER } from './fields.ts';

/** Further incorrect answers are a list in one cell. */
const INCORRECT_COLUMNS = 5;

export const TABLE_HEADER: readonly string[] = [
  ...['external_id', 'category', 'difficulty', 'topic_focus', 'kind', 'question_text', 'correct_answer'],
  ...Array.from({ length: INCORRECT_COLUMNS }, (_, i) => `incorrect_answer_${i + 1}`),
  ...['more_incorrect_answers', 'accepted_answers', 'tolerance', 'relative_tolerance', 'unit'],
  ...[
    'explanation',
    'tags',
    'source',
    'text_format',
    'choices_order',
    'choices',
    'choose',
    'answer_matching',
  ],
  MARKER,
];

/** Cells that a spreadsheet would run as a formula are neutralised. */
export function toCells(question: PortableQuestion): string[] {
  const { correct_answer, incorrect_answers = [], numeric } = question;
  const number = (value: number | undefined) => (value === undefined ? '' : String(value));
  return [
    question.external_id ?? '',
    question.category ?? '',
    number(question.difficulty),
    question.topic_focus ?? '',
    findKind(question),
    question.question_text,
    Array.isArray(correct_answer) ? joinList(correct_answer) : correct_answer,
    ...Array.from({ length: INCORRECT_COLUMNS }, (_, i) => incorrect_answers[i] ?? ''),
    joinList(incorrect_answers.slice(INCORRECT_COLUMNS)),
    joinList(question.accepted_answers ?? []),
    number(numeric?.tolerance),
    number(numeric?.relative_tolerance),
    numeric?.unit ?? '',
    question.explanation ?? '',
    joinList(question.tags ?? []),
    question.source ?? '',
    question.text_format ?? '',
    question.choices_order ?? '',
    joinList(question.choices ?? []),
    number(question.choose),
    question.answer_matching ? JSON.stringify(question.answer_matching) : '',
    '',
  ].map(guardCell);
}

function findKind({ correct_answer, incorrect_answers, numeric }: PortableQuestion): string {
  if (numeric) return 'numeric';
  if (Array.isArray(correct_answer)) return 'multiple_response';
  return incorrect_answers && incorrect_answers.length > 0 ? 'multiple_choice' : 'short_answer';
}
