/** Changes of resources: PATCH and PUT, and questions that are sent back as they were read. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Question, QuestionInput, READ_ONLY_FIELDS } from '../src/schemas/question.ts';
import { onEveryEngine, type Service, sample } from './support/engines.ts';

const MERGE_PATCH = { 'content-type': 'application/merge-patch+json' };

onEveryEngine('changes', (service) => {
  const call: Service['call'] = (...args) => service().call(...args);
  const create = async (changes: object = {}) =>
    (await call('POST', '/questions', { body: sample(changes) })).body;
  const full = {
    incorrect_answers: ['Mars', 'Venus'],
    explanation: 'It turns once in ten hours.',
    tags: ['planets'],
    source: 'An atlas',
  };

  it('PATCH and PUT keep what is left out, and null clears', async () => {
    for (const method of ['PATCH', 'PUT']) {
      const { id, ...before } = await create(full);
      const url = `/questions/${id}`;
      const changed = await call(method, url, { body: { difficulty: 2 } });
      assert.deepEqual(changed.body, {
        ...before,
        id,
        difficulty: 2,
        revision: 2,
        updated_at: changed.body.updated_at,
      });
      const cleared = await call(method, url, { body: { explanation: null, tags: null } });
      assert.deepEqual(
        [cleared.body.explanation, cleared.body.tags, cleared.body.source],
        [null, [], 'An atlas'],
      );
      const required = await call(method, url, { body: { question_text: null } });
      assert.deepEqual([required.status, required.body.errors[0].pointer], [422, '/question_text']);
      const stale = await call(method, url, { body: { difficulty: 0 }, headers: { 'if-match': '"1.1"' } });
      assert.equal(stale.status, 412);
    }
  });

  it('PATCH takes a merge patch, and no other method does', async () => {
    const { id } = await create(full);
    const url = `/questions/${id}`;
    const patched = await call('PATCH', url, { body: { source: null }, headers: MERGE_PATCH });
    assert.deepEqual([patched.status, patched.body.source], [200, null]);
    const charset = { 'content-type': 'Application/Merge-Patch+JSON; charset=utf-8' };
    assert.equal((await call('PATCH', url, { body: { source: 'x' }, headers: charset })).status, 200);
    for (const [method, path] of [
      ['PUT', url],
      ['POST', '/questions'],
    ] as const) {
      const refused = await call(method, path, { body: sample(), headers: MERGE_PATCH });
      assert.deepEqual([refused.status, refused.body.code], [415, 'unsupported_media_type']);
    }
    const text = await call('PATCH', url, { body: '{}', headers: { 'content-type': 'text/plain' } });
    assert.equal(text.status, 415);
  });

  it('merges the members of objects', async () => {
    const { id } = await create({
      correct_answer: '9.81',
      incorrect_answers: [],
      numeric: { tolerance: 0.05, unit: 'm/s^2' },
    });
    const patch = async (url: string, body: object) => {
      const { status, body: changed } = await call('PATCH', url, { body });
      return [status, changed.numeric ?? changed.answer_matching ?? changed.errors?.[0].code];
    };
    const url = `/questions/${id}`;
    assert.deepEqual(await patch(url, { numeric: { tolerance: 0.1 } }), [
      200,
      { tolerance: 0.1, unit: 'm/s^2' },
    ]);
    assert.deepEqual(await patch(url, { numeric: { relative_tolerance: 0.01 } }), [422, 'conflict']);
    assert.deepEqual(await patch(url, { numeric: { tolerance: null, relative_tolerance: 0.01 } }), [
      200,
      { relative_tolerance: 0.01, unit: 'm/s^2' },
    ]);
    assert.deepEqual(await patch(url, { numeric: null }), [200, undefined]);

    const text = await create({ incorrect_answers: [], answer_matching: { ignore_articles: true } });
    const textUrl = `/questions/${text.id}`;
    const both = { ignore_diacritics: true, ignore_articles: true };
    assert.deepEqual(await patch(textUrl, { answer_matching: { ignore_diacritics: true } }), [200, both]);
    assert.deepEqual(await patch(textUrl, { answer_matching: { ignore_articles: null } }), [
      200,
      { ignore_diacritics: true },
    ]);
    const refused = await call('POST', '/questions', { body: sample({ numeric: { tolerance: null } }) });
    assert.equal(refused.status, 422);
  });

  it('PATCH changes categories and clients, too', async () => {
    const category = await call('POST', '/categories', { body: { name: 'Chess', description: 'A game.' } });
    const path = category.headers.location!;
    const renamed = await call('PATCH', path, { body: { name: 'Go' }, headers: MERGE_PATCH });
    assert.deepEqual([renamed.body.name, renamed.body.description], ['Go', 'A game.']);
    const stale = { 'if-match': category.headers.etag! };
    assert.equal((await call('PATCH', path, { body: { description: null }, headers: stale })).status, 412);
    assert.equal((await call('PATCH', path, { body: { description: null } })).body.description, null);
    const client = await call('POST', '/auth/clients', { body: { name: 'Quiz', role: 'player' } });
    const patched = await call('PATCH', client.headers.location!, { body: { role: 'quiz' } });
    assert.deepEqual([patched.body.name, patched.body.role], ['Quiz', 'quiz']);
    assert.equal((await call('PATCH', '/auth/clients/admin', { body: { role: 'reader' } })).status, 409);
  });

  it('PATCH requires questions:write and answers:read', async () => {
    const { id } = await create(full);
    for (const scope of ['questions:write', 'answers:read'] as const) {
      const token = await service().keyFor(scope, 'questions:read');
      assert.equal((await call('PATCH', `/questions/${id}`, { token, body: { difficulty: 0 } })).status, 403);
    }
  });

  it('every field of a question can be set or is read-only', () => {
    // `pending` marks a change that waits for approval, which is not the question itself.
    const known = [...Object.keys(QuestionInput.properties), 'pending'];
    assert.deepEqual(
      Object.keys(Question.properties).filter((name) => !known.includes(name)),
      [],
    );
  });

  it('takes a question back as it was read', async () => {
    for (const changes of [full, {}]) {
      const { id } = await create(changes);
      const url = `/questions/${id}`;
      for (const method of ['PUT', 'PATCH']) {
        const { body } = await call('GET', url);
        const same = await call(method, url, { body });
        assert.deepEqual([same.status, same.body], [200, body]);
        const changed = await call(method, url, { body: { ...body, correct_answer: 'Saturn' } });
        assert.deepEqual([changed.status, changed.body.revision], [200, body.revision + 1]);
        await call('PUT', url, { body: { correct_answer: 'Jupiter' } });
      }
    }
  });

  it('422: refuses other values of read-only fields, and says the current ones', async () => {
    const question = await create(full);
    const plain = await create();
    const others: Record<string, unknown> = {
      id: plain.id,
      created_at: '2020-01-01T00:00:00.000Z',
      revision: 7,
      updated_at: '2020-01-01T00:00:00.000Z',
    };
    assert.deepEqual(Object.keys(others), READ_ONLY_FIELDS);
    for (const [name, value] of Object.entries(others)) {
      const { status, body } = await call('PATCH', `/questions/${question.id}`, {
        body: { [name]: value, difficulty: 0 },
      });
      assert.equal(status, 422);
      assert.deepEqual(body.errors, [
        {
          pointer: `/${name}`,
          code: 'read_only',
          detail: `is read-only; its current value is ${JSON.stringify(question[name])}`,
        },
      ]);
    }
    const all = await call('PUT', `/questions/${question.id}`, { body: others });
    assert.equal(all.body.errors.length, 4);
    const choices = ['Mars', 'Jupiter', 'Venus', 'Pluto'];
    const other = await call('PUT', `/questions/${question.id}`, { body: { choices } });
    assert.equal(other.body.errors[0].code, 'choices_mismatch');
    const none = await call('PUT', `/questions/${plain.id}`, { body: { choices: ['Jupiter'] } });
    assert.equal(none.body.errors[0].code, 'not_for_kind');
    const wrong = await call('PUT', `/questions/${plain.id}`, { body: { revision: '1' } });
    assert.equal(wrong.body.errors[0].code, 'wrong_type');
    assert.deepEqual((await call('GET', `/questions/${question.id}`)).body, question);
  });

  it('422: a new question has no read-only fields', async () => {
    const { id, created_at, revision, updated_at, ...fields } = await create(full);
    const sent = { id, created_at, revision, updated_at };
    const { status, body } = await call('POST', '/questions', { body: [fields, { ...fields, ...sent }] });
    assert.equal(status, 422);
    assert.deepEqual(
      body.errors,
      Object.keys(sent).map((name) => ({
        pointer: `/1/${name}`,
        code: 'read_only',
        detail: 'is assigned to a new question; leave it out',
      })),
    );
    const copy = await call('POST', '/questions', { body: fields });
    assert.equal(copy.status, 201);
    assert.notEqual(copy.body.id, id);
  });
});
