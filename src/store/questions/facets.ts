/** What a question can be found by: the facets it stands in, and the terms that search knows it under. */
import { hash } from 'node:crypto';
import type { QuestionFields } from './row.ts';
import { wordsOf } from './words.ts';

/** Names are compared without regard to case. */
export const nameKey = (name: string) => name.normalize('NFC').toLowerCase();

/** Sixteen hexadecimal digits stand for a name of any length and script. Most names come again and again. */
const digests = new Map<string, string>();
const MOST_DIGESTS = 10_000;

function digest(name: string): string {
  const key = nameKey(name);
  if (digests.size >= MOST_DIGESTS) digests.clear();
  return digests.getOrInsertComputed(key, () => hash('sha256', key, 'hex').slice(0, 16));
}

export const facet = {
  all: 'all',
  category: (id: number) => `c${id}`,
  difficulty: (level: number) => `d${level}`,
  both: (category: number, difficulty: number) => `c${category}d${difficulty}`,
  topic: (name: string) => `t${digest(name)}`,
  tag: (name: string) => `g${digest(name)}`,
};

export function facetsOf(categoryId: number, fields: QuestionFields): string[] {
  const facets = [
    facet.all,
    facet.category(categoryId),
    facet.difficulty(fields.difficulty),
    facet.both(categoryId, fields.difficulty),
  ];
  if (fields.topic_focus !== null) facets.push(facet.topic(fields.topic_focus));
  for (const tag of fields.tags) facets.push(facet.tag(tag));
  return facets;
}

/**
 * Search terms are words behind a letter that says what they are: w for what everybody may search, a for the answers,
 * f for a facet. A question that was updated is indexed at both its slots: `fx` marks the one that is not its first,
 * `fy` the one that is not its last, so that either order leaves the other's out.
 */
export const term = {
  word: (word: string) => `w${word}`,
  answer: (word: string) => `a${word}`,
  facet: (name: string) => `f${name}`,
  notFirst: 'fx',
  notLast: 'fy',
};

/** The terms, separated by spaces. One that occurs twice stands twice: the index minds as little as the reader. */
export function termsOf(facets: string[], fields: QuestionFields, mark = ''): string {
  let terms = mark;
  const add = (kind: (word: string) => string, text: string | null) => {
    if (text) for (const word of wordsOf(text)) terms += ` ${kind(word)}`;
  };
  add(term.word, fields.question_text);
  add(term.word, fields.topic_focus);
  for (const tag of fields.tags) add(term.word, tag);
  add(term.answer, fields.correct_answer);
  for (const answer of fields.incorrect_answers) add(term.answer, answer);
  add(term.answer, fields.explanation);
  for (const name of facets) if (name !== facet.all) terms += ` ${term.facet(name)}`;
  return terms.trimStart();
}
