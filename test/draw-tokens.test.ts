/** Tokens for draws: what a page in a respondent's browser may do, and explanations. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { buildOpenApi } from '../src/api/docs/openapi.ts';
import { ROLES } from '../src/schemas/scopes.ts';
import { onEveryEngine, type Service, sample } from './support/engines.ts';

const N = 6;

onEveryEngine('tokens for draws', (service) => {
  const call: Service['call'] = (...args) => service().call(...args);
  let quiz = '';
  const draw = async (body: object = {}) =>
    (await call('POST', '/draws', { body: { count: 2, ...body }, token: quiz })).body;
  const createToken = async (id: string, body: object = {}, token = quiz) =>
    call('POST', `/draws/${id}/tokens`, { body, token });
  const check = (id: string, token: string, body: object = {}) =>
    call('POST', `/questions/${id}/check`, { token, body: { answer: 'right', ...body } });

  it('read, check and record their draw for their respondent', async () => {
    const body = Array.from({ length: N }, (_, n) =>
      sample({
        question_text: `Question ${n}?`,
        correct_answer: 'right',
        incorrect_answers: ['wrong', 'false'],
        explanation: `because ${n}`,
      }),
    );
    await call('POST', '/questions', { body });
    quiz = await service().keyFor(...ROLES.quiz);
    const drawn = await draw({ respondent: 'ada' });
    const { status, body: created } = await createToken(drawn.id);
    assert.equal(status, 201);
    const { token, draws, respondent, created_at, expires_at } = created;
    assert.match(token, /^qsd_/);
    assert.deepEqual({ draws, respondent }, { draws: [drawn.id], respondent: 'ada' });
    assert.equal(Date.parse(expires_at) - Date.parse(created_at), 3_600_000);
    const read = await call('GET', `/draws/${drawn.id}`, { token });
    assert.deepEqual([read.status, read.body], [200, drawn]);
    const [first, second] = drawn.questions;
    assert.deepEqual((await check(first.id, token)).body, { correct: true });
    const responses = [
      { question_id: first.id, answer: 'right' },
      { question_id: second.id, answer: 'wrong' },
    ];
    const recorded = await call('POST', `/draws/${drawn.id}/responses`, { token, body: { responses } });
    assert.equal(recorded.status, 201);
    assert.deepEqual([recorded.body.respondent, recorded.body.correct], ['ada', 1]);
    const again = await call('POST', `/draws/${drawn.id}/responses`, { token, body: { responses } });
    assert.equal(again.body.code, 'already_answered');
  });

  it('do nothing else', async () => {
    const drawn = await draw();
    const other = await draw({ respondent: 'cyd' });
    const { token } = (await createToken(drawn.id, { respondent: 'ben' })).body;
    const inDraw = new Set(drawn.questions.map(({ id }: { id: string }) => id));
    const { data } = (await call('GET', '/questions')).body;
    const elsewhere = data.find(({ id }: { id: string }) => !inDraw.has(id)).id;
    assert.equal((await call('GET', `/draws/${other.id}`, { token })).status, 404);
    assert.equal((await check(elsewhere, token)).body.code, 'no_such_question');
    assert.equal((await check(drawn.questions[0].id, token, { respondent: 'cyd' })).status, 422);
    assert.equal((await check(drawn.questions[0].id, token, { draw_id: other.id })).status, 404);
    const responses = [{ question_id: drawn.questions[0].id, answer: 'right' }];
    for (const [id, respondent, status] of [
      [drawn.id, 'cyd', 422],
      [other.id, 'ben', 404],
      [other.id, 'cyd', 404],
    ])
      assert.equal(
        (await call('POST', `/draws/${id}/responses`, { token, body: { respondent, responses } })).status,
        status,
      );
    assert.equal((await call('GET', '/session', { token })).body.client, null);
    const { paths } = buildOpenApi(service().app.routes);
    const accepted = ['GET /draws/{id}', 'POST /draws/{id}/responses', 'POST /questions/{id}/check'];
    for (const [template, operations] of Object.entries(paths))
      for (const verb of ['get', 'post', 'put', 'patch', 'delete']) {
        const { security } = operations[verb] ?? { security: [] };
        const method = verb.toUpperCase();
        if (!operations[verb] || security?.length === 0 || accepted.includes(`${method} ${template}`))
          continue;
        const url = template.replace(/\{\w+\}/, drawn.id);
        const { status, body } = await call(method, url, { token });
        assert.deepEqual([status, body?.code], [403, 'token_bound'], `${method} ${template}`);
      }
  });

  it('are limited by themselves, and separate idempotency keys', async () => {
    const drawn = await draw();
    const headers = { 'idempotency-key': 'same' };
    const responses = [{ question_id: drawn.questions[0].id, answer: 'right' }];
    for (const respondent of ['dee', 'eva']) {
      const { token } = (await createToken(drawn.id, { respondent })).body;
      const record = () =>
        call('POST', `/draws/${drawn.id}/responses`, { token, headers, body: { responses } });
      assert.equal((await record()).body.respondent, respondent);
      assert.equal((await record()).status, 201, 'the result is repeated');
      const { body } = await call('GET', `/responses?respondent=${respondent}`);
      assert.equal(body.data.length, 1);
    }
  });

  it('are for several draws of one respondent', async () => {
    const [one, two, third] = [
      await draw(),
      await draw({ respondent: 'fay' }),
      await draw({ respondent: 'gus' }),
    ];
    const { body } = await createToken(one.id, {
      respondent: 'fay',
      draws: [two.id],
      expires_in_seconds: 60,
    });
    assert.deepEqual(body.draws, [one.id, two.id]);
    for (const { id } of [one, two])
      assert.equal((await call('GET', `/draws/${id}`, { token: body.token })).status, 200);
    assert.equal((await createToken(one.id, { respondent: 'fay', draws: [third.id] })).status, 422);
    assert.equal((await createToken(one.id)).status, 422, 'without a respondent');
    assert.equal((await createToken(two.id, { respondent: 'gus' })).status, 422, 'for another respondent');
    assert.equal((await createToken(one.id, { respondent: 'fay', expires_in_seconds: 86_401 })).status, 422);
    const foreign = await call('POST', '/auth/clients', { body: { name: 'Other', role: 'quiz' } });
    const { id, secret } = foreign.body;
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: id,
      client_secret: secret,
    });
    const signedIn = await call('POST', '/auth/token', {
      token: null,
      body: form.toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    assert.equal((await createToken(one.id, { respondent: 'fay' }, signedIn.body.access_token)).status, 404);
  });

  it('are revoked with the draw, by themselves, and with the respondent', async () => {
    const drawn = await draw();
    const isValid = async (token: string) =>
      (await call('GET', `/draws/${drawn.id}`, { token })).status === 200;
    const tokens = await Promise.all(
      ['hal', 'ida', 'jon'].map(
        async (respondent) => (await createToken(drawn.id, { respondent })).body.token,
      ),
    );
    await call('POST', '/auth/revoke', { token: null, body: { token: tokens[0] } });
    await call('DELETE', '/responses?respondent=ida');
    assert.deepEqual(await Promise.all(tokens.map(isValid)), [false, false, true]);
    assert.equal((await call('DELETE', `/draws/${drawn.id}/tokens`, { token: quiz })).status, 204);
    assert.equal(await isValid(tokens[2]), false);
  });

  it('show explanations where the draw says so', async () => {
    const denied = await call('POST', '/draws', { token: quiz, body: { count: 1, explain: 'always' } });
    assert.equal(denied.body.code, 'insufficient_scope');
    const shown = async (explain: string | undefined, answer: string) => {
      const { body: drawn } = await call('POST', '/draws', {
        body: { count: 1, ...(explain && { explain }) },
      });
      assert.equal(drawn.explain, explain === 'never' ? undefined : explain);
      const { token } = (await createToken(drawn.id, { respondent: 'kim' }, service().admin.key)).body;
      const [{ id }] = drawn.questions;
      const checked = (await check(id, token, { answer })).body;
      const named = (await check(id, service().admin.key, { answer, draw_id: drawn.id })).body;
      assert.deepEqual(named, checked);
      assert.deepEqual(Object.keys((await check(id, service().admin.key, { answer })).body), ['correct']);
      const { results } = (
        await call('POST', `/draws/${drawn.id}/responses`, {
          token,
          body: { responses: [{ question_id: id, answer }] },
        })
      ).body;
      assert.equal(results[0].explanation, checked.explanation);
      return 'explanation' in checked;
    };
    assert.equal(await shown(undefined, 'right'), false);
    assert.equal(await shown('never', 'right'), false);
    assert.equal(await shown('when_correct', 'right'), true);
    assert.equal(await shown('when_correct', 'wrong'), false);
    assert.equal(await shown('always', 'wrong'), true);
    const { body: drawn } = await call('POST', '/draws', { body: { count: 1, explain: 'always' } });
    const { data } = (await call('GET', '/questions')).body;
    const other = data.find(({ id }: { id: string }) => id !== drawn.questions[0].id).id;
    assert.equal((await check(other, service().admin.key, { draw_id: drawn.id })).status, 422);
  });
});
