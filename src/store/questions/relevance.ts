/**
 * Ranks questions that contain the words of a query. Done here rather than by the engines, so that
 * both rank alike.
 */
import { tokenize } from './words.ts';

const WEIGHTS = { question_text: 3, topic_focus: 4, tags: 4, correct_answer: 2, other: 1 };

/** Sorts questions, as JSON texts, by their score; the sort is stable. */
export function rankByRelevance(items: string[], query: string[]): string[] {
  return items
    .map((item) => ({ item, score: score(JSON.parse(item), query) }))
    .sort((a, b) => b.score - a.score)
    .map(({ item }) => item);
}

/** A question in the caller's view: answers that they may not see do not influence the order. */
interface Searched {
  question_text: string;
  topic_focus: string | null;
  tags: string[];
  correct_answer?: string;
  incorrect_answers?: string[];
  explanation?: string | null;
}

/** Characters of a field that are scored; bounds the work for long questions. */
const MAX_SCORED_CHARS = 1000;

function score(question: Searched, query: string[]): number {
  return (
    WEIGHTS.question_text * scoreField(question.question_text, query) +
    WEIGHTS.topic_focus * scoreField(question.topic_focus ?? '', query) +
    WEIGHTS.tags * Math.max(0, ...question.tags.map((tag) => scoreField(tag, query))) +
    WEIGHTS.correct_answer * scoreField(question.correct_answer ?? '', query) +
    WEIGHTS.other *
      scoreField([...(question.incorrect_answers ?? []), question.explanation ?? ''].join(' '), query)
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
