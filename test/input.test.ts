/** Invalid and malicious input: it is rejected with a problem document and changes nothing. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEveryEngine, sample } from './support/engines.ts';

/** More than ten times the CPU time of the adversarial requests. */
const MAX_CPU_MICROSECONDS = 5_000_000;

const json = JSON.stringify(sample());
/** The JSON of the sample with more members. */
const withText = (text: string) => `${json.slice(0, -1)},${text}}`;
const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

onEveryEngine('bad input', (service) => {
  const call: ReturnType<typeof service>['call'] = (...args) => service().call(...args);

  it('400: rejects numbers in a query that are not plain decimals in range', async () => {
    const numbers = [
      '0',
      '-1',
      '1001',
      '1e2',
      '0x10',
      '%205',
      '5%20',
      '1e309',
      'Infinity',
      'NaN',
      '',
      '+5',
      '05',
      '1.0',
    ];
    const odd = ['9007199254740993', '1,2', '٣', 'null', 'true', '1_0', '5%00', '-0', '1e', "1'", '1;drop'];
    const queries = [...numbers, ...odd].map((n) => `limit=${n}`);
    queries.push(
      'limit=5&limit=5',
      'limit[]=5',
      'limit',
      'limit=5&limit=',
      'Limit=5',
      'offset=-1',
      'offset=1e1',
    );
    queries.push(
      'offset=9007199254740992',
      'difficulty=3',
      'difficulty=-1',
      'difficulty=1.5',
      'difficulty=one',
    );
    for (const query of queries) {
      const { status, body } = await call('GET', `/questions?${query}`);
      assert.equal(status, 400, query);
      assert.ok(body.detail.length > 10, query);
    }
    assert.equal((await call('GET', '/questions?limit=1000&offset=0&difficulty=0')).status, 200);
  });

  it('400: rejects unknown parameters and values', async () => {
    for (const query of [
      'page=2',
      'filter=answer%20eq%20B',
      'fields=correct_answer',
      'sort=answer',
      'sort=correct_answer',
      'sort=created_at,id',
      'sort=',
      'updated_since=yesterday',
      'updated_since=2026-13-01T00:00:00Z',
      'updated_since=2026-02-30',
      'updated_since=2026-01',
      'updated_since=2026-02-30T00:00:00Z',
      'updated_since=2016-12-31T23:59:60Z',
      'updated_since=2026-01-01T00:00:00',
      'updated_since=',
      'access_token=x',
      '__proto__=1',
      'constructor=1',
      'toString=1',
      'q=%E0%A4%A',
      'q=%FF',
      'category=%00',
      '%=1',
      `q=${'a'.repeat(201)}`,
      `tag=${'a'.repeat(101)}`,
      Array(21).fill('tag=x').join('&'),
      'q=a&q=a',
      'difficulty=0,3',
      'difficulty=',
      'missing=answers',
      'kind=essay',
      Array(21).fill('category=Science').join('&'),
      'sort=deleted_at',
      'deleted=true&sort=updated_at',
      'deleted=true&sort=relevance&q=x',
      'include_deleted=true',
      'include_deleted=true&updated_since=2026-01-01',
      'deleted=yes',
    ]) {
      const { status, body } = await call('GET', `/questions?${query}`);
      assert.equal(status, 400, query);
      assert.equal(body.status, 400);
    }
    const both = await call('GET', '/questions?limit=x&nope=1&sort=z');
    assert.deepEqual(both.body.errors.map(({ pointer }: { pointer: string }) => pointer).sort(), [
      '?limit',
      '?nope',
      '?sort',
    ]);
    assert.equal((await call('GET', '/health?x=1')).status, 400);
    assert.equal((await call('POST', '/questions?validate_only=1', { body: sample() })).status, 400);
    assert.equal((await call('POST', '/questions?limit=1', { body: sample() })).status, 400);
  });

  it('takes wildcards and operators in filters literally', async () => {
    for (const text of [
      "' OR 1=1 --",
      '%',
      '_',
      '\\',
      '$ne',
      '";--',
      'a COLLATE NOCASE',
      '*',
      '{"$gt":""}',
      '(a+)+$',
    ]) {
      for (const name of ['topic_focus', 'tag', 'external_id']) {
        const { status, body } = await call('GET', `/questions?${name}=${encodeURIComponent(text)}`);
        assert.equal(status, 200, `${name} ${text}`);
        assert.equal(body.pagination.total, 0);
      }
      const { status, body } = await call('GET', `/questions?category=${encodeURIComponent(text)}`);
      assert.deepEqual([status, body.errors[0].code], [400, 'unknown_category'], text);
    }
  });

  it('400: rejects bodies that are not JSON', async () => {
    const bodies: (string | Buffer)[] = [
      '',
      '{',
      'null,',
      '{"a":1,}',
      "{'a':1}",
      '{"question_text":NaN}',
      `${json} x`,
      Buffer.concat([Buffer.from('{"question_text":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]),
      Buffer.from(json, 'utf16le'),
      withText('"explanation":"\\u0000"'),
      withText('"explanation":"\\ud800"'),
      withText('"explanation":"\\udc00\\ud800"'),
      withText('"\\ud800":1'),
      withText('"a\\u0000":1'),
      withText('"difficulty":1'),
      withText('"tags":[],"tags":[]'),
      withText('"x":{"y":1,"y":2}'),
      withText('"diff\\u0069culty":1'),
      deep(33),
      deep(100_000),
      '{"a":'.repeat(100_000),
      withText(`"x":${deep(40)}`),
    ];
    for (const body of bodies) {
      const { status, body: problem } = await call('POST', '/questions', { body });
      assert.equal(status, 400, String(body).slice(0, 60));
      assert.match(problem.code, /^malformed_(json|text)$/);
    }
  });

  it('422: rejects JSON that is no question', async () => {
    const bodies = [
      'null',
      'true',
      '1',
      '"text"',
      '{}',
      '[]',
      '[[]]',
      '[null]',
      `[${json},5]`,
      JSON.stringify(Array(1001).fill(sample())),
      withText('"difficult":1'),
      withText('"__proto__":{"admin":true}'),
      withText('"constructor":{"prototype":{"x":1}}'),
      withText('"id":"01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30"'),
      withText('"revision":5'),
      withText('"role":"admin"'),
      withText('"tags":"a"'),
      withText('"tags":{"0":"a"}'),
      withText('"tags":[null]'),
      withText('"tags":["a","A"]'),
      withText('"tags":[""]'),
      withText(`"tags":${JSON.stringify(Array.from({ length: 51 }, (_, i) => `t${i}`))}`),
      withText('"incorrect_answers":["Jupiter"]'),
      withText('"incorrect_answers":["a","a"]'),
      withText('"incorrect_answers":["cafe\\u0301","caf\\u00e9"]'),
      withText('"incorrect_answers":[" Jupiter "]'),
      withText(`"incorrect_answers":${JSON.stringify(Array.from({ length: 21 }, (_, i) => `${i}`))}`),
      withText('"topic_focus":""'),
      withText('"topic_focus":"a\\u0007"'),
      withText('"topic_focus":"a\\rb"'),
      withText('"topic_focus":"a\\r"'),
      withText('"topic_focus":"\\u0085a\\u000b"'),
      withText('"topic_focus":"a\\u009fb"'),
      withText(`"topic_focus":"${'x'.repeat(201)}"`),
      withText(`"external_id":"${'x'.repeat(201)}"`),
      withText(`"source":"${'x'.repeat(501)}"`),
      ...[
        '1e309',
        '"1"',
        'true',
        'null',
        '3',
        '-1',
        '0.5',
        '9007199254740993',
        '[1]',
        '{}',
        '"0"',
        '1.0000001',
      ].map((difficulty) => JSON.stringify(sample()).replace('"difficulty":1', `"difficulty":${difficulty}`)),
      JSON.stringify(sample({ question_text: ' \n\t ' })),
      JSON.stringify(sample({ question_text: 'x'.repeat(10_001) })),
      JSON.stringify(sample({ correct_answer: 'x'.repeat(2_001) })),
      JSON.stringify(sample({ correct_answer: 5 })),
      JSON.stringify(sample({ category: '' })),
      JSON.stringify(sample({ category: 'Nope' })),
      JSON.stringify(sample({ category: null })),
    ];
    for (const body of bodies) {
      const { status, body: problem } = await call('POST', '/questions', { body });
      assert.equal(status, 422, body.slice(0, 200));
      assert.ok(problem.errors.length > 0, body.slice(0, 200));
    }
    assert.equal(({} as { admin?: unknown }).admin, undefined);
    assert.equal((await call('GET', '/questions')).body.pagination.total, 0);
  });

  it('counts characters, not bytes or code units', async () => {
    const { status, body } = await call('POST', '/questions', {
      body: sample({ question_text: '🪐'.repeat(10_000) }),
    });
    assert.equal(status, 201);
    await call('DELETE', `/questions/${body.id}`);
    assert.equal(
      (await call('POST', '/questions', { body: sample({ question_text: '🪐'.repeat(10_001) }) })).status,
      422,
    );
  });

  it('reports all faults at once, each with its pointer', async () => {
    const { body } = await call('POST', '/questions', {
      body: [
        {
          question_text: '',
          correct_answer: 7,
          category: 'Nope',
          difficulty: '1',
          tags: ['x', 'X', 5],
          extra: 1,
          'a/b~c': 1,
        },
        {},
      ],
    });
    assert.equal(body.code, 'invalid_body');
    assert.deepEqual(
      Object.fromEntries(body.errors.map(({ pointer, code }: Record<string, string>) => [pointer, code])),
      {
        '/0/question_text': 'too_short',
        '/0/correct_answer': 'wrong_type',
        '/0/category': 'unknown_category',
        '/0/difficulty': 'wrong_type',
        '/0/tags/1': 'duplicate',
        '/0/tags/2': 'wrong_type',
        '/0/extra': 'unknown_field',
        '/0/a~1b~0c': 'unknown_field',
        '/1/question_text': 'required',
        '/1/correct_answer': 'required',
        '/1/category': 'required',
        '/1/difficulty': 'required',
      },
    );
  });

  it('stores control characters and injection attempts unchanged or rejects them', async () => {
    const spaces = `x${' '.repeat(500_000)}x`;
    const marks = `a${'\u0301'.repeat(40_000)}${'\u0323'.repeat(40_000)}`;
    const began = process.cpuUsage();
    assert.equal((await call('POST', '/questions', { body: sample({ explanation: spaces }) })).status, 422);
    assert.equal((await call('POST', '/questions', { body: sample({ explanation: marks }) })).status, 400);
    assert.equal((await call('POST', '/questions', { body: `[${'1,'.repeat(2_000_000)}1]` })).status, 422);
    const tags = `[{"tags":[${'"a",'.repeat(1_000_000)}"a"]}]`;
    assert.equal((await call('POST', '/questions', { body: tags })).status, 422);
    assert.equal((await call('GET', `/questions?q=${encodeURIComponent('e\u0301'.repeat(40))}`)).status, 200);
    // With quadratic algorithms, each of these takes from seconds to minutes.
    const { user } = process.cpuUsage(began);
    assert.ok(user < MAX_CPU_MICROSECONDS, `${user} µs`);
  });

  it('limits the faults it reports', async () => {
    const keys = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`k${i}`, i]));
    assert.equal((await call('POST', '/questions', { body: [keys(100_001)] })).status, 400);
    const { status, body, text } = await call('POST', '/questions', { body: Array(1000).fill(keys(90)) });
    assert.equal(status, 422);
    assert.ok(body.errors.length <= 1000 && text.length < 200_000);
  });

  it('413: rejects bodies beyond the limits', async () => {
    const big = 'x'.repeat(9_000);
    const one = { ...sample(), explanation: big, tags: Array.from({ length: 130 }, (_, i) => `${i}${big}`) };
    assert.equal((await call('POST', '/questions', { body: one })).status, 413);
    assert.equal((await call('POST', '/questions', { body: 'x'.repeat(10 * 1024 * 1024 + 1) })).status, 413);
    const { id } = (await call('POST', '/questions', { body: sample() })).body;
    assert.equal(
      (await call('PUT', `/questions/${id}`, { body: `{"explanation":"${'x'.repeat(1024 * 1024)}"}` }))
        .status,
      413,
    );
    const array = Array.from({ length: 900 }, (_, i) =>
      sample({ explanation: `${i} ${big}`, external_id: `big ${i}` }),
    );
    assert.equal((await call('POST', '/questions', { body: array })).status, 201);
  });

  it('415: rejects other media types, other charsets and compressed bodies', async () => {
    for (const type of [
      'text/plain',
      'application/xml',
      'application/json; charset=utf-16',
      'application/x+json',
      'json',
      '',
    ]) {
      const { status } = await call('POST', '/questions', { body: json, headers: { 'content-type': type } });
      assert.equal(status, 415, type);
    }
    const zipped = await call('POST', '/questions', { body: json, headers: { 'content-encoding': 'gzip' } });
    assert.equal(zipped.status, 415);
    for (const type of [
      'APPLICATION/JSON',
      'application/json;charset=UTF-8',
      'application/json ; charset="utf-8"',
    ]) {
      const { status } = await call('POST', '/questions', { body: json, headers: { 'content-type': type } });
      assert.equal(status, 201, type);
    }
    assert.equal((await call('POST', '/questions')).status, 400);
  });

  it('405 with Allow, 404 and 414 are problem documents too', async () => {
    for (const [method, url, allow] of [
      ['PATCH', '/questions', 'GET, HEAD, POST'],
      ['DELETE', '/questions', 'GET, HEAD, POST'],
      ['POST', '/questions/x', 'GET, HEAD, PUT, PATCH, DELETE'],
      ['TRACE', '/questions', 'GET, HEAD, POST'],
      ['PROPFIND', '/categories', 'GET, HEAD, POST'],
      ['POST', '/health', 'GET, HEAD'],
      ['OPTIONS', '/questions/x/restore', 'POST'],
    ] as const) {
      const answer = await call(method, url, { headers: { 'x-http-method-override': 'GET' } });
      assert.equal(answer.status, 405, `${method} ${url}`);
      assert.equal(answer.headers.allow, allow);
      assert.equal(answer.body.code, 'method_not_allowed');
    }
    for (const url of [
      '/nope',
      '/questions/',
      '//questions',
      '/Questions',
      '/questions%2f',
      '/questions;x',
      '/v1/../x',
      '/%61dmin',
    ]) {
      const answer = await call('GET', url);
      assert.equal(answer.status, 404, url);
      assert.match(answer.body.code, /^no_such_(route|question)$/, url);
    }
    assert.equal((await call('GET', `/questions?q=${'a'.repeat(9_000)}`)).status, 414);
    assert.equal((await call('GET', `/questions/${'a'.repeat(600)}`)).status, 404);
    assert.equal((await call('GET', '/questions/%')).status, 400);
    assert.equal((await call('GET', '/%ff')).status, 400);
  });

  it('400: rejects malformed headers', async () => {
    for (const key of ['', ' ', 'a b', 'é', 'x'.repeat(256)]) {
      const { status } = await call('POST', '/questions', {
        body: sample(),
        headers: { 'idempotency-key': key },
      });
      assert.equal(status, 400, key);
    }
  });

  it('HEAD answers as GET does, without the body', async () => {
    const head = await call('HEAD', '/questions?limit=1');
    const get = await call('GET', '/questions?limit=1');
    assert.equal(head.status, 200);
    assert.equal(head.text, '');
    assert.equal(head.headers['content-length'], get.headers['content-length']);
    assert.equal(head.headers.link, get.headers.link);
  });
});
