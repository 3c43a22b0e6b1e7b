/**
 * Responses: one per question, respondent and session; lists, scoring by the current key, deletion.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { GIVEN, type Given, pack, unpack } from '../src/store/responses/sittings.ts';
import { onEveryEngine, openService, type Service, sample } from './support/engines.ts';
import { createRandom } from './support/random.ts';

const UNKNOWN_ID = '00000000-0000-7000-8000-000000000000';

// biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
type Json = any;

async function questions(call: Service['call'], n: number, changes: object = {}): Promise<string[]> {
  const body = Array.from({ length: n }, (_, i) =>
    sample({
      question_text: `What is ${i}?`,
      correct_answer: `Right ${i}`,
      incorrect_answers: [`Wrong ${i}`, `Other ${i}`],
      ...changes,
    }),
  );
  const made = await call('POST', '/questions', { body });
  assert.equal(made.status, 201, made.text);
  return made.body.data.map(({ id }: Json) => id);
}

const listResponses = async (call: Service['call'], query: string): Promise<Json> => {
  const { status, body, text } = await call('GET', `/responses?${query}`);
  assert.equal(status, 200, text);
  return body;
};

onEveryEngine('responses', (get) => {
  const call: Service['call'] = (...args) => get().call(...args);

  it('returns a single response; a repetition replaces it', async () => {
    const [id] = await questions(call, 1);
    const body = { question_id: id, respondent: 'one', answer: ' right  0 ', session: 's', group: 'g' };
    const first = await call('POST', '/responses', { body });
    assert.equal(first.status, 201, first.text);
    const { answered_at, ...rest } = first.body;
    assert.deepEqual(rest, {
      question_id: id,
      respondent: 'one',
      session: 's',
      group: 'g',
      answer: 'right  0',
      missing: null,
      correct: true,
    });
    assert.ok(Math.abs(Date.now() - Date.parse(answered_at)) < 60_000);
    const again = await call('POST', '/responses', {
      body: { ...body, answer: 'Wrong 0', group: undefined },
    });
    assert.deepEqual([again.status, again.body.correct, again.body.group], [200, false, 'g']);
    assert.equal((await listResponses(call, 'respondent=one')).pagination.total, 1);
    const elsewhere = await call('POST', '/responses', { body: { ...body, session: 'other' } });
    assert.equal(elsewhere.status, 201);
    assert.equal((await listResponses(call, 'respondent=one')).pagination.total, 2);
  });

  it('distinguishes wrong, omitted and not reached', async () => {
    const ids = await questions(call, 8);
    const outcomes: [object, unknown, unknown, unknown][] = [
      [{ answer: 'Right 0' }, 'Right 0', true, null],
      [{ answer: 'nonsense' }, 'nonsense', false, null],
      [{ correct: true }, null, true, null],
      [{ correct: false }, null, false, null],
      [{ missing: 'omitted' }, null, null, 'omitted'],
      [{ missing: 'not_reached' }, null, null, 'not_reached'],
      [{ answer: null }, null, null, 'omitted'],
      [{ answer: ' \n' }, null, null, 'omitted'],
    ];
    const body = outcomes.map(([outcome], i) => ({ question_id: ids[i], respondent: 'apart', ...outcome }));
    const made = await call('POST', '/responses', { body });
    assert.deepEqual([made.status, made.body], [201, { received: 8, created: 8, replaced: 0 }]);
    const { data } = await listResponses(call, 'respondent=apart');
    assert.deepEqual(
      data.map(({ answer, correct, missing }: Json) => [answer, correct, missing]),
      outcomes.map(([, answer, correct, missing]) => [answer, correct, missing]),
    );
    assert.deepEqual(
      data.map(({ question_id }: Json) => question_id),
      ids,
    );
  });

  it('counts created and replaced responses, also within one array', async () => {
    const [a, b] = await questions(call, 2);
    const one = { question_id: a, respondent: 'twice', correct: false };
    const sent = await call('POST', '/responses', {
      body: [one, { ...one, correct: true }, { ...one, question_id: b }],
    });
    assert.deepEqual(sent.body, { received: 3, created: 2, replaced: 1 });
    const { data } = await listResponses(call, `respondent=twice&question_id=${a}`);
    assert.deepEqual(
      data.map(({ correct }: Json) => correct),
      [true],
    );
  });

  it('stores an array all or nothing, and reports every fault', async () => {
    const [id] = await questions(call, 1);
    const good = { question_id: id, respondent: 'faulty', correct: true };
    const body = [
      good,
      { ...good, question_id: UNKNOWN_ID },
      { ...good, question_id: 'no id' },
      { ...good, respondent: '' },
      { ...good, answer: 'x' },
      { question_id: id, respondent: 'faulty' },
      { ...good, correct: 'yes' },
      { ...good, missing: 'gone', correct: undefined },
      { ...good, answered_at: '2016-12-31T23:59:60Z' },
      { ...good, answered_at: '9999-12-31T23:59:59-10:00' },
      { ...good, answered_at: 'yesterday' },
      { ...good, session: '' },
      { ...good, extra: 1 },
      7,
    ];
    const { status, body: problem } = await call('POST', '/responses', { body });
    assert.equal(status, 422);
    const faults = problem.errors.map(({ pointer, code }: Json) => `${pointer} ${code}`);
    assert.deepEqual(faults.sort(), [
      '/10/answered_at invalid_format',
      '/11/session too_short',
      '/12/extra unknown_field',
      '/13 wrong_type',
      '/2/question_id invalid_format',
      '/3/respondent too_short',
      '/4 conflict',
      '/5/answer required',
      '/6/correct wrong_type',
      '/7/missing unknown_value',
      '/8/answered_at invalid_format',
      '/9/answered_at invalid_format',
    ]);
    const unknown = await call('POST', '/responses', { body: [good, { ...good, question_id: UNKNOWN_ID }] });
    assert.deepEqual(
      unknown.body.errors.map(({ pointer, code }: Json) => [pointer, code]),
      [['/1/question_id', 'unknown_question']],
    );
    assert.equal((await listResponses(call, 'respondent=faulty')).pagination.total, 0);
  });

  it('pages by offset and by cursor with every filter, with exact totals', async () => {
    const ids = await questions(call, 7);
    const body = Array.from({ length: 9 }, (_, person) =>
      ids
        .filter((_, q) => (person + q) % 3 !== 0)
        .map((question_id) => ({
          question_id,
          respondent: `paged ${person % 5}`,
          session: `round ${Math.floor(person / 5)}`,
          group: person % 2 ? 'odd' : 'even',
          correct: person > 4,
        })),
    ).flat();
    assert.equal((await call('POST', '/responses', { body })).body.created, body.length);
    const filters: [string, (each: Json) => boolean][] = [
      ['session=round+0', ({ session }) => session === 'round 0'],
      ['respondent=paged+2', ({ respondent }) => respondent === 'paged 2'],
      [`question_id=${ids[3]}`, ({ question_id }) => question_id === ids[3]],
      [
        `question_id=${ids[4]?.toUpperCase()}&group=odd`,
        (each) => each.question_id === ids[4] && each.group === 'odd',
      ],
      ['session=round+1&group=even', ({ session, group }) => session === 'round 1' && group === 'even'],
      [`question_id=${UNKNOWN_ID}`, () => false],
      ['respondent=unknown', () => false],
    ];
    for (const [filter, matches] of filters) {
      const expected = body.filter(matches).length;
      const all = await listResponses(call, `${filter}&limit=1000`);
      assert.equal(all.data.length, expected, filter);
      assert.equal(all.pagination.total, expected);
      assert.ok(all.data.every(matches));
      for (const limit of [1, 4, 10]) {
        const byOffset: Json[] = [];
        const byCursor: Json[] = [];
        for (let offset = 0; offset < expected; offset += limit) {
          const page = await listResponses(call, `${filter}&limit=${limit}&offset=${offset}`);
          assert.equal(page.pagination.has_more, offset + limit < expected);
          byOffset.push(...page.data);
        }
        for (let cursor = ''; ; ) {
          const page = await listResponses(call, `${filter}&limit=${limit}${cursor && `&cursor=${cursor}`}`);
          assert.deepEqual([page.pagination.offset, page.pagination.total], [byCursor.length, expected]);
          byCursor.push(...page.data);
          cursor = page.pagination.next_cursor;
          if (cursor === null) break;
        }
        assert.deepEqual(byOffset, all.data);
        assert.deepEqual(byCursor, all.data);
      }
    }
    const { body: page } = await call('GET', '/responses?limit=1');
    for (const query of [
      `respondent=x&cursor=${page.pagination.next_cursor}`,
      'cursor=AAAAAAAAAAAAAAAAAAAAAA',
      `offset=1&cursor=${page.pagination.next_cursor}`,
      'limit=0',
      'answer=x',
    ])
      assert.equal((await call('GET', `/responses?${query}`)).status, 400, query);
    assert.deepEqual((await listResponses(call, 'respondent=paged+0&offset=1000')).data, []);
  });

  it('scores by the current key, and skips deleted questions', async () => {
    const [id] = await questions(call, 1);
    for (const [respondent, answer] of [
      ['key 1', 'Right 0'],
      ['key 2', 'wrong 0'],
    ])
      await call('POST', '/responses', { body: { question_id: id, respondent, answer } });
    const correct = async () =>
      (await listResponses(call, `question_id=${id}`)).data.map((each: Json) => each.correct);
    assert.deepEqual(await correct(), [true, false]);
    const change = { correct_answer: 'Wrong 0', incorrect_answers: ['Right 0', 'Other 0'] };
    assert.equal((await call('PUT', `/questions/${id}`, { body: change })).status, 200);
    assert.deepEqual(await correct(), [false, true]);
    assert.equal((await call('DELETE', `/questions/${id}`)).status, 204);
    assert.deepEqual(await correct(), [null, null]);
    const refused = await call('POST', '/responses', {
      body: { question_id: id, respondent: 'key 1', answer: 'x' },
    });
    assert.equal(refused.body.errors[0].code, 'unknown_question');
    assert.equal((await call('POST', `/questions/${id}/restore`, { body: { revision: 1 } })).status, 200);
    assert.deepEqual(await correct(), [true, false]);
  });

  it('deletes one respondent completely', async () => {
    const ids = await questions(call, 3);
    const body = ['gone', 'gone too'].flatMap((respondent) =>
      ids.flatMap((question_id) =>
        ['a', 'b'].map((session) => ({
          question_id,
          respondent,
          session,
          answer: `Secret of ${respondent}`,
        })),
      ),
    );
    await call('POST', '/responses', { body });
    const first = await call('DELETE', '/responses?respondent=gone');
    assert.deepEqual([first.status, first.body], [200, { deleted: 6 }]);
    assert.deepEqual((await call('DELETE', '/responses?respondent=gone')).body, { deleted: 0 });
    assert.equal((await listResponses(call, 'respondent=gone')).pagination.total, 0);
    assert.equal((await listResponses(call, 'respondent=gone+too')).pagination.total, 6);
    assert.equal((await listResponses(call, `question_id=${ids[0]}`)).pagination.total, 2);
    for (const query of ['', '?respondent=', '?session=a', '?respondent=a&respondent=b'])
      assert.equal((await call('DELETE', `/responses${query}`)).status, 400, query);
  });

  it('loses nothing when responses of the same respondents are recorded concurrently', async () => {
    const ids = await questions(call, 24);
    const sent = await Promise.all(
      ids.map((question_id, i) =>
        call('POST', '/responses', {
          body: Array.from({ length: 10 }, (_, person) => ({
            question_id,
            respondent: `crowd ${(person + i) % 10}`,
            session: 'rush',
            answer: `Right ${i}`,
          })),
        }),
      ),
    );
    assert.ok(sent.every(({ status, body }) => status === 201 && body.created === 10));
    const { data, pagination } = await listResponses(call, 'session=rush&limit=1000');
    assert.equal(pagination.total, 240);
    assert.ok(data.every(({ correct }: Json) => correct));
    for (const id of ids)
      assert.equal((await listResponses(call, `question_id=${id}&session=rush`)).pagination.total, 10);
  });

  it('stays consistent when respondents are deleted while they answer', async () => {
    const ids = await questions(call, 6);
    const record = (round: number) =>
      call('POST', '/responses', {
        body: ids.map((question_id) => ({
          question_id,
          respondent: 'fleeting',
          session: `${round % 4}`,
          correct: true,
        })),
      });
    for (let round = 0; round < 15; round++) {
      const sent = await Promise.all([
        record(round),
        record(round + 1),
        call('POST', '/responses', { body: { question_id: ids[0], respondent: 'fleeting', correct: true } }),
        call('DELETE', '/responses?respondent=fleeting'),
        record(round + 2),
      ]);
      assert.deepEqual(
        sent.map(({ status }) => Math.floor(status / 100)),
        [2, 2, 2, 2, 2],
      );
    }
    const left = (await listResponses(call, 'respondent=fleeting&limit=1000')).data;
    for (const id of ids) {
      const { data, pagination } = await listResponses(call, `question_id=${id}&limit=1000`);
      assert.equal(pagination.total, left.filter((each: Json) => each.question_id === id).length);
      assert.equal(data.length, pagination.total);
    }
    await call('DELETE', '/responses?respondent=fleeting');
    assert.equal((await listResponses(call, `question_id=${ids[0]}`)).pagination.total, 0);
  });

  it('records once per Idempotency-Key, and stores no respondent with it', async () => {
    const [id] = await questions(call, 1);
    const body = { question_id: id, respondent: 'keyed person', answer: 'Right 0' };
    const headers = { 'idempotency-key': 'respond-once' };
    const first = await call('POST', '/responses', { body, headers });
    const again = await call('POST', '/responses', { body, headers });
    assert.deepEqual([again.status, again.body], [201, first.body]);
    const kept = await get().engine.db.all<{ result: string }>('SELECT result FROM idempotency');
    assert.ok(kept.every(({ result }) => !result.includes('keyed person')));
  });

  it('shows whether an answer is correct with answers:read alone', async () => {
    const [id] = await questions(call, 1);
    const recorder = await get().keyFor('responses:write');
    const body = { question_id: id, respondent: 'unknowing', answer: 'Right 0' };
    const one = await call('POST', '/responses', { body, token: recorder });
    assert.equal(one.status, 201);
    assert.ok(!('correct' in one.body));
    const scored = await call('POST', '/responses', {
      body: { question_id: id, respondent: 'unknowing', correct: false },
      token: recorder,
    });
    assert.ok(!('correct' in scored.body));
    assert.equal((await call('GET', '/responses', { token: recorder })).status, 403);
    for (const scope of ['answers:read', 'questions:write', 'analysis:run'] as const) {
      const token = await get().keyFor(scope);
      assert.equal((await call('POST', '/responses', { body, token })).status, 403);
      assert.equal((await call('DELETE', '/responses?respondent=a', { token })).status, 403);
    }
  });

  it('accepts 10,000 responses, not one more', async () => {
    const ids = await questions(call, 50);
    const body = Array.from({ length: 10_000 }, (_, i) => ({
      question_id: ids[i % 50],
      respondent: `bulk ${Math.floor(i / 50)}`,
      answer: `Right ${i % 50}`,
      session: 'bulk',
    }));
    const made = await call('POST', '/responses', { body });
    assert.deepEqual(made.body, { received: 10_000, created: 10_000, replaced: 0 });
    const deep = await listResponses(call, 'session=bulk&limit=3&offset=9998');
    assert.deepEqual([deep.pagination.total, deep.data.length], [10_000, 2]);
    const more = await call('POST', '/responses', { body: [...body, body[0]] });
    assert.deepEqual([more.status, more.body.errors[0].code], [422, 'too_many']);
    const wrong = body.map((each, i) => (i === 7123 ? { ...each, respondent: 7 } : each));
    const refused = await call('POST', '/responses', { body: wrong });
    assert.deepEqual(
      refused.body.errors.map(({ pointer, code }: Json) => [pointer, code]),
      [['/7123/respondent', 'wrong_type']],
    );
    const empty = await call('POST', '/responses', { body: body.map(() => ({})) });
    assert.equal(empty.body.errors.length, 1000);
    assert.match(empty.body.detail, /more than 1000 faults/);
  });
});

describe('deleting a respondent', () => {
  it('leaves nothing in the database file', async (t) => {
    const service = await openService('sqlite');
    t.after(() => service.close());
    const { call, engine } = service;
    const ids = await questions(call, 40);
    const record = (respondent: string, answer: string) =>
      call('POST', '/responses', {
        body: ids.map((question_id) => ({ question_id, respondent, session: 'exam', answer })),
      });
    // Long enough to fill database pages, and written twice.
    for (const person of ['canary-person', 'another person', 'canary-person'])
      await record(person, `what ${person} said`.repeat(50));
    await call('DELETE', '/responses?respondent=canary-person');
    const kept = (await listResponses(call, 'respondent=another+person')).pagination.total;
    assert.equal(kept, 40);
    using database = new DatabaseSync(engine.location);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    const file = readFileSync(engine.location);
    assert.ok(file.includes('another person said'));
    assert.ok(!file.includes('canary-person'));
  });
});

describe('packed responses', () => {
  it('unpack to what was packed', () => {
    const { below, pick } = createRandom(7);
    const texts = ['', 'a', 'Ångström', '🪐 日本語', 'x'.repeat(2000)];
    for (let round = 0; round < 200; round++) {
      let slot = 0;
      const given: Given[] = Array.from({ length: below(60) }, () => {
        slot += 1 + below(pick([3, 200, 70_000, 4e9]));
        const kind = below(5) as Given['kind'];
        const answer = kind === GIVEN.answer ? pick(texts) : '';
        return { slot, kind, answer, at: below(4e12) - 1e12 };
      });
      assert.deepEqual(unpack(pack(given)), given);
    }
  });
});
