/** A question between its fields and its row: what it looks like from outside is written once, when it is stored. */
import { hash } from 'node:crypto';
import type { QuestionInput } from '../../schemas/question.ts';
import type { Tx, Utf8 } from '../db.ts';
import { fnv1a } from '../hash.ts';

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
  created_slot: number;
  updated_slot: number;
  id: string;
  category_id: number;
  external_id: string | null;
  revision: number;
  action: Action;
  created_at: number;
  updated_at: number;
  /** What everybody may see, as JSON members; the id and the category are put before it. See `bodyOf`. */
  public_json: string;
  /** What tells the answer, or that it has changed, as JSON members. */
  answer_json: string;
}

export interface CategoryOfRow {
  /** The category's name as JSON text. */
  category: string;
  category_version: number;
}

/**
 * What a caller may see of a question: the whole of it, or its public_json alone, which tells nothing of the answer. The two parts
 * lie in columns of their own, so that what is not to be shown is not read in the first place.
 */
export type View = 'with_answers' | 'without_answers';

/** A question as it is stored, between a write and the caller's view of it. Plain data: it may come from a thread. */
export interface Stored extends CategoryOfRow {
  id: string;
  revision: number;
  public_json: string;
  answer_json: string;
}

/**
 * A question's JSON is kept ready; only the category's name is put in when it is read, so that renaming a category does
 * not rewrite its questions.
 */
export const bodyOf = (row: Pick<Stored, 'id' | 'category' | 'public_json' | 'answer_json'>, view: View) =>
  `{"id":"${row.id}","category":${row.category},${row.public_json}${view === 'with_answers' ? `,${row.answer_json}` : ''}}`;

/** The same in SQL, of a question `q` and its category `c`. */
export const BODY: Record<View, string> = {
  with_answers: `'{"id":"' || q.id || '","category":' || c.name_json || ',' || q.public_json || ',' || q.answer_json || '}'`,
  without_answers: `'{"id":"' || q.id || '","category":' || c.name_json || ',' || q.public_json || '}'`,
};

/** Strong: it changes with every change of the body, a renamed category included, and with nothing else. */
export const etagOf = (row: Stored, view: View) =>
  view === 'with_answers' ? etagWithAnswers(row) : etagWithoutAnswers(bodyOf(row, 'without_answers'));

export const etagWithAnswers = (row: { revision: number; category_version: number }) =>
  `"${row.revision}.${row.category_version}"`;

/** Of what is seen alone: a revision would tell that something else has changed. */
export const etagWithoutAnswers = (body: Utf8) => `"${hash('sha256', body, 'base64url').slice(0, 22)}"`;

let lastTime = { at: Number.NaN, text: '' };

/** A batch has one moment, and writing it out takes longer than asking. */
export function time(at: number): string {
  if (lastTime.at !== at) lastTime = { at, text: new Date(at).toISOString() };
  return lastTime.text;
}

interface Kept {
  revision: number;
  created_at: number;
  updated_at: number;
}

/** The two parts of a question. This is where it is decided what tells the answer. */
export function partsOf(
  id: string,
  fields: QuestionFields,
  kept: Kept,
): { public_json: string; answer_json: string } {
  const { correct_answer, incorrect_answers, explanation, ...open } = fields;
  const public_json = {
    ...open,
    ...(incorrect_answers.length > 0 && { choices: choicesOf(id, fields) }),
    created_at: time(kept.created_at),
  };
  const { revision } = kept;
  const answer_json = {
    correct_answer,
    incorrect_answers,
    explanation,
    revision,
    updated_at: time(kept.updated_at),
  };
  return { public_json: membersOf(public_json), answer_json: membersOf(answer_json) };
}

/** An object's JSON without its braces. */
const membersOf = (value: object) => JSON.stringify(value).slice(1, -1);

export function fieldsOfRow(row: { public_json: string; answer_json: string }): QuestionFields {
  const { choices, revision, created_at, updated_at, ...fields } = JSON.parse(
    `{${row.public_json},${row.answer_json}}`,
  );
  return fieldsOf(fields);
}

/**
 * Ordered by a hash of the question's id and the option alone: which one is correct has no part in it, so the order tells
 * nothing and stays when only the key changes.
 */
function choicesOf(id: string, fields: QuestionFields): string[] {
  return [fields.correct_answer, ...fields.incorrect_answers]
    .map((text) => ({ text, rank: fnv1a(`${id} ${text}`) }))
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
