/** An import survives kill -9 of the service: each item is imported exactly once. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ENGINES } from '../support/engines.ts';
import { removeFolder, tempFolder } from '../support/folders.ts';
import { freshDatabase } from '../support/postgres.ts';
import { type ServiceProcess, startService } from '../support/process.ts';
import { until } from '../support/until.ts';

// biome-ignore lint/suspicious/noExplicitAny: whatever an answer holds
type Json = any;

const QUESTIONS = 6000;
const ROWS = Array.from({ length: QUESTIONS }, (_, i) =>
  // Every tenth is a duplicate of the one before, every hundredth is rejected.
  i % 100 === 99 ? `Killed ${i}?,,,` : `Killed ${i % 10 === 9 ? i - 1 : i}?,yes,Science,1`,
);
const FILE = `question,answer,category,difficulty\n${ROWS.join('\n')}\n`;
const REJECTED = QUESTIONS / 100;
const SKIPPED = QUESTIONS / 10 - REJECTED;

async function send(service: ServiceProcess, method: string, path: string, body?: string): Promise<Json> {
  const response = await service.fetch(path, { method, ...(body && { body }) });
  assert.ok(response.status < 300, `${response.status} to ${method} ${path}`);
  return response.json();
}

for (const engine of ENGINES) {
  for (const mode of ['skip_bad', 'all_or_nothing']) {
    describe(`kill -9 during an import (${engine}, ${mode})`, () => {
      it('continues in the next process, and is undone completely', async () => {
        const folder = tempFolder();
        const database = engine === 'postgres' ? await freshDatabase() : undefined;
        const env: Record<string, string> = {
          QUAESTOR_DATA_DIR: folder,
          QUAESTOR_LOG_LEVEL: 'error',
          ...(database && { QUAESTOR_DATABASE_URL: database.url }),
        };
        let service = await startService(env);
        const good = `${FILE.split('\n')
          .filter((line) => !line.endsWith(',,,'))
          .join('\n')}`;
        const file = mode === 'skip_bad' ? FILE : good;
        const { id } = await send(service, 'POST', `/imports?format=csv&mode=${mode}`, file);
        for (let kills = 0; kills < 2; kills++) {
          await until('some batches', async () => {
            const { progress, status } = await send(service, 'GET', `/imports/${id}`);
            return progress > 0.2 * (kills + 1) || status === 'succeeded';
          });
          await service.end('SIGKILL');
          await database?.query(`UPDATE changes SET lease_until = 0 WHERE status = 'running'`);
          service = await startService(env);
        }
        const waitForEnd = (path: string) =>
          until('the end', async () => {
            const body = await send(service, 'GET', path);
            return !['queued', 'running'].includes(body.status) && body;
          });
        const ended = await waitForEnd(`/imports/${id}`);
        const rejected = mode === 'skip_bad' ? REJECTED : 0;
        const created = QUESTIONS - REJECTED - SKIPPED;
        assert.deepEqual(
          [ended.status, ended.created, ended.skipped, ended.rejected],
          ['succeeded', created, SKIPPED, rejected],
        );
        const { pagination } = await send(service, 'GET', '/questions?limit=1');
        assert.equal(pagination.total, created);
        const undo = await send(service, 'POST', `/changes/${id}/undo`);
        const undone = await waitForEnd(`/changes/${undo.id}`);
        assert.deepEqual([undone.status, undone.changed, undone.refused], ['succeeded', created, 0]);
        assert.equal((await send(service, 'GET', '/questions?limit=1')).pagination.total, 0);
        await service.end('SIGTERM');
        await database?.drop();
        removeFolder(folder);
      });
    });
  }
}
