/** Reports of questions by respondents. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ROLES, type Scope } from '../src/schemas/scopes.ts';
import { listen, onEveryEngine, type Service, sample } from './support/engines.ts';
import { EventStream } from './support/event-stream.ts';
import { until } from './support/until.ts';

onEveryEngine('reports', (service) => {
  const call: Service['call'] = (...args) => service().call(...args);
  const create = async () =>
    (await call('POST', '/questions', { body: sample({ incorrect_answers: ['Mars'] }) })).body;
  const report = async (id: string, body: object, token?: string) =>
    call('POST', `/questions/${id}/reports`, {
      body: { reason: 'wrong_answer', ...body },
      ...(token !== undefined && { token }),
    });
  const list = async (query = '') => (await call('GET', `/reports${query}`)).body;

  it('has one report per respondent, question and revision; a repeat replaces it', async () => {
    const { id } = await create();
    for (const [respondent, comment] of [
      ['ada', 'first'],
      ['ben', 'other'],
      ['ada', 'second'],
    ])
      await report(id, { respondent, comment });
    const { data, pagination } = await list(`?question_id=${id}`);
    assert.equal(pagination.total, 2);
    assert.deepEqual(
      data.map((each: { respondent: string; comment: string }) => [each.respondent, each.comment]),
      [
        ['ben', 'other'],
        ['ada', 'second'],
      ],
    );
    await call('PUT', `/questions/${id}`, { body: { correct_answer: 'Saturn' } });
    await report(id, { respondent: 'ada' });
    const revisions = (await list(`?question_id=${id}`)).data.map(
      (each: { revision: number }) => each.revision,
    );
    assert.deepEqual(revisions, [2, 1, 1]);
  });

  it('has one report per client without a respondent', async () => {
    const { id } = await create();
    await report(id, {});
    await report(id, { reason: 'unclear' });
    const { data } = (await call('GET', `/questions/${id}/reports`)).body;
    assert.deepEqual(
      data.map((each: { reason: string; client_id: string }) => [each.reason, each.client_id]),
      [['unclear', 'admin']],
    );
  });

  it('gives the same response to a right and a wrong answer, and to a first and a repeated report', async () => {
    const { id } = await create();
    const token = await service().keyFor(...ROLES.player);
    const answers = ['Jupiter', 'Mars', 'Nothing', ['Jupiter', 'Mars'], 'Jupiter', null];
    const responses = [];
    for (const answer of answers) {
      const { status, body } = await report(id, { respondent: 'ada', answer }, token);
      responses.push({ status, body });
    }
    await call('PUT', `/questions/${id}`, { body: { correct_answer: 'Saturn' } });
    const { status, body } = await report(id, { respondent: 'ada', answer: 'Jupiter' }, token);
    const expected = { status: 202, body: { question_id: id, reason: 'wrong_answer' } };
    assert.deepEqual([...responses, { status, body }], Array(answers.length + 1).fill(expected));
    assert.equal((await call('GET', `/questions/${id}`, { token })).status, 200);
  });

  it('can be reported by the roles player and quiz, and read by those who write and see answers', async () => {
    const { id } = await create();
    for (const [role, scopes] of Object.entries(ROLES)) {
      const granted: readonly Scope[] = scopes;
      const token = await service().keyFor(...granted);
      const may = (...needed: Scope[]) => needed.every((scope) => granted.includes(scope));
      const reported = await report(id, { respondent: role }, token);
      assert.equal(reported.status, may('questions:report') ? 202 : 403, role);
      for (const url of ['/reports', `/questions/${id}/reports`]) {
        const read = await call('GET', url, { token });
        assert.equal(read.status, may('questions:write', 'answers:read') ? 200 : 403, role);
      }
    }
  });

  it('emits question.reported once, at the third respondent, to those who may read reports', async () => {
    const { id } = await create();
    const { port } = await listen(service());
    const open = async (...scopes: Scope[]) => {
      const stream = new EventStream({ port, token: await service().keyFor(...scopes) });
      await stream.opened;
      return stream;
    };
    const maintainer = await open('questions:read', 'questions:write', 'answers:read');
    const others = [
      await open('questions:read', 'questions:write'),
      await open('questions:read', 'answers:read', 'questions:review'),
    ];
    await Promise.all(
      ['ada', 'ben', 'ada', 'cyd', 'dot', 'ben'].map((respondent) => report(id, { respondent })),
    );
    await call('PUT', `/questions/${id}`, { body: { question_text: 'Which planet turns fastest?' } });
    const streams = [maintainer, ...others];
    await until('the update', () => streams.every(({ events }) => events.includes('question.updated')));
    assert.deepEqual(
      streams.map(({ events }) => events.slice(1)),
      [['question.reported', 'question.updated'], ['question.updated'], ['question.updated']],
    );
    assert.equal(maintainer.messages[1]!.data.question_id, id);
    for (const stream of streams) stream.close();
  });

  it('is resolved with an outcome, and opened again by a repeat', async () => {
    const { id } = await create();
    await report(id, { respondent: 'ada', answer: ['a', 'b'] });
    const [open] = (await list(`?status=open&question_id=${id}`)).data;
    assert.deepEqual([open.status, open.answer, open.outcome], ['open', ['a', 'b'], null]);
    const resolved = await call('POST', `/reports/${open.id}/resolve`, { body: { outcome: 'no_fault' } });
    assert.deepEqual(
      [resolved.status, resolved.body.status, resolved.body.outcome, resolved.body.resolved_by],
      [200, 'resolved', 'no_fault', 'admin'],
    );
    assert.equal((await list(`?status=open&question_id=${id}`)).pagination.total, 0);
    await report(id, { respondent: 'ada' });
    const [again] = (await list(`?question_id=${id}`)).data;
    assert.deepEqual(
      [again.id, again.status, again.outcome, again.resolved_at],
      [open.id, 'open', null, null],
    );
  });

  it('is deleted with its respondent, and kept with its deleted question', async () => {
    const { id } = await create();
    for (const respondent of ['eva', 'fay']) await report(id, { respondent });
    await call('DELETE', '/responses?respondent=eva');
    await call('DELETE', `/questions/${id}`);
    const { data } = (await call('GET', `/questions/${id}/reports`)).body;
    assert.deepEqual(
      data.map((each: { respondent: string }) => each.respondent),
      ['fay'],
    );
    assert.equal((await report(id, { respondent: 'gus' })).body.code, 'no_such_question');
  });

  it('pages through many reports', async () => {
    const { id } = await create();
    for (let i = 0; i < 7; i++) await report(id, { respondent: `page-${i}` });
    const first = await call('GET', `/questions/${id}/reports?limit=3`);
    const last = await call('GET', `/questions/${id}/reports?limit=3&offset=6`);
    assert.deepEqual([first.body.data.length, first.body.pagination.total], [3, 7]);
    assert.deepEqual([last.body.data.length, last.body.data[0].respondent], [1, 'page-0']);
    assert.match(first.headers.link!, /offset=3>; rel="next"/);
  });

  it('are reasons of /attention, with the number of open ones', async () => {
    const [few, many] = [await create(), await create()];
    for (const respondent of ['ada', 'ben']) await report(few.id, { respondent });
    for (let i = 0; i < 20; i++) await report(many.id, { respondent: `count-${i}` });
    const [open] = (await list(`?question_id=${few.id}`)).data;
    await call('POST', `/reports/${open.id}/resolve`, { body: { outcome: 'fixed' } });
    const { body } = await call('GET', '/attention?reason=reported&limit=1000');
    assert.equal(body.counts.reported, body.data.length);
    const reportsOf = (id: string) =>
      body.data.find((item: { question_id: string }) => item.question_id === id)?.reasons[0].reports;
    assert.deepEqual([reportsOf(few.id), reportsOf(many.id)], [1, 20]);
    await call('DELETE', `/questions/${many.id}`);
    const token = await service().keyFor('questions:read', 'answers:read', 'analysis:read');
    const hidden = await call('GET', '/attention?reason=reported', { token });
    assert.deepEqual([hidden.status, hidden.body.data], [200, []], 'reports require questions:write');
    const after = await call('GET', '/attention?reason=reported');
    assert.equal(after.body.counts.reported, body.counts.reported - 1);
  });

  it('stores a repeated request with an Idempotency-Key once', async () => {
    const { id } = await create();
    const request = {
      body: { reason: 'other', comment: 'once' },
      headers: { 'idempotency-key': `report-${id}` },
    };
    const answers = [
      await call('POST', `/questions/${id}/reports`, request),
      await call('POST', `/questions/${id}/reports`, request),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [202, 202],
    );
    const changed = await call('POST', `/questions/${id}/reports`, {
      ...request,
      body: { reason: 'unclear' },
    });
    assert.equal(changed.body.code, 'idempotency_mismatch');
  });

  for (const [body, pointer] of [
    [{ reason: 'boring' }, '/reason'],
    [{ comment: 'x'.repeat(1001) }, '/comment'],
    [{ respondent: '' }, '/respondent'],
    [{ answer: [] }, '/answer'],
    [{ rating: 1 }, '/rating'],
  ] as const)
    it(`422: ${JSON.stringify(body).slice(0, 40)}`, async () => {
      const answer = await report((await create()).id, body);
      assert.deepEqual([answer.status, answer.body.errors[0].pointer], [422, pointer]);
    });

  it('404: an unknown question or report', async () => {
    const unknown = '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30';
    assert.equal((await report(unknown, {})).body.code, 'no_such_question');
    assert.equal((await call('GET', `/questions/${unknown}/reports`)).body.code, 'no_such_question');
    const resolved = await call('POST', `/reports/${unknown}/resolve`, { body: { outcome: 'fixed' } });
    assert.equal(resolved.body.code, 'no_such_report');
    assert.equal((await list('?question_id=nonsense')).pagination.total, 0);
  });
});
