/** Bulk changes and merges. Each sequence waits for the end of its change. */
import { sample } from '../../support/engines.ts';
import type { Random } from '../../support/random.ts';
import { pickCategory, pickQuestion, pickUnansweredQuestion } from './bank.ts';
import type { Request, WeightedGenerators } from './side.ts';

const CHANGE: Request = { method: 'GET', url: '/changes/{change:-1}', untilEnded: true };
const UNDO: Request = { method: 'POST', url: '/changes/{change:-1}/undo' };

/** The change, sometimes undone, and the undo sometimes undone. */
const follow = (random: Random, request: Request): Request[] => [
  request,
  CHANGE,
  ...(random.maybe(0.5) ? [UNDO, CHANGE] : []),
  ...(random.maybe(0.3) ? [UNDO, CHANGE] : []),
];

const pickMany = (random: Random, pick: (random: Random) => string) =>
  Array.from({ length: 1 + random.below(5) }, () => pick(random));

function changeQuestions(random: Random): Request[] {
  const body = random.pick<object>([
    { question_ids: pickMany(random, pickQuestion), change: { difficulty: random.below(4) } },
    { question_ids: pickMany(random, pickQuestion), change: { add_tags: ['bulk', 'A'], remove_tags: ['b'] } },
    { question_ids: pickMany(random, pickQuestion), change: { correct_answer: 'Mars', explanation: null } },
    { question_ids: pickMany(random, pickQuestion), change: { category: random.pick(['science', 'Art']) } },
    { question_ids: pickMany(random, pickUnansweredQuestion), delete: true },
    { filter: { tag: ['bulk'] }, change: { source: random.pick(['A book', null]) } },
    { filter: { tag: ['bulk'] }, change: { topic_focus: 'Bulk' }, expected: random.below(3) },
    { finding: { analysis_id: '{analysis:-1}' }, change: { source: 'x' }, dry_run: true },
    { filter: {}, change: { tags: ['a', 'a'], external_id: 'x' } },
  ]);
  const dry_run = random.maybe(0.2);
  const request: Request = {
    method: 'POST',
    url: '/questions/bulk',
    body: dry_run ? { ...body, dry_run } : body,
    as: random.pick(['admin', 'admin', 'author', 'writer']),
  };
  return follow(random, request);
}

const mergeQuestions = (random: Random): Request[] =>
  follow(random, {
    method: 'POST',
    url: `/questions/${pickUnansweredQuestion(random)}/merge`,
    body: { question_ids: pickMany(random, pickUnansweredQuestion) },
  });

/** Two questions of the same kind. */
const mergeTwins = (random: Random): Request[] => [
  { method: 'POST', url: '/questions', body: sample({ question_text: 'A twin?', tags: ['one'] }) },
  { method: 'POST', url: '/questions', body: sample({ question_text: 'A twin?', tags: ['two'] }) },
  ...follow(random, {
    method: 'POST',
    url: '/questions/{question:-1}/merge',
    body: { question_ids: ['{question:-2}'] },
  }),
];

const mergeCategories = (random: Random): Request[] => [
  { method: 'POST', url: '/categories', body: { name: `Twin ${random.below(1_000_000)}` } },
  ...follow(random, {
    method: 'POST',
    url: `/categories/${pickCategory(random)}/merge`,
    body: { category_ids: ['{category:-1}'] },
  }),
];

export const CHANGES: WeightedGenerators = [
  [2, changeQuestions],
  [0.7, mergeQuestions],
  [0.3, mergeTwins],
  [0.5, mergeCategories],
  [0.3, () => ({ method: 'POST', url: '/changes/{change:-1}/cancel' })],
  [0.5, () => ({ method: 'GET', url: '/changes?limit=5' })],
];
