/** Limits of what the bank and each client may store. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ENGINES, onEveryEngine, openService, sample } from './support/engines.ts';

const LIMITS = { bankBytes: 0, questionsPerClient: 3, bytesPerClient: 5000 };

onEveryEngine(
  'quotas',
  (service) => {
    const post = (body: unknown, key?: string) =>
      service().call('POST', '/questions', { body, ...(key && { headers: { 'idempotency-key': key } }) });

    it('403: refuses more questions or bytes than a client may store, until some are deleted', async () => {
      assert.equal((await post([sample(), sample()], 'two')).status, 201);
      const third = await post(sample());
      assert.equal(third.status, 201);
      const refused = await post(sample());
      assert.deepEqual([refused.status, refused.body.code], [403, 'quota_exceeded']);
      // A repetition stores nothing.
      assert.equal((await post([sample(), sample()], 'two')).status, 201);
      assert.equal((await service().call('DELETE', `/questions/${third.body.id}`)).status, 204);
      assert.equal((await post(sample({ explanation: 'x'.repeat(4900) }))).status, 403);
      const last = await post(sample());
      assert.equal(last.status, 201);
      // A restored question counts for the client that created it.
      assert.equal((await service().call('DELETE', `/questions/${last.body.id}`)).status, 204);
      const restored = await service().call('POST', `/questions/${last.body.id}/restore`, {
        body: { revision: 1 },
      });
      assert.equal(restored.status, 200);
      assert.equal((await post(sample())).status, 403);
    });

    it('counts each client by itself', async () => {
      const made = await service().call('POST', '/auth/clients', {
        body: { name: 'Other', role: 'author' },
      });
      const token = await service().app.inject({
        method: 'POST',
        url: '/auth/token',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: made.body.id,
          client_secret: made.body.secret,
        }).toString(),
      });
      const answer = await service().call('POST', '/questions', {
        body: sample(),
        token: token.json().access_token,
      });
      assert.equal(answer.status, 201);
    });
  },
  { quotas: LIMITS },
);

describe('the size limit of a bank', () => {
  for (const name of ENGINES)
    it(`507: refuses what exceeds it (${name})`, async (t) => {
      const service = await openService(name, {
        quotas: { bankBytes: 1000, questionsPerClient: 0, bytesPerClient: 0 },
      });
      t.after(() => service.close());
      const answer = await service.call('POST', '/questions', { body: sample() });
      assert.deepEqual([answer.status, answer.body.code], [507, 'insufficient_storage']);
      assert.equal((await service.call('GET', '/questions')).status, 200);
    });
});
