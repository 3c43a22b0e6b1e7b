/** The words of errors: what is wrong, what is possible, and what to do next. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Answer, onEveryEngine, type Service, sample } from './support/engines.ts';

const findFault = ({ body }: Answer, pointer: string) =>
  body.errors.find((fault: { pointer: string }) => fault.pointer === pointer);

onEveryEngine('error texts', (service) => {
  const call: Service['call'] = (...args) => service().call(...args);
  const create = (body: unknown) => call('POST', '/questions', { body });

  it('names the difficulties', async () => {
    const detail = 'must be 0 (Basic), 1 (Intermediate) or 2 (Advanced)';
    for (const [difficulty, code] of [
      [3, 'out_of_range'],
      [-1, 'out_of_range'],
      ['1', 'wrong_type'],
      [1.5, 'wrong_type'],
    ] as const) {
      const pointer = '/difficulty';
      assert.deepEqual(findFault(await create(sample({ difficulty })), pointer), { pointer, code, detail });
    }
    assert.equal(
      findFault(await create([sample(), sample({ difficulty: 9 })]), '/1/difficulty').detail,
      detail,
    );
    for (const value of ['3', 'Basic', '-1'])
      assert.ok((await call('GET', `/questions?difficulty=${value}`)).body.errors[0].detail.endsWith(detail));
    const run = { analysis_type: 'coverage', filter: { difficulty: 7 } };
    const refused = await call('POST', '/analysis/run', { body: run });
    assert.equal(findFault(refused, '/filter/difficulty').detail, detail);
  });

  it('lists the known fields, and suggests the nearest', async () => {
    const refused = await create([sample({ correct_anwser: 'Mars', 'Question Text': 'x', zzz: 1 })]);
    const misspelt = findFault(refused, '/0/correct_anwser');
    assert.equal(misspelt.code, 'unknown_field');
    assert.match(
      misspelt.detail,
      /^is not a known field; known are question_text, correct_answer, category, /,
    );
    assert.equal(misspelt.suggestion, 'correct_answer');
    assert.equal(findFault(refused, '/0/Question Text').suggestion, 'question_text');
    assert.ok(!('suggestion' in findFault(refused, '/0/zzz')));
    const nested = await call('POST', '/analysis/run', {
      body: { analysis_type: 'coverage', filter: { categories: 'Astronomy' } },
    });
    assert.equal(findFault(nested, '/filter/categories').suggestion, 'category');
    const client = await call('POST', '/auth/clients', { body: { name: 'x', roles: 'reader' } });
    assert.equal(findFault(client, '/roles').detail, 'is not a known field; known are name, role');
  });

  it('describes a bounded number of unknown fields', async () => {
    const fields = Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`correct_answer${i}`, 1]));
    const { body } = await create(sample(fields));
    const suggested = body.errors.filter((fault: object) => 'suggestion' in fault);
    assert.deepEqual([body.errors.length, suggested.length], [900, 20]);
  });

  it('413: names the limit in bytes', async () => {
    const refuse = async (method: string, url: string, bytes: number) =>
      (await call(method, url, { body: JSON.stringify({ x: 'x'.repeat(bytes) }) })).body.detail;
    const [object, array] = [1024 * 1024, 10 * 1024 * 1024];
    assert.equal(
      await refuse('POST', '/questions', object),
      `The body exceeds the limit of ${object} bytes for an object; an array may have ${array} bytes.`,
    );
    assert.match(await refuse('POST', '/questions', array), new RegExp(`limit of ${array} bytes\\.`));
    assert.match(await refuse('POST', '/categories', object), new RegExp(`limit of ${object} bytes\\.`));
  });

  it('404: explains an empty id', async () => {
    for (const [method, path] of [
      ['GET', '/questions/'],
      ['DELETE', '/questions/'],
      ['GET', '/v1/questions/?limit=1'],
      ['GET', '/questions//revisions'],
      ['GET', '/analysis/'],
      ['GET', '/categories/'],
    ] as const) {
      const { status, body } = await call(method, path);
      assert.deepEqual([status, body.code], [404, 'no_such_route'], path);
      assert.match(body.detail, /^The path \/\S+ has an empty segment where an id is expected\./);
    }
  });

  it('401: says where to get a token', async () => {
    for (const [headers, challenge] of [
      [{}, 'Bearer realm="quaestor"'],
      [{ authorization: 'Basic eDp5' }, 'Bearer realm="quaestor"'],
      [{ authorization: 'Bearer nothing' }, 'Bearer realm="quaestor", error="invalid_token"'],
    ] as const) {
      const { status, body, headers: sent } = await call('GET', '/questions', { token: null, headers });
      assert.equal(status, 401);
      assert.match(body.detail, /Request one with POST \/auth\/token and your client's id and secret/);
      assert.equal(sent['www-authenticate'], challenge);
    }
  });
});
