/** Durability: a write that was answered with 2xx survives a crash of the process. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { ENGINES, sample } from '../support/engines.ts';
import { removeFolder, tempFolder } from '../support/folders.ts';
import { freshDatabase } from '../support/postgres.ts';
import { type ServiceProcess, startService } from '../support/process.ts';
import { createRandom } from '../support/random.ts';

/**
 * The number of times the service is killed. More rounds find rarer faults:
 * `QUAESTOR_TEST_ROUNDS=50`.
 */
const ROUNDS = Number(process.env.QUAESTOR_TEST_ROUNDS ?? 5);

interface QuestionPage {
  data: { id: string; question_text: string; tags: string[] }[];
  pagination: { total: number; next_cursor: string | null };
}

async function listQuestions(service: ServiceProcess, filter = ''): Promise<QuestionPage['data']> {
  const all: QuestionPage['data'] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const response = await service.fetch(`/questions?limit=1000${filter}${cursor && `&cursor=${cursor}`}`);
    const page = (await response.json()) as QuestionPage;
    all.push(...page.data);
    cursor = page.pagination.next_cursor;
    if (cursor === null) assert.equal(page.pagination.total, all.length);
  }
  return all;
}

for (const engine of ENGINES) {
  describe(`kill -9 under load (${engine})`, () => {
    const folder = tempFolder();
    after(() => removeFolder(folder));

    it('loses no acknowledged write, applies batches atomically, and executes keyed writes once', async () => {
      const random = createRandom(9);
      const database = engine === 'postgres' ? await freshDatabase() : undefined;
      const env: Record<string, string> = { QUAESTOR_DATA_DIR: folder, QUAESTOR_LOG_LEVEL: 'error' };
      if (database) env.QUAESTOR_DATABASE_URL = database.url;
      const acknowledged = new Set<string>();
      /** Requests whose response was lost, to be repeated with their Idempotency-Key. */
      let unanswered: { key: string; body: unknown; batch: string }[] = [];
      let serial = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const service = await startService(env);
        const send = async (request: { key: string; body: unknown; batch: string }) => {
          try {
            const response = await service.fetch(`/questions`, {
              method: 'POST',
              headers: { 'content-type': 'application/json', 'idempotency-key': request.key },
              body: JSON.stringify(request.body),
            });
            await response.arrayBuffer();
            assert.equal(response.status, 201);
            acknowledged.add(request.batch);
          } catch {
            unanswered.push(request);
          }
        };
        const repeated = unanswered;
        unanswered = [];
        for (const request of repeated) await send(request);

        let running = true;
        const workers = Array.from({ length: 16 }, async (_, worker) => {
          while (running) {
            const batch = `b${serial++}`;
            const size = worker < 4 ? 25 : 1;
            const items = Array.from({ length: size }, (_, i) =>
              sample({ question_text: `${batch} ${i}`, tags: [batch] }),
            );
            await send({ key: batch, batch, body: size === 1 ? items[0] : items });
          }
        });
        await new Promise((done) => setTimeout(done, 150 + random.below(300)));
        running = false;
        await service.end('SIGKILL');
        await Promise.all(workers);
      }
      const service = await startService(env);
      const all = await listQuestions(service);
      const sizes = new Map<string, number>();
      for (const { tags } of all) sizes.set(tags[0]!, (sizes.get(tags[0]!) ?? 0) + 1);
      assert.ok(acknowledged.size > 8 * ROUNDS, `${acknowledged.size} batches were acknowledged`);
      for (const batch of acknowledged)
        assert.ok(sizes.has(batch), `${batch} was acknowledged but is missing`);
      for (const [batch, size] of sizes)
        assert.ok(size === 1 || size === 25, `${batch} has ${size} questions`);
      assert.equal(new Set(all.map(({ question_text }) => question_text)).size, all.length);
      const descending = await listQuestions(service, '&sort=-updated_at');
      assert.deepEqual(
        descending.map(({ id }) => id),
        all.map(({ id }) => id).reverse(),
      );
      for (const batch of [...acknowledged].slice(-5)) {
        assert.equal((await listQuestions(service, `&tag=${batch}`)).length, sizes.get(batch));
        assert.equal((await listQuestions(service, `&q=${batch}`)).length, sizes.get(batch));
      }
      await service.end('SIGTERM');
      await database?.drop();
    });
  });
}

for (const engine of ENGINES) {
  describe(`kill -9 while responses are recorded (${engine})`, () => {
    const folder = tempFolder();
    after(() => removeFolder(folder));

    it('loses no acknowledged response, and applies batches atomically', async () => {
      const random = createRandom(10);
      const database = engine === 'postgres' ? await freshDatabase() : undefined;
      const env: Record<string, string> = { QUAESTOR_DATA_DIR: folder, QUAESTOR_LOG_LEVEL: 'error' };
      if (database) env.QUAESTOR_DATABASE_URL = database.url;
      const acknowledged = new Set<string>();
      let ids: string[] = [];
      let serial = 0;
      const post = (service: ServiceProcess, path: string, body: unknown) =>
        service.fetch(path, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
      for (let round = 0; round < ROUNDS; round++) {
        const service = await startService(env);
        if (ids.length === 0) {
          const made = await post(
            service,
            '/questions',
            Array.from({ length: 40 }, () => sample()),
          );
          ids = ((await made.json()) as QuestionPage).data.map(({ id }) => id);
        }
        let running = true;
        // All clients write to the same respondents: each batch adds a session, and a response to a
        // shared one.
        const workers = Array.from({ length: 6 }, async () => {
          while (running) {
            const session = `b${serial++}`;
            const shared = { session: 'shared', question_id: ids[serial % ids.length], answer: session };
            const body = [0, 1, 2].flatMap((person) => [
              ...ids.map((question_id) => ({
                question_id,
                respondent: `p${person}`,
                session,
                correct: true,
              })),
              { ...shared, respondent: `p${person}` },
            ]);
            try {
              const { status } = await post(service, '/responses', body);
              if (status === 201) acknowledged.add(session);
            } catch {
              // The response was lost with the process.
            }
          }
        });
        await new Promise((done) => setTimeout(done, 200 + random.below(300)));
        running = false;
        await service.end('SIGKILL');
        await Promise.all(workers);
      }
      const service = await startService(env);
      const counts = new Map<string, number>();
      let listed = 0;
      for (let cursor: string | null = ''; cursor !== null; ) {
        const response = await service.fetch(`/responses?limit=1000${cursor && `&cursor=${cursor}`}`);
        const page = (await response.json()) as {
          data: { session: string }[];
          pagination: { total: number; next_cursor: string | null };
        };
        for (const { session } of page.data) counts.set(session, (counts.get(session) ?? 0) + 1);
        listed += page.data.length;
        cursor = page.pagination.next_cursor;
        if (cursor === null) assert.equal(page.pagination.total, listed);
      }
      assert.ok(acknowledged.size > 10, `${acknowledged.size} batches were acknowledged`);
      for (const session of acknowledged) assert.equal(counts.get(session), 120, session);
      for (const [session, n] of counts) if (session !== 'shared') assert.equal(n, 120, session);
      let byQuestion = 0;
      for (const id of ids) {
        const response = await service.fetch(`/responses?limit=1&question_id=${id}`);
        byQuestion += ((await response.json()) as QuestionPage).pagination.total;
      }
      assert.equal(byQuestion, listed);
      await service.end('SIGTERM');
      await database?.drop();
    });
  });
}

describe('a database that another process has locked', () => {
  it('503: answers waiting writes in time, and resumes when the lock is released', async (t) => {
    const folder = tempFolder();
    t.after(() => removeFolder(folder));
    const service = await startService({ QUAESTOR_DATA_DIR: folder, QUAESTOR_LOG_LEVEL: 'silent' });
    const post = async () => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify(sample());
      return (await service.fetch('/questions', { method: 'POST', headers, body })).status;
    };
    const other = new DatabaseSync(join(folder, 'quaestor.db'));
    other.exec('BEGIN IMMEDIATE');
    const start = Date.now();
    assert.deepEqual(new Set(await Promise.all([post(), post(), post(), post()])), new Set([503]));
    assert.ok(Date.now() - start < 12_000);
    assert.equal((await service.fetch('/questions')).status, 200);
    other.exec('ROLLBACK');
    other.close();
    assert.equal(await post(), 201);
    await service.end('SIGTERM');
  });
});
