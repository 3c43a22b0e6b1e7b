import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEveryEngine, sample } from './support/engines.ts';

const UNKNOWN_ID = '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30';

onEveryEngine('questions', (service) => {
  const call: ReturnType<typeof service>['call'] = (...args) => service().call(...args);
  const create = async (changes: object = {}) =>
    (await call('POST', '/questions', { body: sample(changes) })).body;

  it('201: stores a question and returns it with its Location and ETag', async () => {
    const { status, headers, body } = await call('POST', '/questions', {
      body: sample({
        category: 'aSTRONOMY',
        question_text: '  Which planet?\r\nThink.\t\n',
        incorrect_answers: ['Mars', 'Venus', 'Saturn'],
        tags: ['solar system'],
        topic_focus: 'Planets',
      }),
    });
    assert.equal(status, 201);
    assert.equal(headers.location, `/questions/${body.id}`);
    assert.match(body.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['api-version'], '1');
    const { id, created_at, updated_at, choices, ...rest } = body;
    assert.deepEqual(rest, {
      category: 'Astronomy',
      kind: 'multiple_choice',
      status: 'approved',
      difficulty: 1,
      topic_focus: 'Planets',
      question_text: 'Which planet?\nThink.',
      correct_answer: 'Jupiter',
      incorrect_answers: ['Mars', 'Venus', 'Saturn'],
      explanation: null,
      tags: ['solar system'],
      source: null,
      external_id: null,
      revision: 1,
    });
    assert.deepEqual([...choices].sort(), ['Jupiter', 'Mars', 'Saturn', 'Venus']);
    assert.equal(created_at, updated_at);
    assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16), Date.parse(created_at));
    const fetched = await call('GET', headers.location!);
    assert.equal(fetched.headers.etag, headers.etag);
    assert.deepEqual(fetched.body, body);
  });

  it('keeps the order of choices when only the key changes', async () => {
    const before = await create({ correct_answer: 'A', incorrect_answers: ['B', 'C', 'D', 'E'] });
    const after = await call('PUT', `/questions/${before.id}`, {
      body: { correct_answer: 'D', incorrect_answers: ['E', 'C', 'B', 'A'] },
    });
    assert.deepEqual(after.body.choices, before.choices);
  });

  it('201: stores an array in its order, all or nothing', async () => {
    const texts = Array.from({ length: 1000 }, (_, i) => `batch question ${i}`);
    const stored = await call('POST', '/questions', {
      body: texts.map((question_text) => sample({ question_text })),
    });
    assert.equal(stored.status, 201);
    assert.deepEqual(
      stored.body.data.map((question: { question_text: string }) => question.question_text),
      texts,
    );
    const ids = stored.body.data.map(({ id }: { id: string }) => id);
    assert.deepEqual(ids, [...ids].sort());
    const { total } = (await call('GET', '/questions?limit=1')).body.pagination;
    const refused = await call('POST', '/questions', {
      body: [sample(), sample({ category: 'Nope' }), sample({ difficulty: 3 })],
    });
    assert.equal(refused.status, 422);
    assert.deepEqual(
      refused.body.errors
        .map((fault: { pointer: string; code: string }) => [fault.pointer, fault.code])
        .sort(),
      [
        ['/1/category', 'unknown_category'],
        ['/2/difficulty', 'out_of_range'],
      ],
    );
    assert.equal((await call('GET', '/questions?limit=1')).body.pagination.total, total);
  });

  it('200: validate_only checks everything and writes nothing', async () => {
    const { total } = (await call('GET', '/questions?limit=1')).body.pagination;
    const fine = await call('POST', '/questions?validate_only=true', {
      body: sample({ category: 'science' }),
    });
    assert.equal(fine.status, 200);
    assert.equal(fine.body.valid, true);
    assert.equal(fine.body.data[0].category, 'Science');
    await create({ external_id: 'validated' });
    const taken = await call('POST', '/questions?validate_only=true', {
      body: [sample({ external_id: 'validated' })],
    });
    assert.equal(taken.status, 409);
    const wrong = await call('POST', '/questions?validate_only=true', {
      body: [sample({ category: 'Nope' })],
    });
    assert.equal(wrong.status, 422);
    assert.equal((await call('GET', '/questions?limit=1')).body.pagination.total, total + 1);
  });

  it('200: PUT changes the given fields, keeps the others, clears with null', async () => {
    const before = await create({
      tags: ['a', 'b'],
      explanation: 'because',
      incorrect_answers: ['x'],
      external_id: 'put',
    });
    const { status, body, headers } = await call('PUT', `/questions/${before.id}`, {
      body: { difficulty: 2, explanation: null, tags: null, category: 'geography' },
    });
    assert.equal(status, 200);
    assert.deepEqual(body, {
      ...before,
      category: 'Geography',
      difficulty: 2,
      explanation: null,
      tags: [],
      revision: 2,
      updated_at: body.updated_at,
    });
    assert.ok(body.updated_at >= before.updated_at);
    assert.deepEqual((await call('GET', `/questions/${before.id}`)).body, body);
    const same = await call('PUT', `/questions/${before.id}`, { body: { difficulty: 2 } });
    assert.equal(same.status, 200);
    assert.equal(same.headers.etag, headers.etag);
    assert.deepEqual(same.body, body);
  });

  it('422: PUT rejects read-only fields, and null for required ones', async () => {
    const before = await create();
    for (const body of [
      { id: UNKNOWN_ID },
      { revision: 7 },
      { created_at: '2020-01-01T00:00:00.000Z' },
      { owner: 'me' },
      { choices: ['a'] },
      { question_text: null },
      { difficulty: null },
      { category: 'Nope' },
      { incorrect_answers: ['Jupiter'] },
    ]) {
      const { status } = await call('PUT', `/questions/${before.id}`, { body });
      assert.equal(status, 422, JSON.stringify(body));
    }
    assert.deepEqual((await call('GET', `/questions/${before.id}`)).body, before);
  });

  it('422: rejects a key that is also a distractor', async () => {
    const { id } = await create({ incorrect_answers: ['Mars'] });
    const { status, body } = await call('PUT', `/questions/${id}`, { body: { correct_answer: 'Mars' } });
    assert.equal(status, 422);
    assert.deepEqual(body.errors[0].code, 'duplicate');
  });

  it('204: removes a deleted question everywhere but in its history', async () => {
    const { id } = await create({ external_id: 'deleted', tags: ['to be deleted'] });
    const deleted = await call('DELETE', `/questions/${id}`);
    assert.equal(deleted.status, 204);
    assert.equal(deleted.text, '');
    assert.equal((await call('GET', `/questions/${id}`)).status, 404);
    assert.equal((await call('PUT', `/questions/${id}`, { body: { difficulty: 0 } })).status, 404);
    const empty = await call('DELETE', `/questions/${id}`, { body: '' });
    assert.equal(empty.status, 404, 'an empty body with a Content-Type is no body');
    assert.equal((await call('GET', '/questions?external_id=deleted')).body.pagination.total, 0);
    assert.equal((await call('GET', '/questions?tag=to+be+deleted')).body.pagination.total, 0);
    assert.equal((await call('GET', '/questions?q=deleted')).body.pagination.total, 0);
    assert.equal((await call('GET', `/questions/${id}/revisions`)).body.pagination.total, 2);
    assert.equal((await create({ external_id: 'deleted' })).external_id, 'deleted');
  });

  it('404: rejects everything that is not the id of a question', async () => {
    for (const id of [UNKNOWN_ID, 'x', '1', '%00', "'", '..%2f', 'a'.repeat(400), '%F0%9F%92%A9']) {
      for (const [method, path, body] of [
        ['GET', '', undefined],
        ['PUT', '', { difficulty: 1 }],
        ['DELETE', '', undefined],
        ['GET', '/revisions', undefined],
        ['POST', '/restore', { revision: 1 }],
      ] as const) {
        const answer = await call(method, `/questions/${id}${path}`, { body });
        assert.equal(answer.status, 404, `${method} ${id}${path}`);
        assert.equal(answer.body.status, 404);
      }
    }
  });

  it('accepts an id in upper case', async () => {
    const { id } = await create();
    assert.equal((await call('GET', `/questions/${id.toUpperCase()}`)).body.id, id);
  });

  it('409: keeps external_id unique, and names the question that has it', async () => {
    const first = await create({ external_id: 'one' });
    const again = await call('POST', '/questions', { body: sample({ external_id: 'one' }) });
    assert.equal(again.status, 409);
    assert.equal(again.body.code, 'external_id_taken');
    assert.deepEqual(again.body.errors, [
      {
        pointer: '/external_id',
        code: 'external_id_taken',
        detail: `is the external_id of question ${first.id}`,
      },
    ]);
    const twice = await call('POST', '/questions', {
      body: [sample({ external_id: 'two' }), sample({ external_id: 'one' }), sample({ external_id: 'two' })],
    });
    assert.equal(twice.status, 409);
    assert.deepEqual(
      twice.body.errors.map(({ pointer }: { pointer: string }) => pointer),
      ['/1/external_id', '/2/external_id'],
    );
    const other = await create({ external_id: 'three' });
    const moved = await call('PUT', `/questions/${other.id}`, { body: { external_id: 'one' } });
    assert.equal(moved.status, 409);
    const kept = await call('PUT', `/questions/${first.id}`, { body: { external_id: 'one', difficulty: 0 } });
    assert.equal(kept.status, 200);
    const composed = await create({ external_id: 'caf\u00e9' });
    const decomposed = await call('POST', '/questions', { body: sample({ external_id: 'cafe\u0301' }) });
    assert.equal(decomposed.status, 409);
    assert.ok(decomposed.body.errors[0].detail.includes(composed.id));
  });

  it('409: accepts one of many concurrent creates with the same external_id', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => call('POST', '/questions', { body: sample({ external_id: 'race' }) })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [201, ...Array(19).fill(409)]);
  });

  it('304 and 412: evaluates ETags', async () => {
    const { id } = await create();
    const first = await call('GET', `/questions/${id}`);
    const etag = first.headers.etag!;
    assert.match(etag, /^"[^"]+"$/);
    const known = await call('GET', `/questions/${id}`, { headers: { 'if-none-match': etag } });
    assert.equal(known.status, 304);
    assert.equal(known.text, '');
    assert.equal(known.headers.etag, etag);
    for (const listed of [`"x", ${etag}`, `W/${etag}`, '*']) {
      assert.equal(
        (await call('GET', `/questions/${id}`, { headers: { 'if-none-match': listed } })).status,
        304,
      );
    }
    const put = (difficulty: number, match: string) =>
      call('PUT', `/questions/${id}`, { body: { difficulty }, headers: { 'if-match': match } });
    assert.equal((await put(2, '"stale"')).status, 412);
    assert.equal((await put(2, `W/${etag}`)).status, 412);
    assert.equal((await put(2, 'no quotes')).status, 400);
    const changed = await put(2, `"x", ${etag}`);
    assert.equal(changed.status, 200);
    assert.notEqual(changed.headers.etag, etag);
    assert.equal((await call('GET', `/questions/${id}`, { headers: { 'if-none-match': etag } })).status, 200);
    assert.equal((await call('DELETE', `/questions/${id}`, { headers: { 'if-match': etag } })).status, 412);
    assert.equal(
      (await call('DELETE', `/questions/${id}`, { headers: { 'if-match': changed.headers.etag! } })).status,
      204,
    );
  });

  it('412: accepts one of 50 concurrent changes to the same version', async () => {
    const { id } = await create();
    const { etag } = (await call('GET', `/questions/${id}`)).headers;
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        call('PUT', `/questions/${id}`, {
          body: { explanation: `change ${i}` },
          headers: { 'if-match': etag! },
        }),
      ),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(49).fill(412)]);
    assert.equal((await call('GET', `/questions/${id}`)).body.revision, 2);
  });

  it('200: accepts concurrent changes to one question, also of its category', async () => {
    const { id } = await create();
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        call('PUT', `/questions/${id}`, {
          body: { category: ['Science', 'Geography', 'Literature'][i % 3], source: `${i}` },
        }),
      ),
    );
    assert.ok(answers.every(({ status }) => status === 200));
    assert.equal((await call('GET', `/questions/${id}`)).body.revision, 31);
    assert.equal((await call('GET', `/questions/${id}/revisions`)).body.pagination.total, 31);
  });

  it('records the client and the key of every revision', async () => {
    const { id } = await create();
    const path = `/questions/${id}`;
    const { app, admin, keyFor } = service();
    const session = await app.inject({
      method: 'POST',
      url: '/auth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: 'admin',
        client_secret: admin.secret,
      }).toString(),
    });
    const token = session.json().access_token;
    assert.equal((await call('PUT', path, { token, body: { difficulty: 2 } })).status, 200);
    assert.equal((await call('DELETE', path, { token: await keyFor('questions:write') })).status, 204);
    assert.equal((await call('POST', `${path}/restore`, { body: { revision: 1 } })).status, 200);
    const revisions: { by: { client: string; key: string | null }; change_id: null }[] = (
      await call('GET', `${path}/revisions`)
    ).body.data;
    const keys = revisions.map(({ by }) => by.key);
    assert.deepEqual(new Set(revisions.map(({ by }) => by.client)), new Set(['admin']));
    assert.equal(keys[2], null);
    assert.equal(keys[0], keys[3]);
    const listed: { id: string }[] = (await call('GET', '/auth/tokens')).body.data;
    for (const key of [keys[0], keys[1]]) assert.ok(listed.some(({ id }) => id === key));
    assert.notEqual(keys[0], keys[1]);
    for (const { change_id } of revisions) assert.equal(change_id, null);
  });

  it('keeps every revision and restores any', async () => {
    const first = await create({ tags: ['old'], external_id: 'history' });
    const second = (
      await call('PUT', `/questions/${first.id}`, { body: { question_text: 'Second?', tags: ['new'] } })
    ).body;
    const path = `/questions/${first.id}`;
    const history = await call('GET', `${path}/revisions`);
    assert.deepEqual(
      history.body.data.map(({ revision, action }: { revision: number; action: string }) => [
        revision,
        action,
      ]),
      [
        [2, 'updated'],
        [1, 'created'],
      ],
    );
    assert.deepEqual(history.body.data[0].question, second);
    assert.deepEqual(history.body.data[1].question, first);

    const back = await call('POST', `${path}/restore`, { body: { revision: 1 } });
    assert.equal(back.status, 200);
    assert.deepEqual(back.body, { ...first, revision: 3, updated_at: back.body.updated_at });
    assert.equal((await call('GET', '/questions?tag=old')).body.pagination.total, 1);
    assert.equal((await call('GET', '/questions?tag=new')).body.pagination.total, 0);

    assert.equal((await call('DELETE', path)).status, 204);
    const revived = await call('POST', `${path}/restore`, { body: { revision: 2 } });
    assert.equal(revived.status, 200);
    assert.deepEqual(revived.body, { ...second, revision: 5, updated_at: revived.body.updated_at });
    assert.deepEqual((await call('GET', path)).body, revived.body);
    assert.equal((await call('GET', '/questions?tag=new&q=second')).body.pagination.total, 1);

    const all = (await call('GET', `${path}/revisions?limit=2&offset=1`)).body;
    assert.deepEqual(
      all.data.map(({ revision, action }: { revision: number; action: string }) => [revision, action]),
      [
        [4, 'deleted'],
        [3, 'restored'],
      ],
    );
    assert.deepEqual(all.pagination, { limit: 2, offset: 1, total: 5, has_more: true, next_cursor: null });
    for (const [revision, status] of [
      [4, 404],
      [9, 404],
      [5, 409],
      [0, 422],
      ['1', 422],
    ] as const) {
      assert.equal(
        (await call('POST', `${path}/restore`, { body: { revision } })).status,
        status,
        String(revision),
      );
    }
  });

  it('409: rejects restoring an external_id that another question has', async () => {
    const { id } = await create({ external_id: 'passed on' });
    await call('DELETE', `/questions/${id}`);
    await create({ external_id: 'passed on' });
    assert.equal((await call('POST', `/questions/${id}/restore`, { body: { revision: 1 } })).status, 409);
  });

  it('answers under /v1, with links under /v1', async () => {
    const made = await call('POST', '/v1/questions', { body: sample() });
    assert.equal(made.status, 201);
    assert.equal(made.headers.location, `/v1/questions/${made.body.id}`);
    assert.equal((await call('GET', made.headers.location!)).status, 200);
    assert.match(
      (await call('GET', '/v1/questions?limit=1')).headers.link!,
      /^<\/v1\/questions\?limit=1&offset=0>; rel="first"/,
    );
    assert.equal((await call('GET', '/v1/v1/questions')).status, 404);
    assert.equal((await call('GET', '/v2/questions')).status, 404);
  });

  it('returns text of every script unchanged', async () => {
    for (const question_text of [
      'שלום \u202e world',
      '👩‍👩‍👧‍👦 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 \ufeff',
      '\ufeffmark at the start',
      "'; DROP TABLE questions; --",
      '$(x) {{y}} %s %00 \\u0000 \\',
      '<script>alert(1)</script>',
      'z\u0334\u0348a\u0323\u0307lgo'.normalize('NFC'),
      'a\u2028b\u2029c',
    ]) {
      const { id } = await create({ question_text });
      assert.equal((await call('GET', `/questions/${id}`)).body.question_text, question_text);
    }
  });
});
