/**
 * Analyses of responses through the API: selection and scoring of responses, permissions, rejected
 * requests.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ticker } from '../src/concurrency/ticker.ts';
import { loadResponses, type Scorable } from '../src/jobs/responses.ts';
import { onEveryEngine, openService, type Service, sample } from './support/engines.ts';
import { createRandom } from './support/random.ts';

// biome-ignore lint/suspicious/noExplicitAny: results of any shape
type Json = any;

const UNKNOWN_ID = '00000000-0000-7000-8000-000000000000';

async function questions(call: Service['call'], n: number): Promise<string[]> {
  const body = Array.from({ length: n }, (_, i) =>
    sample({
      question_text: `Which is ${i}?`,
      correct_answer: 'Right',
      incorrect_answers: ['Wrong', 'Other', 'None'],
    }),
  );
  return (await call('POST', '/questions', { body })).body.data.map(({ id }: Json) => id);
}

onEveryEngine('analyses of responses', (get) => {
  const call: Service['call'] = (...args) => get().call(...args);
  const record = async (body: object[]) =>
    assert.equal((await call('POST', '/responses', { body })).status, 201);
  const run = async (
    analysis_type: string,
    question_ids: string[],
    parameters: object = {},
    token?: string,
  ) =>
    call('POST', '/analysis/run', {
      body: { analysis_type, question_ids, parameters },
      headers: { prefer: 'wait=30' },
      ...(token && { token }),
    });
  const findItem = ({ body }: { body: Json }, id: string) =>
    body.result.items.find(({ question_id }: Json) => question_id === id);

  it('count the first answer of a respondent, or each session', async () => {
    const [id] = await questions(call, 1);
    const at = (day: number) => `2026-03-0${day}T09:00:00Z`;
    const answer = (respondent: string, session: string | null, right: boolean, day: number) => ({
      ...{ question_id: id, respondent, session, answered_at: at(day) },
      answer: right ? 'right' : 'Wrong',
    });
    await record([
      answer('ann', 'a', true, 2),
      answer('ann', 'b', false, 1),
      answer('ben', 'b', true, 1),
      answer('cyd', null, true, 1),
    ]);
    const counts = async (parameters: object) => {
      const done = await run('item_statistics', [id!], parameters);
      const { n, correct } = findItem(done, id!);
      return [done.body.result.responses.cases, n, correct];
    };
    // Ann's first answer, by its time, was wrong.
    assert.deepEqual(await counts({}), [3, 3, 2]);
    assert.deepEqual(await counts({ cases: 'session' }), [4, 4, 3]);
    assert.deepEqual(await counts({ session: 'b' }), [2, 2, 1]);
    assert.deepEqual(await counts({ session: 'a', cases: 'session' }), [1, 1, 1]);
    const empty = await run('item_statistics', [id!], { session: 'nowhere' });
    assert.deepEqual([empty.body.status, empty.body.result.responses.cases], ['succeeded', 0]);
    assert.match(empty.body.result.warnings.join(' '), /There are no responses to these questions/);
  });

  it('treat omitted and not reached items as the parameters say', async () => {
    const [id] = await questions(call, 1);
    const outcomes = [
      { answer: 'Right' },
      { answer: 'Wrong' },
      { missing: 'omitted' },
      { missing: 'not_reached' },
    ];
    await record(
      outcomes.map((outcome, i) => ({ question_id: id, respondent: `respondent ${i}`, ...outcome })),
    );
    const counts = async (parameters: object) => {
      const { n, correct, omitted, not_reached } = findItem(
        await run('item_statistics', [id!], parameters),
        id!,
      );
      return [n, correct, omitted, not_reached];
    };
    assert.deepEqual(await counts({}), [3, 1, 1, 1]);
    assert.deepEqual(await counts({ omitted: 'missing' }), [2, 1, 1, 1]);
    assert.deepEqual(await counts({ not_reached: 'wrong' }), [4, 1, 1, 1]);
  });

  it('score by the current key, and report options that no longer exist', async () => {
    const [id] = await questions(call, 1);
    await record(
      ['Right', 'Right', 'Wrong', 'Other'].map((answer, i) => ({
        question_id: id,
        respondent: `keyed ${i}`,
        answer,
      })),
    );
    const before = findItem(await run('item_statistics', [id!]), id!);
    assert.deepEqual([before.correct, before.other_answers], [2, 0]);
    const change = { correct_answer: 'Wrong', incorrect_answers: ['Right', 'New'] };
    assert.equal((await call('PUT', `/questions/${id}`, { body: change })).status, 200);
    const after = findItem(await run('item_statistics', [id!]), id!);
    assert.deepEqual([after.correct, after.other_answers], [1, 1]);
    const chosen = after.options.map(({ text, key, n }: Json) => [text, key, n]).sort();
    assert.deepEqual(chosen, [
      ['New', false, 0],
      ['Right', false, 2],
      ['Wrong', true, 1],
    ]);
  });

  it('show options to callers with answers:read alone', async () => {
    const ids = await questions(call, 3);
    const { below } = createRandom(5);
    await record(
      Array.from({ length: 60 }, (_, person) =>
        ids.map((question_id) => ({
          question_id,
          respondent: `seen ${person}`,
          answer: ['Right', 'Right', 'Wrong', 'Other'][below(4)],
        })),
      ).flat(),
    );
    const token = await get().keyFor('questions:read', 'analysis:read', 'analysis:run');
    const done = await run('item_statistics', ids);
    assert.equal(findItem(done, ids[0]!).options.length, 4);
    const withoutAnswers = await call('GET', `/analysis/${done.body.id}`, { token });
    assert.equal(findItem(withoutAnswers, ids[0]!).options, null);
    assert.equal(findItem(withoutAnswers, ids[0]!).facility, findItem(done, ids[0]!).facility);
    assert.doesNotMatch(JSON.stringify(withoutAnswers.body.result), /Wrong|Other/);
    const plot = `/analysis/${done.body.id}/plot.svg?question_id=${ids[0]}`;
    assert.match((await call('GET', plot)).text, /Other/);
    assert.equal((await call('GET', plot, { token })).body.code, 'no_such_figure');
    // A caller who records guesses and sees the number correct could find the key.
    const guesser = await get().keyFor('analysis:read', 'analysis:run', 'responses:write');
    assert.equal((await run('item_statistics', ids, {}, guesser)).status, 403);
    assert.equal((await run('item_statistics', ids, {}, token)).status, 201);
    for (const path of [`/analysis/${done.body.id}`, `/analysis/${done.body.id}/plot.svg`])
      assert.equal((await call('GET', path, { token: guesser })).status, 403);
    const countRuns = async (key: string) =>
      (await call('GET', '/analysis?analysis_type=item_statistics', { token: key })).body.pagination.total;
    assert.equal(await countRuns(guesser), 0);
    assert.ok((await countRuns(token)) > 0);
  });

  it('do not reveal which option a respondent chose, not even by a hash', async () => {
    const [id] = await questions(call, 1);
    const token = await get().keyFor('analysis:read', 'analysis:run');
    const results = [];
    for (const answers of [
      ['Right', 'Wrong', 'Other', 'None'],
      ['Right', 'None', 'Wrong', 'Wrong'],
    ]) {
      await record(answers.map((answer, i) => ({ question_id: id, respondent: `hashed ${i}`, answer })));
      const shown = [];
      for (const type of ['item_statistics', 'reliability'])
        shown.push((await run(type, [id!], {}, token)).body.result);
      results.push(shown, (await run('item_statistics', [id!])).body.result.responses.sha256);
    }
    assert.deepEqual(results[2], results[0]);
    assert.notEqual(results[3], results[1]);
  });

  it('list abilities by respondent for callers with responses:read, until the respondent is deleted', async () => {
    const ids = await questions(call, 6);
    const { below } = createRandom(6);
    const people = Array.from({ length: 80 }, (_, i) => `measured ${String(i).padStart(2, '0')}`);
    await record(
      people.flatMap((respondent, i) =>
        ids.map((question_id, q) => ({
          ...{ question_id, respondent, session: 'exam', group: i % 2 ? 'odd' : 'even' },
          correct: below(80) + 8 * q < i + 20,
        })),
      ),
    );
    const { body } = await run('irt', ids, { model: '1pl' });
    assert.equal(body.status, 'succeeded');
    const path = `/analysis/${body.id}/respondents`;
    const all = (await call('GET', path)).body;
    assert.deepEqual(
      all.data.map(({ respondent }: Json) => respondent),
      people,
    );
    const [first] = all.data;
    assert.deepEqual([first.session, first.group, first.answered], [null, 'even', 6]);
    // In the 1PL, the ability depends on the number correct only.
    const byScore = Map.groupBy(all.data, ({ correct }: Json) => correct);
    for (const same of byScore.values())
      assert.equal(new Set(same.map(({ ability }: Json) => ability)).size, 1);
    const paged = (await call('GET', `${path}?limit=30&offset=60`)).body;
    assert.deepEqual(paged.data, all.data.slice(60));
    assert.deepEqual(paged.pagination, {
      limit: 30,
      offset: 60,
      total: 80,
      has_more: false,
      next_cursor: null,
    });
    await call('DELETE', `/responses?respondent=${encodeURIComponent(people[3]!)}`);
    const left = (await call('GET', path)).body;
    assert.deepEqual(
      left.data,
      all.data.filter(({ respondent }: Json) => respondent !== people[3]),
    );
    // A new respondent does not get the slot of a deleted one.
    await record([{ question_id: ids[0], respondent: 'a newcomer', correct: true } as object]);
    assert.deepEqual((await call('GET', path)).body, left);
    const sessions = await run('irt', ids, { model: '1pl', cases: 'session' });
    const bySession = (await call('GET', `/analysis/${sessions.body.id}/respondents`)).body;
    assert.deepEqual(new Set(bySession.data.map(({ session }: Json) => session)), new Set(['exam', null]));
    for (const scopes of [
      ['analysis:read'],
      ['analysis:read', 'answers:read'],
      ['responses:write'],
    ] as const) {
      const token = await get().keyFor(...scopes);
      assert.equal((await call('GET', path, { token })).status, 403);
    }
    const none = await run('reliability', ids);
    assert.deepEqual((await call('GET', `/analysis/${none.body.id}/respondents`)).body.data, []);
    assert.equal((await call('GET', `/analysis/${UNKNOWN_ID}/respondents`)).status, 404);
  });

  it('reject unknown plots', async () => {
    const [id] = await questions(call, 1);
    const { body } = await run('irt', [id!]);
    const plot = (query: string) => call('GET', `/analysis/${body.id}/plot.svg?${query}`);
    assert.equal((await plot('figure=wright_map')).status, 200);
    assert.equal((await plot('figure=portrait')).status, 400);
    assert.equal((await plot(`figure=wright_map&question_id=${id}`)).status, 400);
    assert.equal((await plot(`question_id=${id}`)).body.code, 'no_such_figure');
    assert.equal((await plot('question_id=nonsense')).body.code, 'no_such_figure');
    const other = await run('reliability', [id!]);
    const wrong = await call('GET', `/analysis/${other.body.id}/plot.svg?figure=wright_map`);
    assert.deepEqual([wrong.status, wrong.body.code], [404, 'no_such_figure']);
  });

  it('read the same responses by a full scan and by lookup', async () => {
    const ids = await questions(call, 4);
    const { below } = createRandom(7);
    const simulate = (from: number, to: number, questionIds: string[]) =>
      Array.from({ length: to - from }, (_, i) =>
        questionIds.map((question_id) => ({
          ...{ question_id, respondent: `row ${from + i}`, session: `s ${i % 3}` },
          ...(i % 4 === 0 ? { group: `g ${i % 8}` } : {}),
          answer: ['Right', 'Wrong', 'Other', 'nonsense', null][below(5)],
        })),
      ).flat();
    await record(simulate(0, 40, ids.slice(0, 2)));
    // The group in sessions with other questions does not count.
    await record(
      Array.from({ length: 40 }, (_, i) => ({
        ...{ question_id: ids[2], respondent: `row ${i}`, session: 'z', group: 'elsewhere', correct: true },
      })),
    );
    const { db } = get().engine;
    const rows = await db.all<{ slot: number; id: string }>(
      `SELECT slot, id FROM answered_questions ORDER BY slot`,
    );
    const key = { correct_answer: 'Right', incorrect_answers: ['Wrong', 'Other', 'None'] };
    const scorable: Scorable[] = rows
      .filter((row) => ids.slice(0, 2).includes(row.id))
      .map(({ slot }) => ({ slot, key, choices: ['None', 'Other', 'Right', 'Wrong'] }));
    const load = () =>
      db.snapshot((tx) => loadResponses(tx, scorable, { cases: 'respondent', session: null }, new Ticker()));
    const scanned = await load();
    // With many more rows of other questions, the responses are read by lookup.
    await record(simulate(100, 2000, ids.slice(2, 4)));
    const lookedUp = await load();
    assert.equal(scanned.responses.cases, 40);
    assert.deepEqual(scanned.responses.groupNames.toSorted(), ['g 0', 'g 4']);
    assert.deepEqual(lookedUp, scanned);
  });
});

describe('comparing groups', () => {
  it('is rejected before the run unless there are two groups', async (t) => {
    const { call, close } = await openService('sqlite');
    t.after(close);
    const ids = await questions(call, 2);
    const respond = (respondent: string, group: string | null) =>
      call('POST', '/responses', {
        body: ids.map((question_id) => ({ question_id, respondent, group, correct: true })),
      });
    const run = () =>
      call('POST', '/analysis/run', { body: { analysis_type: 'dif' }, headers: { prefer: 'wait=30' } });
    const codes = async () => {
      const { status, body } = await run();
      return [status, body.errors?.[0].pointer, body.errors?.[0].code];
    };
    assert.deepEqual(await codes(), [422, '/analysis_type', 'too_few_groups']);
    await respond('ann', null);
    await respond('ben', 'north');
    await respond('cyd', 'north');
    assert.deepEqual(await codes(), [422, '/analysis_type', 'too_few_groups']);
    await respond('dot', 'south');
    assert.equal((await run()).body.status, 'succeeded');
  });
});
