/** Runs whose worker process is stopped or killed: they are cancelled, attempted again, limited in time. */
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
/** Shorter than in production. */
const LEASE = { leaseMs: 2_000, renewIntervalMs: 300 };

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects by asserting it
type Json = any;

/** With one worker that can be stopped, so that a run is under way for as long as a test needs it. */
function held(service: () => Service): void {
  const call: Service['call'] = (...args) => service().call(...args);
  const start = async (headers: Record<string, string>, token?: string) =>
    (
      await call('POST', '/analysis/run', {
        body: { analysis_type: 'coverage' },
        headers,
        ...(token && { token }),
      })
    ).body;
  const statusOf = async (id: string) => (await call('GET', `/analysis/${id}`)).body.status;
  /** Makes sure that there is one worker, and stops it. */
  const stopped = async (): Promise<number> => {
    await start(WAIT);
    const [pid] = listWorkers(process.pid);
    process.kill(pid!, 'SIGSTOP');
    return pid!;
  };
  const isGone = (pid: number) => !listWorkers(process.pid).includes(pid);

  it('stops the worker of a cancelled run, and starts the next run', async () => {
    const pid = await stopped();
    const [first, second] = [await start(ASYNC), await start(ASYNC)];
    await until('the first to run', async () => (await statusOf(first.id)) === 'running');
    assert.equal(await statusOf(second.id), 'queued');
    const begun = Date.now();
    assert.equal((await call('DELETE', `/analysis/${first.id}`)).status, 204);
    await until('the worker to be gone', () => isGone(pid));
    assert.ok(Date.now() - begun < 1000);
    const { body } = await call('GET', `/analysis/${first.id}`);
    assert.deepEqual([body.status, body.result, body.error], ['cancelled', null, null]);
    assert.equal((await call('GET', `/analysis/${first.id}/plot.svg`)).body.code, 'no_result');
    await until('the second to succeed', async () => (await statusOf(second.id)) === 'succeeded');
    assert.equal((await call('DELETE', `/analysis/${first.id}`)).status, 204);
    assert.equal((await call('GET', `/analysis/${first.id}`)).status, 404);
  });

  it('replaces a killed worker and retries its run', async () => {
    const pid = await stopped();
    const { id } = await start(ASYNC);
    await until('it to run', async () => (await statusOf(id)) === 'running');
    process.kill(pid, 'SIGKILL');
    const body = await until('it to succeed', async () => {
      const { body } = await call('GET', `/analysis/${id}`);
      return body.status === 'succeeded' && body;
    });
    assert.equal(body.attempts, 2);
  });

  it('fails a run whose workers are killed repeatedly', async () => {
    process.kill(await stopped(), 'SIGKILL');
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
    const pid = await stopped();
    await start(ASYNC);
    const asked = await call('POST', '/analysis/run', {
      body: { analysis_type: 'readability', question_ids: ids },
      headers: ASYNC,
    });
    assert.deepEqual([asked.body.status, asked.body.question_count], ['queued', 3]);
    await call('DELETE', `/questions/${ids[0]}`);
    await call('PUT', `/questions/${ids[1]}`, { body: { question_text: 'Is this the text it sees?' } });
    process.kill(pid, 'SIGCONT');
    const seen = await until('its end', async () => {
      const { body } = await call('GET', `/analysis/${asked.body.id}`);
      return body.status === 'succeeded' && body;
    });
    assert.deepEqual([seen.question_count, seen.result.items.length], [2, 2]);
    assert.match(seen.result.warnings.join(), /One of the requested questions was deleted/);
    assert.equal(seen.result.items.find((item: Json) => item.question_id === ids[1]).words, 6);
  });

  it('alternates between clients', async () => {
    const pid = await stopped();
    const own = [await start(ASYNC), await start(ASYNC), await start(ASYNC)];
    const token = await otherToken(service());
    const others = [await start(ASYNC, token), await start(ASYNC, token)];
    process.kill(pid, 'SIGCONT');
    const all = [...own, ...others].map(({ id }) => id);
    const begun = await until('all to succeed', async () => {
      const { body } = await call('GET', '/analysis?limit=5');
      const done = body.data.filter(({ id, status }: Json) => all.includes(id) && status === 'succeeded');
      return done.length === 5 && done;
    });
    begun.sort((a: Json, b: Json) => (a.started_at < b.started_at ? -1 : 1));
    const whose = begun.map(({ id }: Json) => (own.some((each) => each.id === id) ? 'own' : 'other'));
    assert.deepEqual(whose, ['own', 'other', 'own', 'other', 'own']);
  });

  it('429 and 503: limits the queue of a client and of the service', async () => {
    const pid = await stopped();
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
    const mine = await fill();
    assert.deepEqual([mine.ids.length, mine.status, mine.code], [51, 429, 'too_many_queued']);
    const others = await fill(token);
    assert.deepEqual([others.ids.length, others.status], [50, 429]);
    const third = await fill(await otherToken(service()));
    assert.deepEqual([third.ids.length, third.status, third.code, third.retry], [0, 503, 'queue_full', '10']);
    for (const id of [...mine.ids, ...others.ids].reverse())
      assert.equal((await call('DELETE', `/analysis/${id}`)).status, 204);
    await until('the worker to be gone', () => isGone(pid));
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

/** With two workers: what happens to one attempt at a run has nothing to do with the next. */
function several(service: () => Service): void {
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
    // Whatever is started in place of the one that is killed is stopped before it gets anywhere.
    process.kill(pid!, 'SIGKILL');
    const next = await until('the next worker', () => listWorkers(process.pid).find((each) => each !== pid));
    process.kill(next, 'SIGSTOP');
    await until('the next attempt', async () => (await record()).attempts === 2);
    await sleep(1.5 * LEASE.leaseMs);
    assert.deepEqual(
      [(await record()).attempts, (await record()).status],
      [2, 'running'],
      'its lease is renewed',
    );
    assert.equal((await call('DELETE', path)).status, 204);
    await until('all workers to be gone', () => listWorkers(process.pid).length === 0, 1000);
  });
}

/** What a run may take, at the most. */
function limited(service: () => Service): void {
  it('fails a run that exceeds the time limit', async () => {
    const { call } = service();
    const body = { analysis_type: 'coverage' };
    await call('POST', '/analysis/run', { body, headers: WAIT });
    const [pid] = listWorkers(process.pid);
    process.kill(pid!, 'SIGSTOP');
    const { body: ended } = await call('POST', '/analysis/run', { body, headers: WAIT });
    assert.deepEqual([ended.status, ended.error.code, ended.attempts], ['failed', 'too_long', 1]);
    await until('the worker to be gone', () => !listWorkers(process.pid).includes(pid!));
  });
}

it('a run is cancelled through another process', { skip: SKIP_WITHOUT_PROC }, async () => {
  const service = await openService('postgres', { workers: 1 });
  const engine = await openEngine({
    dataDir: '',
    databaseUrl: (service.engine.reader as { url: string }).url,
  });
  const other = await buildApp({ engine, workers: 1 });
  const { call, admin } = service;
  const body = { analysis_type: 'coverage' };
  await call('POST', '/analysis/run', { body, headers: WAIT });
  const [pid] = listWorkers(process.pid);
  process.kill(pid!, 'SIGSTOP');
  const { headers } = await call('POST', '/analysis/run', { body, headers: ASYNC });
  await until('it to run', async () => (await call('GET', headers.location!)).body.status === 'running');
  const begun = Date.now();
  const authorization = `Bearer ${admin.key}`;
  const answer = await other.inject({ method: 'DELETE', url: headers.location!, headers: { authorization } });
  assert.equal(answer.statusCode, 204);
  await until('the worker to be gone', () => !listWorkers(process.pid).includes(pid!));
  assert.ok(Date.now() - begun < 1000);
  await other.close();
  await engine.close();
  await service.close();
});

if (SKIP_WITHOUT_PROC) it('runs with a stopped worker', { skip: SKIP_WITHOUT_PROC }, () => {});
else {
  onEveryEngine('runs with a stopped worker', held, { workers: 1, timings: { minBackoffMs: 100 } });
  onEveryEngine('two runs at once', several, { workers: 2, timings: LEASE });
  onEveryEngine('the time limit of runs', limited, { workers: 1, analysisTimeout: 3_000 });
}
