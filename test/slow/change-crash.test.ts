/** A bulk change survives kill -9 of the service: each question is changed exactly once. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ENGINES, sample } from '../support/engines.ts';
import { removeFolder, tempFolder } from '../support/folders.ts';
import { freshDatabase } from '../support/postgres.ts';
import { type ServiceProcess, startService } from '../support/process.ts';
import { until } from '../support/until.ts';

// biome-ignore lint/suspicious/noExplicitAny: whatever an answer holds
type Json = any;

const QUESTIONS = 4000;

async function send(service: ServiceProcess, method: string, path: string, body?: object): Promise<Json> {
  const response = await service.fetch(path, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  assert.ok(response.status < 300, `${response.status} to ${method} ${path}`);
  return response.json();
}

const countTagged = async (service: ServiceProcess, tag: string): Promise<number> =>
  (await send(service, 'GET', `/questions?tag=${tag}&limit=1`)).pagination.total;

for (const engine of ENGINES) {
  describe(`kill -9 during a bulk change (${engine})`, () => {
    it('continues in the next process, and is undone completely', async () => {
      const folder = tempFolder();
      const database = engine === 'postgres' ? await freshDatabase() : undefined;
      const env: Record<string, string> = {
        QUAESTOR_DATA_DIR: folder,
        QUAESTOR_LOG_LEVEL: 'error',
        ...(database && { QUAESTOR_DATABASE_URL: database.url }),
      };
      let service = await startService(env);
      for (let i = 0; i < QUESTIONS; i += 1000)
        await send(
          service,
          'POST',
          '/questions',
          Array.from({ length: 1000 }, (_, n) =>
            sample({ question_text: `Killed ${i + n}?`, tags: ['all'] }),
          ) as object,
        );
      const { id } = await send(service, 'POST', '/questions/bulk', {
        filter: { tag: ['all'] },
        change: { add_tags: ['done'] },
        expected: QUESTIONS,
      });
      for (let kills = 0; kills < 2; kills++) {
        await until('some chunks', async () => {
          const change = await send(service, 'GET', `/changes/${id}`);
          return change.processed > kills * 500;
        });
        await service.end('SIGKILL');
        await database?.query(`UPDATE changes SET lease_until = 0 WHERE status = 'running'`);
        service = await startService(env);
      }
      const waitForEnd = (change: string) =>
        until('the end', async () => {
          const body = await send(service, 'GET', `/changes/${change}`);
          return !['queued', 'running'].includes(body.status) && body;
        });
      const ended = await waitForEnd(id);
      assert.deepEqual([ended.status, ended.changed, ended.refused], ['succeeded', QUESTIONS, 0]);
      assert.equal(await countTagged(service, 'done'), QUESTIONS);
      for (let offset = 0; offset < QUESTIONS; offset += 1000)
        for (const { revision } of (await send(service, 'GET', `/questions?limit=1000&offset=${offset}`))
          .data)
          assert.equal(revision, 2);
      const undo = await send(service, 'POST', `/changes/${id}/undo`);
      const undone = await waitForEnd(undo.id);
      assert.deepEqual([undone.status, undone.changed, undone.refused], ['succeeded', QUESTIONS, 0]);
      assert.equal(await countTagged(service, 'done'), 0);
      await service.end('SIGTERM');
      await database?.drop();
      removeFolder(folder);
    });
  });
}
