/**
 * A run survives a crash of the service and of its worker process, and ends with a complete result.
 */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { ENGINES, sample } from '../support/engines.ts';
import { removeFolder, tempFolder } from '../support/folders.ts';
import { freshDatabase } from '../support/postgres.ts';
import { type ServiceProcess, startService } from '../support/process.ts';
import { until } from '../support/until.ts';
import { listWorkers, SKIP_WITHOUT_PROC } from '../support/workers.ts';

// biome-ignore lint/suspicious/noExplicitAny: whatever an answer holds
type Json = any;

async function send(
  service: ServiceProcess,
  method: string,
  path: string,
  body?: object,
  prefer = 'wait=30',
): Promise<Json> {
  const headers = { prefer, ...(body && { 'content-type': 'application/json' }) };
  const response = await service.fetch(path, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  assert.ok(response.status < 300, `${response.status} to ${method} ${path}`);
  return response.json();
}

const run = (service: ServiceProcess, prefer?: string) =>
  send(service, 'POST', '/analysis/run', { analysis_type: 'readability' }, prefer);

const exists = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

for (const engine of ENGINES) {
  describe(`kill -9 during a run (${engine})`, { skip: SKIP_WITHOUT_PROC }, () => {
    const folder = tempFolder();
    after(() => removeFolder(folder));

    /** Starts a run, and suspends its worker to keep it in progress. */
    const suspendRun = async (service: ServiceProcess) => {
      const complete = await run(service);
      const [worker] = listWorkers(service.child.pid!);
      process.kill(worker!, 'SIGSTOP');
      const { id } = await run(service, 'respond-async');
      await until(
        'it to run',
        async () => (await send(service, 'GET', `/analysis/${id}`)).status === 'running',
      );
      return { id, worker: worker!, complete };
    };
    const waitForEnd = (service: ServiceProcess, id: string) =>
      until(
        'its end',
        async () => {
          const body = await send(service, 'GET', `/analysis/${id}`);
          return ['succeeded', 'failed'].includes(body.status) && body;
        },
        30_000,
      );

    it('runs again in the next process with the same result; a graceful stop costs no attempt', async () => {
      const database = engine === 'postgres' ? await freshDatabase() : undefined;
      const env: Record<string, string> = {
        QUAESTOR_DATA_DIR: folder,
        QUAESTOR_LOG_LEVEL: 'error',
        QUAESTOR_WORKERS: '1',
        ...(database && { QUAESTOR_DATABASE_URL: database.url }),
      };
      /** Expires all leases. SQLite does this at the start, since there is no other process. */
      const expireLeases = () =>
        database?.query(`UPDATE analyses SET lease_until = 0 WHERE status = 'running'`);
      let service = await startService(env);
      await send(
        service,
        'POST',
        '/questions',
        Array.from({ length: 500 }, (_, i) => sample({ question_text: `Is it ${i}?` })),
      );

      const killed = await suspendRun(service);
      await service.end('SIGKILL');
      process.kill(killed.worker, 'SIGCONT');
      await until('its worker to notice', () => !exists(killed.worker));
      await expireLeases();
      service = await startService(env);
      const again = await waitForEnd(service, killed.id);
      assert.deepEqual([again.status, again.attempts], ['succeeded', 2]);
      assert.deepEqual(again.result, killed.complete.result);

      const stopped = await suspendRun(service);
      const request = run(service);
      await until(
        'it to wait',
        async () => (await send(service, 'GET', '/analysis?status=queued')).data.length === 1,
      );
      assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null });
      assert.ok(!exists(stopped.worker));
      assert.equal((await request).status, 'queued', 'waiting requests are answered before the process ends');
      service = await startService(env);
      const handed = await waitForEnd(service, stopped.id);
      assert.deepEqual([handed.status, handed.attempts], ['succeeded', 1]);

      const waiting = await suspendRun(service);
      const { id } = await run(service, 'respond-async');
      await service.end('SIGKILL');
      process.kill(waiting.worker, 'SIGKILL');
      await expireLeases();
      service = await startService(env);
      const [one, two] = [await waitForEnd(service, waiting.id), await waitForEnd(service, id)];
      assert.deepEqual([one.attempts, two.attempts], [2, 1]);
      assert.deepEqual(two.result, killed.complete.result);
      await service.end('SIGTERM');
      await database?.drop();
    });
  });
}
