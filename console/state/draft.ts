/** A question as the fields of the editor, and the merging of two versions of it. */
import type { Question } from './question.ts';

/** The fields as texts; several values are separated by lines. */
export interface Draft {
  question_text: string;
  correct_answer: string;
  incorrect_answers: string;
  category: string;
  difficulty: string;
  topic_focus: string;
  tags: string;
  explanation: string;
  source: string;
}
export type Field = keyof Draft;

export const EMPTY_DRAFT: Draft = {
  question_text: '',
  correct_answer: '',
  incorrect_answers: '',
  category: '',
  difficulty: '0',
  topic_focus: '',
  tags: '',
  explanation: '',
  source: '',
};
const FIELDS = Object.keys(EMPTY_DRAFT) as Field[];

export const toDraft = (question: Question): Draft => ({
  question_text: question.question_text,
  correct_answer: [question.correct_answer ?? ''].flat().join('\n'),
  incorrect_answers: (question.incorrect_answers ?? []).join('\n'),
  category: question.category,
  difficulty: String(question.difficulty),
  topic_focus: question.topic_focus ?? '',
  tags: question.tags.join('\n'),
  explanation: question.explanation ?? '',
  source: question.source ?? '',
});

const toLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

export function toInput(draft: Draft): Record<Field, unknown> {
  const correct = toLines(draft.correct_answer);
  return {
    question_text: draft.question_text.trim(),
    correct_answer: correct.length > 1 ? correct : (correct[0] ?? ''),
    incorrect_answers: toLines(draft.incorrect_answers),
    category: draft.category,
    difficulty: Number(draft.difficulty),
    topic_focus: draft.topic_focus.trim() || null,
    tags: toLines(draft.tags),
    explanation: draft.explanation.trim() || null,
    source: draft.source.trim() || null,
  };
}

/** The fields that a draft changes. */
export function toChange(draft: Draft, base: Draft): Partial<Record<Field, unknown>> {
  const input = toInput(draft);
  return Object.fromEntries(
    FIELDS.filter((field) => draft[field] !== base[field]).map((field) => [field, input[field]]),
  );
}

/**
 * Merges a draft with another version of the question, both made from `base`: a field that one side
 * has changed takes its value. Fields that both have changed differently keep the draft's value, and
 * are conflicts.
 */
export function mergeDrafts(base: Draft, theirs: Draft, mine: Draft): { merged: Draft; conflicts: Field[] } {
  const merged = { ...mine };
  const conflicts: Field[] = [];
  for (const field of FIELDS) {
    if (mine[field] === base[field]) merged[field] = theirs[field];
    else if (theirs[field] !== base[field] && theirs[field] !== mine[field]) conflicts.push(field);
  }
  return { merged, conflicts };
}
