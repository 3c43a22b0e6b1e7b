/** Requests about the status of questions, reviews, comments and reports. */
import type { Random } from '../../support/random.ts';
import { pickQuestion, pickUnansweredQuestion, randomQuery } from './bank.ts';
import type { Request, WeightedGenerators } from './side.ts';

const REASONS = ['wrong_answer', 'several_right', 'unclear', 'other', 'nope'];

const reportQuestion = (random: Random): Request => ({
  method: 'POST',
  url: `/questions/${pickQuestion(random)}/reports`,
  as: random.pick(['admin', 'player', 'player', 'reader']),
  body: {
    reason: random.pick(REASONS),
    ...(random.maybe(0.6) && { respondent: `r-${random.below(4)}` }),
    ...(random.maybe(0.4) && { comment: random.pick(['😀 é', 'x'.repeat(1001), '', null]) }),
    ...(random.maybe(0.4) && { answer: random.pick<unknown>(['Mars', ['Mars', 'Venus'], [], null, 7]) }),
  },
});
const listReports = (random: Random): Request => ({
  method: 'GET',
  url: `${random.pick(['/reports', `/questions/${pickQuestion(random)}/reports`])}${randomQuery(
    random,
    ['status', 0.5, ['open', 'resolved', 'nope']],
    ['reason', 0.2, REASONS],
    ['limit', 0.4, [1, 5, 0]],
    ['offset', 0.3, [0, 1, 50]],
  )}`,
  as: random.pick(['admin', 'author', 'player']),
});
const resolveReport = (random: Random): Request => ({
  method: 'POST',
  url: `/reports/{report:${random.below(30)}}/resolve`,
  body: { outcome: random.pick(['fixed', 'no_fault', 'nope']), ...(random.maybe(0.5) && { note: 'n' }) },
});

const STATUSES = ['draft', 'in_review', 'approved', 'retired', 'nope'];
const CALLERS = ['admin', 'admin', 'author', 'reviewer', 'reader'];

const changeStatus = (random: Random): Request => ({
  method: 'POST',
  url: `/questions/${pickUnansweredQuestion(random)}/status`,
  as: random.pick(CALLERS),
  body: { status: random.pick(STATUSES), ...(random.maybe(0.7) && { reason: 'é' }) },
});
/** A change that waits, a review of it, and what callers see of the question. */
function proposeAndReview(random: Random): Request[] {
  const url = `/questions/${pickUnansweredQuestion(random)}`;
  const body = { difficulty: random.below(3), question_text: `Which planet, ${random.below(9)}?` };
  const decision = random.pick(['approve', 'approve', 'request_changes']);
  const review = {
    revision: random.pick([1, 2, 2, 3]),
    decision,
    ...(random.maybe(0.7) && { comment: 'c' }),
  };
  return [
    { method: 'POST', url: `${url}/pending`, body, as: random.pick(['author', 'admin']) },
    { method: 'GET', url: `${url}/pending`, as: random.pick(CALLERS) },
    { method: 'GET', url, as: 'reader' },
    { method: 'GET', url: '/pending?limit=1000' },
    { method: 'POST', url: `${url}/reviews`, as: random.pick(['admin', 'reviewer']), body: review },
    { method: random.pick(['GET', 'DELETE']), url: `${url}/pending` },
    { method: 'GET', url: `${url}/reviews`, as: random.pick(CALLERS) },
    { method: 'GET', url, as: random.pick(CALLERS) },
  ];
}
const comment = (random: Random): Request =>
  random.pick<Request>([
    {
      method: 'POST',
      url: `/questions/${pickQuestion(random)}/comments`,
      as: random.pick(CALLERS),
      body: { text: random.pick(['😀', 'text', '', 'x'.repeat(10_001)]) },
    },
    {
      method: 'GET',
      url: `/questions/${pickQuestion(random)}/comments${randomQuery(random, ['resolved', 0.5, [true, false, 1]])}`,
      as: random.pick(CALLERS),
    },
    {
      method: 'PATCH',
      url: `/comments/{comment:${-1 - random.below(3)}}`,
      as: random.pick(CALLERS),
      body: random.pick([{ resolved: random.maybe(0.5) }, { text: 'changed' }, {}]),
    },
    { method: 'DELETE', url: `/comments/{comment:${random.below(20)}}`, as: random.pick(CALLERS) },
  ]);

export const REVIEW: WeightedGenerators = [
  [1, changeStatus],
  [1, proposeAndReview],
  [2, comment],
  [
    1,
    (random) => ({
      method: 'GET',
      url: `/questions?status=${random.pick(STATUSES)}`,
      as: random.pick(CALLERS),
    }),
  ],
  [4, reportQuestion],
  [2, listReports],
  [1, resolveReport],
];
