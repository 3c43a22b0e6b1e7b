/**
 * Ranks questions that contain the words of a query. Done here rather than by the engines, so that
 * both rank alike. Reads only the beginning of a question, which has all that is scored.
 */
import type { Db } from '../db.ts';
import type { Order } from '../index/postings.ts';
import type { View } from '../view.ts';
import { type Members, parseMembers } from './members.ts';
import { SLOT_COLUMN } from './row.ts';
import { tokenize } from './words.ts';

const WEIGHTS = { question_text: 3, topic_focus: 4, tags: 4, correct_answer: 2, other: 1 };

/** Questions that one statement reads. */
const BATCH_SIZE = 50;

/**
 * Characters of the stored columns that are read. JSON takes at most two for a character of a text.
 * The public members begin with the kind, the topic (200), the text (10,000) and up to 50 tags (100
 * each); the answers with the correct one (2,000), followed by the others, of which
 * `MAX_SCORED_CHARS` count. Of several correct answers that are longer, only the first are scored.
 */
const PUBLIC_CHARS = 31_000;
const ANSWER_CHARS = 6_500;

/** Sorts the slots of questions by their score; the sort is stable. */
export async function rankByRelevance(
  db: Db,
  { view, order, q }: { view: View; order: Order; q: string },
  slots: number[],
): Promise<number[]> {
  const query = tokenize(q);
  const slot = SLOT_COLUMN[order];
  // Answers that the caller may not see do not influence the order.
  const answers = view === 'with_answers' ? `substr(q.answer_json, 1, ${ANSWER_CHARS})` : `''`;
  const scores = new Map<number, number>();
  for (let i = 0; i < slots.length; i += BATCH_SIZE) {
    const rows = await db.all<{ slot: number; visible: string; answers: string }>(
      `SELECT q.${slot} AS slot, substr(q.public_json, 1, ${PUBLIC_CHARS}) AS visible, ${answers} AS answers
       FROM questions q WHERE q.${slot} IN ${db.dialect.values('$1', 'bigint')}`,
      JSON.stringify(slots.slice(i, i + BATCH_SIZE)),
    );
    for (const { slot, visible, answers } of rows)
      scores.set(slot, score(parseMembers(visible), parseMembers(answers), query));
  }
  return slots.toSorted((a, b) => scores.get(b)! - scores.get(a)!);
}

/** Characters of a field that are scored; bounds the work for long questions. */
const MAX_SCORED_CHARS = 1000;

function score(visible: Members, answers: Members, query: string[]): number {
  const scoreMember = (members: Members, name: string) =>
    scoreField((members.get(name) ?? []).join(' '), query);
  const others = [...(answers.get('incorrect_answers') ?? []), ...(answers.get('explanation') ?? [])];
  return (
    WEIGHTS.question_text * scoreMember(visible, 'question_text') +
    WEIGHTS.topic_focus * scoreMember(visible, 'topic_focus') +
    WEIGHTS.tags * Math.max(0, ...(visible.get('tags') ?? []).map((tag) => scoreField(tag, query))) +
    WEIGHTS.correct_answer * scoreMember(answers, 'correct_answer') +
    WEIGHTS.other * scoreField(others.join(' '), query)
  );
}

/**
 * The share of the query's words in the text, higher for a short text and for words in the query's
 * order. The square root of the length keeps a long text with all words before a short text with
 * one of them.
 */
function scoreField(text: string, query: string[]): number {
  const words = tokenize(text.slice(0, MAX_SCORED_CHARS));
  if (words.length === 0) return 0;
  const known = new Set(words);
  const found = query.filter((word) => known.has(word));
  const start = words.indexOf(query[0]!);
  const inOrder = start >= 0 && query.every((word, i) => words[start + i] === word);
  return (
    (found.length / query.length) * (1 / Math.sqrt(words.length) + (inOrder && query.length > 1 ? 0.5 : 0))
  );
}
