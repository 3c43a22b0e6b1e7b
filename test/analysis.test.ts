/** Runs of analyses: creation, waiting, lists, results, cancellation, deletion and permissions. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { analyses } from '../src/analyses/index.ts';
import { onEveryEngine, type Service, sample } from './support/engines.ts';
import { until } from './support/until.ts';

const UNKNOWN_ID = '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30';
const ASYNC = { prefer: 'respond-async' };
const WAIT = { prefer: 'wait=30' };

// biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
type Json = any;

function cases(service: () => Service): void {
  const call: Service['call'] = (...args) => service().call(...args);
  const add = async (questions: object[]): Promise<string[]> => {
    const { body } = await call('POST', '/questions', { body: questions.map(sample) });
    return body.data.map(({ id }: Json) => id);
  };
  const run = async (body: object, headers: Record<string, string> = WAIT, token?: string) =>
    call('POST', '/analysis/run', { body, headers, ...(token && { token }) });

  it('201: returns the run with its result, and its Location', async () => {
    const ids = await add([{ difficulty: 0 }, { difficulty: 1 }, { difficulty: 2 }]);
    const { status, headers, body } = await run({ analysis_type: 'readability', question_ids: ids });
    assert.equal(status, 201);
    assert.equal(headers['preference-applied'], 'wait=30');
    assert.equal(headers.location, `/analysis/${body.id}`);
    assert.deepEqual([body.analysis_type, body.status, body.question_count], ['readability', 'succeeded', 3]);
    assert.deepEqual([body.progress, body.attempts, body.error, body.filter], [1, 1, null, null]);
    assert.ok(body.created_at <= body.started_at && body.started_at <= body.finished_at);
    assert.equal(typeof body.parameters.max_grade, 'number');
    assert.deepEqual([body.result.analysis_type, body.result.questions.count], ['readability', 3]);
    assert.deepEqual(body.result.items.map((item: Json) => item.question_id).sort(), ids.sort());
    const again = await call('GET', headers.location!);
    assert.deepEqual(again.body, body);
    assert.equal(again.headers.etag, headers.etag);
    const known = await call('GET', headers.location!, { headers: { 'if-none-match': headers.etag! } });
    assert.equal(known.status, 304);
    assert.equal((await call('GET', `/v1/analysis/${body.id}`)).status, 200);
  });

  it('202: queues a run with Prefer: respond-async', async () => {
    const { status, headers, body } = await run({ analysis_type: 'coverage' }, ASYNC);
    assert.equal(status, 202);
    assert.equal(headers['preference-applied'], 'respond-async');
    assert.equal(headers['retry-after'], '1');
    assert.ok(['queued', 'running'].includes(body.status));
    assert.equal(body.result, null);
    const ended = await until('its end', async () => {
      const { body: now } = await call('GET', headers.location!);
      return now.status === 'succeeded' && now;
    });
    assert.equal(ended.result.analysis_type, 'coverage');
  });

  for (const prefer of ['wait=', 'wait=-1', 'nonsense', 'WAIT="30"; x=1, respond-async']) {
    it(`waits with Prefer: ${prefer}`, async () => {
      const { status, headers } = await run({ analysis_type: 'coverage' }, { prefer });
      assert.equal(status, 201);
      assert.equal(headers['preference-applied'], prefer.startsWith('WAIT') ? 'wait=30' : undefined);
    });
  }

  it('runs on the questions that GET /questions would select', async () => {
    const mark = `m${Date.now()}`;
    await add([
      { tags: [mark], difficulty: 2 },
      { tags: [mark] },
      { tags: [mark], question_text: 'Is it windy?' },
    ]);
    for (const [filter, count] of [
      [{ tag: [mark] }, 3],
      [{ tag: [mark], difficulty: 2 }, 1],
      [{ tag: [mark], q: 'wind*' }, 1],
      [{ tag: [mark], category: 'mathematics' }, 0],
      [{ tag: [mark], updated_since: '2020-01-01T00:00:00Z' }, 3],
      [{ tag: [mark], updated_since: '2090-01-01T00:00:00Z' }, 0],
    ] as const) {
      const { status, body } = await run({ analysis_type: 'coverage', filter });
      assert.equal(status, 201, JSON.stringify(filter));
      assert.deepEqual(
        [body.question_count, body.result.questions.count],
        [count, count],
        JSON.stringify(filter),
      );
      assert.deepEqual(body.filter, filter);
      assert.equal(
        body.result.warnings.includes('No questions were selected, so the result is empty.'),
        count === 0,
      );
    }
    const { body } = await run({ analysis_type: 'coverage' });
    assert.equal(body.question_count, (await call('GET', '/questions?limit=1')).body.pagination.total);
    assert.deepEqual(body.filter, {});
  });

  it('keeps a result when its questions change', async () => {
    const ids = await add([{ question_text: 'Is this the old text?' }, {}]);
    await call('DELETE', `/questions/${ids[1]}`);
    const unknown = await run({ analysis_type: 'readability', question_ids: ids });
    assert.equal(unknown.status, 422);
    const { body } = await run({ analysis_type: 'readability', question_ids: [ids[0]!.toUpperCase()] });
    await call('PUT', `/questions/${ids[0]}`, {
      body: { question_text: 'Is this the new text, which is longer?' },
    });
    assert.deepEqual((await call('GET', `/analysis/${body.id}`)).body, body);
    const { body: later } = await run({ analysis_type: 'readability', question_ids: [ids[0]] });
    assert.notEqual(later.result.questions.sha256, body.result.questions.sha256);
  });

  it('422: reports all faults at once and queues nothing', async () => {
    const [id] = await add([{}]);
    const { total } = (await call('GET', '/analysis')).body.pagination;
    const table: [object | string, string[]][] = [
      [{}, ['/analysis_type required']],
      [{ analysis_type: 'astrology' }, ['/analysis_type unknown_value']],
      [{ analysis_type: 'coverage', extra: 1 }, ['/extra unknown_field']],
      [{ analysis_type: 'coverage', question_ids: [] }, ['/question_ids too_few']],
      [{ analysis_type: 'coverage', question_ids: 'x' }, ['/question_ids wrong_type']],
      [
        { analysis_type: 'coverage', question_ids: [UNKNOWN_ID, 'x', id, id, 7] },
        [
          '/question_ids/0 unknown_question',
          '/question_ids/1 invalid_format',
          '/question_ids/3 duplicate',
          '/question_ids/4 wrong_type',
        ],
      ],
      [{ analysis_type: 'coverage', question_ids: [id], filter: {} }, ['/filter conflict']],
      [{ analysis_type: 'coverage', filter: { q: '!' } }, ['/filter/q no_search_terms']],
      [
        { analysis_type: 'coverage', filter: { difficulty: 3, x: 1 } },
        ['/filter/difficulty out_of_range', '/filter/x unknown_field'],
      ],
      [{ analysis_type: 'coverage', parameters: null }, ['/parameters wrong_type']],
      [{ analysis_type: 'coverage', parameters: { nothing: 1 } }, ['/parameters/nothing unknown_field']],
      [
        {
          analysis_type: 'duplicates',
          parameters: { min_similarity: '0.8', x: 1 },
          filter: { sort: 'created_at' },
        },
        [
          '/filter/sort unknown_field',
          '/parameters/min_similarity wrong_type',
          '/parameters/x unknown_field',
        ],
      ],
      [
        {
          analysis_type: 'coverage',
          parameters: { blueprint: [{ category: 'Art' }] },
          question_ids: [UNKNOWN_ID],
        },
        ['/parameters/blueprint/0 share_or_count', '/question_ids/0 unknown_question'],
      ],
      [
        { analysis_type: 'item_statistics', parameters: { significance: 0 } },
        ['/parameters/significance out_of_range'],
      ],
      // Without a known type, the parameters have no schema.
      [
        { analysis_type: 'astrology', parameters: 7, question_ids: ['x'], y: 1 },
        [
          '/analysis_type unknown_value',
          '/parameters wrong_type',
          '/question_ids/0 invalid_format',
          '/y unknown_field',
        ],
      ],
      [{ parameters: { nothing: 1 } }, ['/analysis_type required']],
      ['null', [' wrong_type']],
      [[], [' wrong_type']],
    ];
    for (const [body, expected] of table) {
      const answer = await call('POST', '/analysis/run', { body });
      assert.equal(answer.status, 422, JSON.stringify(body));
      const faults = answer.body.errors.map(({ pointer, code }: Json) => `${pointer} ${code}`).sort();
      assert.deepEqual(faults, expected.sort(), JSON.stringify(body));
    }
    assert.equal((await call('GET', '/analysis')).body.pagination.total, total);
  });

  it('accepts 100,000 ids in one request, and names each unknown one', async () => {
    const question_ids = Array.from(
      { length: 100_000 },
      (_, i) => `01930b1e-7c5a-7b3e-9f4e-${i.toString(16).padStart(12, '0')}`,
    );
    const { status, body } = await run({ analysis_type: 'coverage', question_ids });
    assert.equal(status, 422);
    assert.match(body.detail, /100000 faults/);
    assert.equal(body.errors.length, 1000);
    const tooMany = await run({ analysis_type: 'coverage', question_ids: [...question_ids, UNKNOWN_ID] });
    assert.ok(tooMany.body.errors.some(({ code }: Json) => code === 'too_many'));
  });

  it('lists runs, newest first, by type, status and question', async () => {
    const [one, two] = await add([{}, {}]);
    const first = await run({ analysis_type: 'coverage', question_ids: [one] });
    const second = await run({ analysis_type: 'readability', question_ids: [one, two] });
    const ids = async (query: string) => {
      const { status, headers, body } = await call('GET', `/analysis?${query}`);
      assert.equal(status, 200);
      assert.match(headers.link!, /rel="first"/);
      for (const field of ['parameters', 'result'])
        assert.ok(body.data.every((each: Json) => !(field in each)));
      assert.equal(body.pagination.total >= body.data.length, true);
      return body.data.map(({ id }: Json) => id);
    };
    const [a, b] = [first.body.id, second.body.id];
    assert.deepEqual(await ids(`question_id=${one}`), [b, a]);
    assert.deepEqual(await ids(`question_id=${two}`), [b]);
    assert.deepEqual(await ids(`question_id=${one}&analysis_type=coverage`), [a]);
    assert.deepEqual(await ids(`question_id=${one}&status=failed`), []);
    assert.deepEqual(await ids(`question_id=${one}&limit=1&offset=1`), [a]);
    assert.deepEqual(await ids(`question_id=${UNKNOWN_ID}`), []);
    assert.deepEqual(await ids('question_id=x'), []);
    assert.deepEqual((await ids('limit=2&status=succeeded')).length, 2);
    // Also finds runs by filter, and questions deleted since.
    const mark = `m${Date.now()}`;
    const [third] = await add([{ tags: [mark] }]);
    const filtered = await run({ analysis_type: 'coverage', filter: { tag: [mark] } });
    await call('DELETE', `/questions/${third}`);
    assert.deepEqual(await ids(`question_id=${third}`), [filtered.body.id]);
    for (const query of ['analysis_type=astrology', 'status=odd', 'limit=0', 'limit=1001', 'x=1'])
      assert.equal((await call('GET', `/analysis?${query}`)).status, 400, query);
  });

  it('lists runs briefly', async () => {
    const question_ids = await add([{}]);
    for (let i = 0; i < 20; i++) await run({ analysis_type: 'quality', question_ids });
    const { body, text } = await call('GET', '/analysis?limit=20');
    assert.equal(body.data.length, 20);
    assert.ok(Buffer.byteLength(text) < 10_000, `${Buffer.byteLength(text)} bytes`);
  });

  it('pages the rows of a result', async () => {
    const mark = `m${Date.now()}`;
    const ids = [
      ...(await add(Array.from({ length: 1000 }, () => ({ tags: [mark] })))),
      ...(await add(Array.from({ length: 250 }, () => ({ tags: [mark] })))),
    ];
    const { body } = await run({ analysis_type: 'readability', filter: { tag: [mark] } });
    assert.equal(body.result.items.length, 1000);
    assert.deepEqual(body.result.pagination, {
      limit: 1000,
      offset: 0,
      total: 1250,
      has_more: true,
      next_cursor: null,
    });
    const seen: string[] = [];
    for (let offset = 0; offset < 1250; offset += 300) {
      const page = await call('GET', `/analysis/${body.id}?limit=300&offset=${offset}`);
      assert.equal(page.body.result.pagination.has_more, offset < 1200);
      assert.match(page.headers.link!, /rel="last"/);
      seen.push(...page.body.result.items.map((item: Json) => item.question_id));
    }
    assert.deepEqual(seen.sort(), ids.sort());
    const beyond = await call('GET', `/analysis/${body.id}?offset=${Number.MAX_SAFE_INTEGER}`);
    assert.deepEqual(beyond.body.result.items, []);
  });

  it('answers a repeated request with the status of the first response', async () => {
    const send = (key: string, prefer: string) =>
      service().call('POST', '/analysis/run', {
        body: { analysis_type: 'coverage' },
        headers: { prefer, 'idempotency-key': key },
      });
    const waited = await send('status-waited', 'wait=30');
    const repeated = await send('status-waited', 'respond-async');
    assert.deepEqual([waited.status, repeated.status], [201, 201]);
    assert.equal(repeated.text, waited.text);
    const queued = await send('status-queued', 'respond-async');
    assert.equal(queued.status, 202);
    const { id } = queued.body;
    await until(
      'its end',
      async () => (await service().call('GET', `/analysis/${id}`)).body.status === 'succeeded',
    );
    const again = await send('status-queued', 'wait=30');
    assert.deepEqual([again.status, again.body.id, again.body.status], [202, id, 'succeeded']);
    assert.equal(again.headers.location, queued.headers.location);
  });

  it('creates one run for two requests with the same Idempotency-Key', async () => {
    const headers = { ...WAIT, 'idempotency-key': `once-${Date.now()}` };
    const first = await run({ analysis_type: 'coverage' }, headers);
    const again = await run({ analysis_type: 'coverage' }, headers);
    assert.deepEqual(again.body, first.body);
    const other = await run({ analysis_type: 'readability' }, headers);
    assert.equal(other.body.code, 'idempotency_mismatch');
    // The key refers to the first run, even if questions have changed or the run was deleted.
    const [id] = await add([{}]);
    const named = { ...WAIT, 'idempotency-key': `named-${Date.now()}` };
    const made = await run({ analysis_type: 'coverage', question_ids: [id] }, named);
    await call('DELETE', `/questions/${id}`);
    assert.deepEqual((await run({ analysis_type: 'coverage', question_ids: [id] }, named)).body, made.body);
    await call('DELETE', `/analysis/${made.body.id}`);
    const deleted = await run({ analysis_type: 'coverage', question_ids: [id] }, named);
    assert.equal(deleted.body.code, 'no_such_analysis');
  });

  it('draws a plot of every type, of succeeded runs alone', async () => {
    const made = await call('POST', '/questions', { body: sample() });
    const groups = ['north', 'south'].map((group) => ({
      ...{ question_id: made.body.id, respondent: group, group, correct: true },
    }));
    assert.equal((await call('POST', '/responses', { body: groups })).status, 201);
    for (const { type } of analyses) {
      const { body } = await run({ analysis_type: type });
      const { status, headers, text } = await call('GET', `/analysis/${body.id}/plot.svg`);
      assert.equal(status, 200);
      assert.equal(headers['content-type'], 'image/svg+xml; charset=utf-8');
      assert.match(headers['content-security-policy']!, /default-src 'none'; style-src 'unsafe-inline'/);
      assert.match(text, /^<svg[^>]* role="img"/);
    }
    assert.equal((await call('GET', `/analysis/${UNKNOWN_ID}/plot.svg`)).body.code, 'no_such_analysis');
  });

  it('describes every type', async () => {
    const { body } = await call('GET', '/analysis/types');
    assert.deepEqual(
      body.data.map((each: Json) => each.analysis_type),
      analyses.map(({ type }) => type),
    );
    for (const { parameters, result, example } of body.data) {
      assert.equal(parameters.type, 'object');
      assert.deepEqual(parameters.required, []);
      assert.ok(
        Object.values(parameters.properties).every((each: Json) => 'default' in each && each.description),
      );
      assert.deepEqual(Object.keys(result.properties).slice(0, 3), ['analysis_type', 'version', 'questions']);
      assert.ok(example.questions.length > 0);
    }
  });

  it('404 for an unknown run, 204 and then 404 for a deleted one, 412 for a changed one', async () => {
    for (const id of [UNKNOWN_ID, 'x', '%20'])
      for (const method of ['GET', 'DELETE'])
        assert.equal((await call(method, `/analysis/${id}`)).body.code, 'no_such_analysis');
    const { body, headers } = await run({ analysis_type: 'coverage' });
    const path = `/analysis/${body.id}`;
    assert.equal(
      (await call('DELETE', path, { headers: { 'if-match': '"0.without_answers"' } })).status,
      412,
    );
    assert.equal((await call('DELETE', path, { headers: { 'if-match': headers.etag! } })).status, 204);
    assert.equal((await call('GET', path)).status, 404);
    assert.equal((await call('DELETE', path)).status, 404);
  });

  it('hides a run whose filter searched answers from callers without answers:read', async () => {
    const withoutAnswers = await service().keyFor('questions:read', 'analysis:read', 'analysis:run');
    const [id] = await add([{ correct_answer: 'Zanzibar', question_text: 'Where do cloves grow?' }]);
    for (const filter of [
      { q: 'zanzibar' },
      { updated_since: '2020-01-01T00:00:00Z', external_id: 'none' },
    ]) {
      const { body } = await run({ analysis_type: 'coverage', filter });
      const path = `/analysis/${body.id}`;
      for (const url of [path, `${path}/plot.svg`]) {
        assert.equal((await call('GET', url)).status, 200);
        assert.equal((await call('GET', url, { token: withoutAnswers })).body.code, 'no_such_analysis');
      }
      assert.equal((await call('DELETE', path, { token: withoutAnswers })).status, 404);
      const seen = await call('GET', '/analysis?limit=1000', { token: withoutAnswers });
      assert.ok(!seen.text.includes(body.id));
      assert.ok((await call('GET', '/analysis?limit=1000')).text.includes(body.id));
    }
    const own = await run({ analysis_type: 'coverage', filter: { q: 'zanzibar' } }, WAIT, withoutAnswers);
    assert.equal(own.body.question_count, 0);
    const found = await run({ analysis_type: 'coverage', filter: { q: 'cloves' } }, WAIT, withoutAnswers);
    assert.equal(found.body.question_count, 1);
    assert.ok(
      (await call('GET', `/analysis?question_id=${id}`, { token: withoutAnswers })).text.includes(
        found.body.id,
      ),
    );
    const refused = await run(
      { analysis_type: 'coverage', filter: { updated_since: '2020-01-01T00:00:00Z' } },
      WAIT,
      withoutAnswers,
    );
    assert.equal(refused.body.code, 'insufficient_scope');
  });

  it('403: names the scope that the route requires', async () => {
    const token = await service().keyFor('questions:read');
    for (const [method, url, scope, body] of [
      ['GET', '/analysis', 'analysis:read'],
      ['GET', '/analysis/types', 'analysis:read'],
      ['GET', `/analysis/${UNKNOWN_ID}`, 'analysis:read'],
      ['GET', `/analysis/${UNKNOWN_ID}/plot.svg`, 'analysis:read'],
      ['POST', '/analysis/run', 'analysis:run', { analysis_type: 'coverage' }],
      ['DELETE', `/analysis/${UNKNOWN_ID}`, 'analysis:run'],
    ] as const) {
      const { status, body: problem } = await call(method, url, { token, ...(body && { body }) });
      assert.equal(status, 403);
      assert.ok(problem.detail.includes(scope));
    }
  });
}

onEveryEngine('analyses', cases);
