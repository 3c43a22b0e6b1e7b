/** What a question can be found by: the facets it stands in, and the terms that search knows it under. */
import { hash } from 'node:crypto';
import type { QuestionFields } from './question-row.ts';
import { wordsOf } from './words.ts';

/** Names are compared without regard to case. */
export const nameKey = (name: string) => name.normalize('NFC').toLowerCase();

/** Sixteen hexadecimal digits stand for a name of any length and script. */
const digest = (name: string) => hash('sha256', nameKey(name), 'hex').slice(0, 16);

export const facet = {
  all: 'all',
  /** Questions that were updated since they were created; kept in the order of updates only. */
  moved: 'moved',
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

export function termsOf(facets: string[], fields: QuestionFields, mark?: string): string {
  const terms = new Set<string>();
  for (const text of [fields.question_text, fields.topic_focus ?? '', ...fields.tags]) {
    for (const word of wordsOf(text)) terms.add(term.word(word));
  }
  for (const text of [fields.correct_answer, ...fields.incorrect_answers, fields.explanation ?? '']) {
    for (const word of wordsOf(text)) terms.add(term.answer(word));
  }
  for (const name of facets) if (name !== facet.all) terms.add(term.facet(name));
  if (mark) terms.add(mark);
  return [...terms].join(' ');
}
