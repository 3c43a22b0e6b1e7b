/** Requests about draws. */
import type { Random } from '../../support/random.ts';
import { pickQuestion, randomQuery } from './bank.ts';
import type { Request, WeightedGenerators } from './side.ts';

const CALLERS = ['admin', 'admin', 'player', 'author', 'recorder'];
const FILTERS = [
  {},
  { difficulty: 1 },
  { q: 'planet' },
  { tag: 'x' },
  { category: ['Astronomy', 'Cooking'] },
];
const WRONG_FILTERS = [{ category: 'Nope' }, { updated_since: '2020-01-01' }, { nope: 1 }];

const pickFilter = (random: Random) => random.pick<object>(random.maybe(0.9) ? FILTERS : WRONG_FILTERS);
const pickRespondent = (random: Random) => `r-${random.below(4)}`;

const draw = (random: Random): Request => ({
  method: 'POST',
  url: '/draws',
  as: random.pick(CALLERS),
  body: {
    ...(random.maybe(0.6)
      ? { count: random.pick([1, 2, 5, 500, 0]) }
      : {
          quotas: Array.from({ length: 1 + random.below(4) }, () => ({
            filter: pickFilter(random),
            count: 1 + random.below(3),
          })),
        }),
    seed: random.pick(['s', 't', '😀', '']),
    ...(random.maybe(0.4) && { filter: pickFilter(random) }),
    ...(random.maybe(0.3) && { respondent: pickRespondent(random) }),
    ...(random.maybe(0.3) && { prefer: 'least_answered' }),
    ...(random.maybe(0.6) && { when_short: 'fewer' }),
    ...(random.maybe(0.3) && { explain: random.pick(['never', 'when_correct', 'always', 'x']) }),
    ...(random.maybe(0.4) && {
      exclude: {
        ...(random.maybe(0.5) && { respondent: pickRespondent(random) }),
        ...(random.maybe(0.3) && { question_ids: [pickQuestion(random), pickQuestion(random)] }),
        ...(random.maybe(0.3) && { draws: [`{draw:${random.below(9)}}`] }),
      },
    }),
  },
});

const listDraws = (random: Random): Request => ({
  method: 'GET',
  url: `/draws${randomQuery(random, ['respondent', 0.5, ['r-0', 'r-1', '']], ['limit', 0.5, [1, 3, 0]], ['offset', 0.3, [1]])}`,
  as: random.pick(CALLERS),
});

/** Draws all questions and answers one, twice. */
function recordDraw(random: Random): Request[] {
  const respondent = random.maybe(0.5) ? { respondent: pickRespondent(random) } : {};
  const answer: Request = {
    method: 'POST',
    url: '/draws/{draw:-1}/responses',
    as: random.pick(['admin', 'admin', 'player']),
    body: {
      ...(random.maybe(0.7) && { respondent: pickRespondent(random) }),
      responses: [{ question_id: '{question:0}', answer: random.pick(['Jupiter', 'Mars', null]) }],
    },
  };
  const body = { count: 500, filter: {}, when_short: 'fewer', seed: 's', ...respondent };
  return [{ method: 'POST', url: '/draws', body }, answer, answer];
}

const createToken = (random: Random): Request => ({
  method: 'POST',
  url: `/draws/{draw:${random.below(20)}}/tokens`,
  as: random.pick(CALLERS),
  body: {
    ...(random.maybe(0.6) && { respondent: pickRespondent(random) }),
    ...(random.maybe(0.3) && { draws: [`{draw:${random.below(9)}}`] }),
    ...(random.maybe(0.3) && { expires_in_seconds: random.pick([60, 59]) }),
  },
});

const revokeTokens = (random: Random): Request => ({
  method: 'DELETE',
  url: `/draws/{draw:${random.below(9)}}/tokens`,
  as: random.pick(['admin', 'admin', 'player']),
});

const checkDrawn = (random: Random): Request => ({
  method: 'POST',
  url: '/questions/{question:0}/check',
  as: random.pick(CALLERS),
  body: { answer: random.pick(['Jupiter', 'Mars']), draw_id: `{draw:${random.below(9)}}` },
});

export const DRAWS: WeightedGenerators = [
  [0.7, createToken],
  [0.5, revokeTokens],
  [0.5, checkDrawn],
  [1, recordDraw],
  [0.5, listDraws],
  [2.5, draw],
  [2, (random) => ({ method: 'GET', url: `/draws/{draw:${random.below(20)}}`, as: random.pick(CALLERS) })],
];
