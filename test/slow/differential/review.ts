/** Requests about reports of questions. */
import type { Random } from '../../support/random.ts';
import { pickQuestion, randomQuery } from './bank.ts';
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

export const REVIEW: WeightedGenerators = [
  [4, reportQuestion],
  [2, listReports],
  [1, resolveReport],
];
