/** A primary whose synchronous standby is missing, and a standby at the address of the primary. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CuttingProxy } from '../support/cutting-proxy.ts';
import { sample } from '../support/engines.ts';
import {
  freshDatabase,
  type OwnPostgres,
  startOwnPostgres,
  startStandby,
  type TestDatabase,
} from '../support/postgres.ts';
import { type ServiceProcess, startService } from '../support/process.ts';
import { isUnavailable, send } from '../support/requests.ts';
import { until } from '../support/until.ts';

const SKIP_ON_WINDOWS = process.platform === 'win32' && 'a standby needs Unix sockets';

describe('replication', { skip: SKIP_ON_WINDOWS }, () => {
  let primary: OwnPostgres;
  let service: ServiceProcess;
  let address: CuttingProxy;
  let query: TestDatabase['query'];

  before(async () => {
    primary = await startOwnPostgres({ wal_keep_size: '256MB' });
    const database = await freshDatabase(primary);
    query = database.query;
    address = new CuttingProxy(database.url);
    const url = await address.listen();
    service = await startService({ QUAESTOR_DATABASE_URL: url, QUAESTOR_LOG_LEVEL: 'silent' });
  });
  after(async () => {
    await service.end('SIGTERM');
    await address.close();
    await primary.stop();
  });

  it('acknowledges no write whose wait for the standby was cancelled', async () => {
    await query(`ALTER SYSTEM SET synchronous_standby_names = 'missing'`);
    await query('SELECT pg_reload_conf()');
    let settled = false;
    const answer = send(service, 'POST', '/questions', { body: sample() }).finally(() => (settled = true));
    const cancel = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;
    // A request writes more than once: the rate limits have a transaction of their own.
    await until('the answer', async () => settled || !(await query(cancel)));
    assert.ok(isUnavailable(await answer), `${(await answer).status}`);
    await query('ALTER SYSTEM RESET synchronous_standby_names');
    await query('SELECT pg_reload_conf()');
  });

  it('serves nothing from a standby', async () => {
    const standby = await startStandby(primary);
    address.moveTo(standby.url);
    address.disconnectAll();
    const isRefused = async (path: string) => isUnavailable(await send(service, 'GET', path));
    await until('503', () => isRefused('/questions'));
    for (const path of ['/questions', '/categories', '/auth/me']) assert.ok(await isRefused(path), path);
    await until('503 of /ready', () => isRefused('/ready'));
    address.moveTo(primary.url);
    await until('the primary', async () => (await send(service, 'GET', '/questions')).status === 200);
    await standby.stop();
  });
});
