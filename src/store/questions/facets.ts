/** Facets, by which lists are filtered, and terms, by which the full-text index finds questions. */
import { hash } from 'node:crypto';
import { toNameKey } from '../../schemas/names.ts';
import { MISSING_FIELDS, type MissingField } from '../../schemas/question-filter.ts';
import { type Kind, listCorrect } from '../../schemas/question-kinds.ts';
import type { Status } from '../../schemas/status.ts';
import type { QuestionFields } from './fields.ts';
import { kindOf } from './kind.ts';
import { tokenize } from './words.ts';

/** Caches digests of names: 64 bits, in hexadecimal, for a name of any length and script. */
const digests = new Map<string, string>();
const MAX_CACHED_DIGESTS = 10_000;

function digest(name: string): string {
  const key = toNameKey(name);
  if (digests.size >= MAX_CACHED_DIGESTS) digests.clear();
  return digests.getOrInsertComputed(key, () => hash('sha256', key, 'hex').slice(0, 16));
}

export const facet = {
  all: 'all',
  category: (id: number) => `c${id}`,
  difficulty: (level: number) => `d${level}`,
  both: (category: number, difficulty: number) => `c${category}d${difficulty}`,
  topic: (name: string) => `t${digest(name)}`,
  tag: (name: string) => `g${digest(name)}`,
  source: (name: string) => `s${digest(name)}`,
  kind: (kind: Kind) => `k${kind}`,
  /** Questions without a field. */
  missing: (field: MissingField) => `m${field}`,
  /** Questions that are not approved; those are also in the facet of their status. See status.ts. */
  unapproved: 'u',
  status: (status: Status) => `q${status}`,
};

/** Facets that are filled in at the first start with a bank of an earlier release. */
export const isAddedLater = (name: string) => /^[kms]/.test(name);

/** Facets that are terms of the full-text index too. */
export const isTermFacet = (name: string) => /^[cdtgu]/.test(name);

export function listFacets(categoryId: number, fields: QuestionFields): string[] {
  const facets = [
    facet.all,
    facet.category(categoryId),
    facet.difficulty(fields.difficulty),
    facet.both(categoryId, fields.difficulty),
  ];
  if (fields.topic_focus !== null) facets.push(facet.topic(fields.topic_focus));
  for (const tag of fields.tags) facets.push(facet.tag(tag));
  if (fields.source !== null) facets.push(facet.source(fields.source));
  facets.push(facet.kind(kindOf(fields)));
  for (const field of MISSING_FIELDS) if (isMissing(fields, field)) facets.push(facet.missing(field));
  if (fields.status !== 'approved') facets.push(facet.unapproved, facet.status(fields.status));
  return facets;
}

const isMissing = (fields: QuestionFields, field: MissingField): boolean =>
  (field === 'options' ? fields.incorrect_answers.length : (fields[field]?.length ?? 0)) === 0;

/**
 * Terms of the full-text index carry a prefix: `w` for words that every caller may search, `a` for
 * words of answers, `f` for facets. The terms of a deleted question have a `z` before it. An updated question is indexed at both of its slots: `fx` marks
 * the one that is not its first, `fy` the one that is not its last, so that each order excludes the
 * other's slots.
 */
export const term = {
  word: (word: string) => `w${word}`,
  answer: (word: string) => `a${word}`,
  facet: (name: string) => `f${name}`,
  notFirst: 'fx',
  notLast: 'fy',
  deleted: (term: string) => `z${term}`,
  /** A term that no question has. */
  never: 'x',
};

const preparedWords = new WeakMap<QuestionFields, string>();

/** Computes the words of a question ahead of `buildTerms`: tokenizing is most of its work. */
export function prepareWords(fields: QuestionFields): void {
  if (!preparedWords.has(fields)) preparedWords.set(fields, buildWords(fields));
}

/** Takes over the prepared words of fields with the same texts. */
export function copyWords(from: QuestionFields, to: QuestionFields): void {
  const words = preparedWords.get(from);
  const haveSameTexts = () => JSON.stringify(listTexts(from)) === JSON.stringify(listTexts(to));
  if (words !== undefined && haveSameTexts()) preparedWords.set(to, words);
}

/** Builds the terms of a question, separated by spaces. */
export function buildTerms(facets: string[], fields: QuestionFields, mark = ''): string {
  let terms = mark;
  for (const name of facets) if (isTermFacet(name)) terms += ` ${term.facet(name)}`;
  return `${terms} ${preparedWords.get(fields) ?? buildWords(fields)}`.trim();
}

/** The index does not count terms: in a long text, most words repeat and are left out. */
const MIN_DEDUPLICATED_TERMS = 200;

/** The texts whose words are indexed: those that every caller may search, and those of answers. */
const listTexts = (fields: QuestionFields): { open: string[]; answers: string[] } => ({
  open: [fields.question_text, fields.topic_focus ?? '', ...fields.tags],
  answers: [
    ...listCorrect(fields.correct_answer),
    ...(fields.accepted_answers ?? []),
    ...fields.incorrect_answers,
    fields.explanation ?? '',
  ],
});

/** The terms of the words of a question. They may repeat. */
function buildWords(fields: QuestionFields): string {
  const terms: string[] = [];
  const { open, answers } = listTexts(fields);
  for (const text of open) for (const word of tokenize(text)) terms.push(term.word(word));
  for (const text of answers) for (const word of tokenize(text)) terms.push(term.answer(word));
  return (terms.length >= MIN_DEDUPLICATED_TERMS ? [...new Set(terms)] : terms).join(' ');
}
