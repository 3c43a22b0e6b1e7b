/** A question between its fields and its row: what it looks like from outside is written once, when it is stored. */
import type { QuestionInput } from '../schemas/question.ts';
import type { Tx } from './db.ts';
import { mix } from './mix.ts';

/** Every field a person can set; what may be left out is null or empty. */
export interface QuestionFields {
  difficulty: number;
  topic_focus: string | null;
  question_text: string;
  correct_answer: string;
  incorrect_answers: string[];
  explanation: string | null;
  tags: string[];
  source: string | null;
  external_id: string | null;
}

export function fieldsOf(input: QuestionInput): QuestionFields {
  return {
    difficulty: input.difficulty,
    topic_focus: input.topic_focus ?? null,
    question_text: input.question_text,
    correct_answer: input.correct_answer,
    incorrect_answers: input.incorrect_answers ?? [],
    explanation: input.explanation ?? null,
    tags: input.tags ?? [],
    source: input.source ?? null,
    external_id: input.external_id ?? null,
  };
}

export type Action = 'created' | 'updated' | 'deleted' | 'restored';

export interface QuestionRow {
  seq: number;
  touch: number;
  id: string;
  category_id: number;
  external_id: string | null;
  revision: number;
  action: Action;
  created_at: number;
  updated_at: number;
  /** The question as answered, without its id and category: those are put before it. See `body`. */
  rest: string;
}

export interface CategoryOfRow {
  /** The category's name as JSON text. */
  category: string;
  category_version: number;
}

/**
 * A question's JSON is kept ready; only the category's name is put in when it is read, so that renaming a category does
 * not rewrite its questions.
 */
export const bodyOf = (row: { id: string; rest: string; category: string }) =>
  `{"id":"${row.id}","category":${row.category},${row.rest}`;

/** The same in SQL, of a question `q` and its category `c`. */
export const BODY = `'{"id":"' || q.id || '","category":' || c.name_json || ',' || q.rest`;

/** Strong: it changes with every change of the body, a renamed category included. */
export const etagOf = (row: { revision: number; category_version: number }) =>
  `"${row.revision}.${row.category_version}"`;

let lastTime = { at: Number.NaN, text: '' };

/** A batch has one moment, and writing it out takes longer than asking. */
export function time(at: number): string {
  if (lastTime.at !== at) lastTime = { at, text: new Date(at).toISOString() };
  return lastTime.text;
}

export function restOf(
  id: string,
  fields: QuestionFields,
  kept: { revision: number; created_at: number; updated_at: number },
): string {
  return JSON.stringify({
    ...fields,
    ...(fields.incorrect_answers.length > 0 && { choices: choicesOf(id, fields) }),
    revision: kept.revision,
    created_at: time(kept.created_at),
    updated_at: time(kept.updated_at),
  }).slice(1);
}

export function fieldsOfRow(row: { rest: string }): QuestionFields {
  const { choices, revision, created_at, updated_at, ...fields } = JSON.parse(`{${row.rest}`);
  return fields;
}

/**
 * Ordered by a hash of the question's id and the option alone: which one is correct has no part in it, so the order tells
 * nothing and stays when only the key changes.
 */
function choicesOf(id: string, fields: QuestionFields): string[] {
  return [fields.correct_answer, ...fields.incorrect_answers]
    .map((text) => ({ text, rank: mix(`${id} ${text}`) }))
    .sort((a, b) => a.rank - b.rank || (a.text < b.text ? -1 : 1))
    .map(({ text }) => text);
}

/**
 * The row, to be changed: nobody else changes it until the transaction ends. Its category is read afterwards: PostgreSQL
 * would compare a row that it had to wait for with the category from before the wait, and find no such pair.
 */
export async function lockRow(tx: Tx, id: string): Promise<(QuestionRow & CategoryOfRow) | undefined> {
  const row = await tx.get<QuestionRow>(`SELECT * FROM questions WHERE id = $1 ${tx.dialect.forUpdate}`, id);
  if (!row) return undefined;
  const category = await tx.get<CategoryOfRow>(
    'SELECT name_json AS category, name_version AS category_version FROM categories WHERE id = $1',
    row.category_id,
  );
  return { ...row, ...category! };
}
