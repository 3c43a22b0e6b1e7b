/** Ranks questions that all contain the words of a query: the same on every engine because it is done here. */
import { wordsOf } from './words.ts';

const WEIGHTS = { question_text: 3, topic_focus: 4, tags: 4, correct_answer: 2, other: 1 };

/** Best first; equals stay in the order they came in. Items are questions as JSON texts. */
export function rankByRelevance(items: string[], query: string[]): string[] {
  return items
    .map((item) => ({ item, score: score(JSON.parse(item), query) }))
    .sort((a, b) => b.score - a.score)
    .map(({ item }) => item);
}

/** A question in the caller's view: what they do not see has no part in the order. */
interface Searched {
  question_text: string;
  topic_focus: string | null;
  tags: string[];
  correct_answer?: string;
  incorrect_answers?: string[];
  explanation?: string | null;
}

/** Enough of a text to tell what it is about. It bounds the work: a thousand questions may be long ones. */
const READ = 1000;

function score(question: Searched, query: string[]): number {
  return (
    WEIGHTS.question_text * share(question.question_text, query) +
    WEIGHTS.topic_focus * share(question.topic_focus ?? '', query) +
    WEIGHTS.tags * Math.max(0, ...question.tags.map((tag) => share(tag, query))) +
    WEIGHTS.correct_answer * share(question.correct_answer ?? '', query) +
    WEIGHTS.other *
      share([...(question.incorrect_answers ?? []), question.explanation ?? ''].join(' '), query)
  );
}

/**
 * How much of the query the text holds, more so if it holds little else and the words stand in the query's order. The
 * square root keeps a long question that is about the words before a short one that merely names one of them.
 */
function share(text: string, query: string[]): number {
  const words = wordsOf(text.slice(0, READ));
  if (words.length === 0) return 0;
  const known = new Set(words);
  const found = query.filter((word) => known.has(word));
  const start = words.indexOf(query[0]!);
  const inOrder = start >= 0 && query.every((word, i) => words[start + i] === word);
  return (
    (found.length / query.length) * (1 / Math.sqrt(words.length) + (inOrder && query.length > 1 ? 0.5 : 0))
  );
}
