/** Cancellation, retries and time limits of runs whose worker process is stopped or killed. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildApp } from '../../src/app.ts';
import { openEngine } from '../../src/engines/index.ts';
import { onEveryEngine, openService, type Service, sample } from '../support/engines.ts';
import { until } from '../support/until.ts';
import { listWorkers, SKIP_WITHOUT_PROC } from '../support/workers.ts';

const ASYNC = { prefer: 'respond-async' };
const WAIT = { prefer: 'wait=30' };
/** Ten times the duration that docs/operations.md states. */
const MAX_CANCEL_MS = 10_000;
/** Shorter than in production. */
const LEASE = { leaseMs: 2_000, renewIntervalMs: 300 };

// biome-ignore lint/suspicious/noExplicitAny: JSON of any shape, asserted by the test
type Json = any;

/** Tests with one worker process, which is suspended to keep a run in progress. */
function withOneWorker(service: () => Service): void {
  const call: Service['call'] = (...args) => service().call(...args);
  const start = async (headers: Record<string, string>, token?: string) =>
    (
      await call('POST', '/analysis/run', {
        body: { analysis_type: 'coverage' },
        headers,
        ...(token && { token }),
      })
    ).body;
  const readStatus = async (id: string) => (await call('GET', `/analysis/${id}`)).body.status;
  /** Starts the worker process, suspends it, and returns its pid. */
  const suspendWorker = async (): Promise<number> => {
    await start(WAIT);
    const [pid] = listWorkers(process.pid);
    process.kill(pid!, 'SIGSTOP');
    return pid!;
  };
  const hasEnded = (pid: number) => !listWorkers(process.pid).includes(pid);

  it('stops the worker of a cancelled run, and starts the next run', async () => {
    const pid = await suspendWorker();
    const [first, second] = [await start(ASYNC), await start(ASYNC)];
    await until('the first to run', async () => (await readStatus(first.id)) === 'running');
    assert.equal(await readStatus(second.id), 'queued');
    assert.equal((await call('DELETE', `/analysis/${first.id}`)).status, 204);
    await until('the end of the worker', () => hasEnded(pid), MAX_CANCEL_MS);
    const { body } = await call('GET', `/analysis/${first.id}`);
    assert.deepEqual([body.status, body.result, body.error], ['cancelled', null, null]);
    assert.equal((await call('GET', `/analysis/${first.id}/plot.svg`)).body.code, 'no_result');
    await until('the second to succeed', async () => (await readStatus(second.id)) === 'succeeded');
    assert.equal((await call('DELETE', `/analysis/${first.id}`)).status, 204);
    assert.equal((await call('GET', `/analysis/${first.id}`)).status, 404);
  });

  it('replaces a killed worker and retries its run', async () => {
    const pid = await suspendWorker();
    const { id } = await start(ASYNC);
    await until('it to run', async () => (await readStatus(id)) === 'running');
    process.kill(pid, 'SIGKILL');
    const body = await until('it to succeed', async () => {
      const { body } = await call('GET', `/analysis/${id}`);
      return body.status === 'succeeded' && body;
    });
    assert.equal(body.attempts, 2);
  });

  it('fails a run whose workers are killed repeatedly', async () => {
    process.kill(await suspendWorker(), 'SIGKILL');
    const { id } = await start(ASYNC);
    const body = await until(
      'it to fail',
      async () => {
        for (const pid of listWorkers(process.pid)) process.kill(pid, 'SIGKILL');
        const { body } = await call('GET', `/analysis/${id}`);
        return body.status === 'failed' && body;
      },
      30_000,
    );
    assert.equal(body.attempts, 4);
    assert.equal(body.error.code, 'interrupted');
    assert.match(body.error.detail, /the worker process ended \(SIGKILL\)/);
    assert.equal(body.result, null);
  });

  it('reads the questions as they are at the start, and warns of deleted ones', async () => {
    const { body } = await call('POST', '/questions', { body: [sample(), sample(), sample()] });
    const ids = body.data.map(({ id }: Json) => id);
    const pid = await suspendWorker();
    await start(ASYNC);
    const queued = await call('POST', '/analysis/run', {
      body: { analysis_type: 'readability', question_ids: ids },
      headers: ASYNC,
    });
    assert.deepEqual([queued.body.status, queued.body.question_count], ['queued', 3]);
    await call('DELETE', `/questions/${ids[0]}`);
    await call('PUT', `/questions/${ids[1]}`, { body: { question_text: 'Is this the text it sees?' } });
    process.kill(pid, 'SIGCONT');
    const ended = await until('its end', async () => {
      const { body } = await call('GET', `/analysis/${queued.body.id}`);
      return body.status === 'succeeded' && body;
    });
    assert.deepEqual([ended.question_count, ended.result.items.length], [2, 2]);
    assert.match(ended.result.warnings.join(), /One of the requested questions was deleted/);
    assert.equal(ended.result.items.find((item: Json) => item.question_id === ids[1]).words, 6);
  });

  it('alternates between clients', async () => {
    const pid = await suspendWorker();
    const own = [await start(ASYNC), await start(ASYNC), await start(ASYNC)];
    const token = await otherToken(service());
    const others = [await start(ASYNC, token), await start(ASYNC, token)];
    process.kill(pid, 'SIGCONT');
    const all = [...own, ...others].map(({ id }) => id);
    const runs = await until('all to succeed', async () => {
      const { body } = await call('GET', '/analysis?limit=5');
      const done = body.data.filter(({ id, status }: Json) => all.includes(id) && status === 'succeeded');
      return done.length === 5 && done;
    });
    runs.sort((a: Json, b: Json) => (a.started_at < b.started_at ? -1 : 1));
    const owners = runs.map(({ id }: Json) => (own.some((run) => run.id === id) ? 'own' : 'other'));
    assert.deepEqual(owners, ['own', 'other', 'own', 'other', 'own']);
  });

  it('429 and 503: limits the queue of a client and of the service', async () => {
    const pid = await suspendWorker();
    const token = await otherToken(service());
    const fill = async (token?: string) => {
      const ids: string[] = [];
      for (;;) {
        const { status, headers, body } = await call('POST', '/analysis/run', {
          body: { analysis_type: 'coverage' },
          headers: ASYNC,
          ...(token && { token }),
        });
        if (status !== 202) return { ids, status, code: body.code, retry: headers['retry-after'] };
        ids.push(body.id);
      }
    };
    const own = await fill();
    assert.deepEqual([own.ids.length, own.status, own.code], [51, 429, 'too_many_queued']);
    const others = await fill(token);
    assert.deepEqual([others.ids.length, others.status], [50, 429]);
    const third = await fill(await otherToken(service()));
    assert.deepEqual([third.ids.length, third.status, third.code, third.retry], [5, 503, 'queue_full', '10']);
    for (const id of [...own.ids, ...others.ids, ...third.ids].reverse())
      assert.equal((await call('DELETE', `/analysis/${id}`)).status, 204);
    await until('the end of the worker', () => hasEnded(pid));
  });
}

/** A token of another client. */
async function otherToken({ call, app }: Service): Promise<string> {
  const { body } = await call('POST', '/auth/clients', { body: { name: 'Other', role: 'analyst' } });
  const answer = await app.inject({
    method: 'POST',
    url: '/auth/token',
    headers: { 'content-type': 'application/json' },
    payload: { grant_type: 'client_credentials', client_id: body.id, client_secret: body.secret },
  });
  return answer.json().access_token;
}

/** Tests with two worker processes. */
function withTwoWorkers(service: () => Service): void {
  const call: Service['call'] = (...args) => service().call(...args);

  it('renews the lease of a retried run, and stops it when it is cancelled', async () => {
    const body = { analysis_type: 'coverage' };
    const first = await call('POST', '/analysis/run', { body, headers: ASYNC });
    const [pid] = await until('a worker', () => {
      const pids = listWorkers(process.pid);
      return pids.length > 0 && pids;
    });
    await until(
      'its end',
      async () => (await call('GET', first.headers.location!)).body.status === 'succeeded',
    );
    process.kill(pid!, 'SIGSTOP');
    const { headers } = await call('POST', '/analysis/run', { body, headers: ASYNC });
    const path = headers.location!;
    const record = async () => (await call('GET', path)).body;
    await until('it to run', async () => (await record()).status === 'running');
    // The replacement of the killed worker is suspended at once.
    process.kill(pid!, 'SIGKILL');
    const next = await until('the next worker', () =>
      listWorkers(process.pid).find((worker) => worker !== pid),
    );
    process.kill(next, 'SIGSTOP');
    await until('the next attempt', async () => (await record()).attempts === 2);
    await sleep(1.5 * LEASE.leaseMs);
    assert.deepEqual(
      [(await record()).attempts, (await record()).status],
      [2, 'running'],
      'its lease is renewed',
    );
    assert.equal((await call('DELETE', path)).status, 204);
    await until('the end of all workers', () => listWorkers(process.pid).length === 0, MAX_CANCEL_MS);
  });
}

function withTimeLimit(service: () => Service): void {
  it('fails a run that exceeds the time limit', async () => {
    const { call } = service();
    const body = { analysis_type: 'coverage' };
    await call('POST', '/analysis/run', { body, headers: WAIT });
    const [pid] = listWorkers(process.pid);
    process.kill(pid!, 'SIGSTOP');
    const { body: ended } = await call('POST', '/analysis/run', { body, headers: WAIT });
    assert.deepEqual([ended.status, ended.error.code, ended.attempts], ['failed', 'too_long', 1]);
    await until('the end of the worker', () => !listWorkers(process.pid).includes(pid!));
  });
}

it('cancels a run through another process', { skip: SKIP_WITHOUT_PROC }, async (t) => {
  const service = await openService('postgres', { workers: 1 });
  t.after(() => service.close());
  const engine = await openEngine({
    dataDir: '',
    databaseUrl: (service.engine.reader as { url: string }).url,
  });
  t.after(() => engine.close());
  const other = await buildApp({ engine, workers: 1 });
  t.after(() => other.close());
  const { call, admin } = service;
  const body = { analysis_type: 'coverage' };
  await call('POST', '/analysis/run', { body, headers: WAIT });
  const [pid] = listWorkers(process.pid);
  process.kill(pid!, 'SIGSTOP');
  const { headers } = await call('POST', '/analysis/run', { body, headers: ASYNC });
  await until('it to run', async () => (await call('GET', headers.location!)).body.status === 'running');
  const authorization = `Bearer ${admin.key}`;
  const answer = await other.inject({ method: 'DELETE', url: headers.location!, headers: { authorization } });
  assert.equal(answer.statusCode, 204);
  await until('the end of the worker', () => !listWorkers(process.pid).includes(pid!), MAX_CANCEL_MS);
});

if (SKIP_WITHOUT_PROC) it('runs with a suspended worker', { skip: SKIP_WITHOUT_PROC }, () => {});
else {
  onEveryEngine('runs with a suspended worker', withOneWorker, {
    workers: 1,
    timings: { minBackoffMs: 100 },
  });
  onEveryEngine('two concurrent runs', withTwoWorkers, { workers: 2, timings: LEASE });
  onEveryEngine('the time limit of runs', withTimeLimit, { workers: 1, analysisTimeout: 6_000 });
}
