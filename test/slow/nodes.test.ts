/**
 * Several nodes on one database behind a stateless load balancer, also when one of them is killed.
 */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { type Balancer, startBalancer } from '../support/balancer.ts';
import { sample } from '../support/engines.ts';
import { Follower } from '../support/event-stream.ts';
import { Load } from '../support/load.ts';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';
import { type ServiceProcess, spawnService, startService } from '../support/process.ts';
import { type Json, send } from '../support/requests.ts';
import { until } from '../support/until.ts';
import { listWorkers, SKIP_WITHOUT_PROC } from '../support/workers.ts';

/** Worker processes start late under load, since requests have priority. */
const MAX_START_MS = 60_000;
/** A stopping node closes all connections after 20 s. It ends streams before that. */
const MAX_STREAM_END_MS = 15_000;

describe('three nodes', () => {
  let database: TestDatabase;
  let nodes: ServiceProcess[];
  let balancer: Balancer;
  const start = () =>
    startService({ QUAESTOR_DATABASE_URL: database.url, QUAESTOR_LOG_LEVEL: 'error', QUAESTOR_WORKERS: '1' });
  /** The service through the load balancer. */
  const service = () => ({ port: balancer.port, token: nodes[0]!.token });

  before(async () => {
    database = await freshDatabase();
    nodes = await Promise.all([start(), start(), start()]);
    balancer = await startBalancer(nodes.map(({ port }) => port));
  });
  after(async () => {
    await balancer.close();
    const alive = nodes.filter(({ child }) => child.exitCode === null && child.signalCode === null);
    await Promise.all(alive.map((node) => node.end('SIGTERM')));
    await database.drop();
  });

  /** Suspends the worker of each node during a run, and returns the workers and the runs. */
  const suspendRuns = async (): Promise<{ workers: number[]; runs: string[] }> => {
    const workers: number[] = [];
    await until(
      'a worker of each node',
      () => {
        for (const [i, { child }] of nodes.entries()) {
          const [worker] = listWorkers(child.pid!);
          if (!worker || workers[i]) continue;
          process.kill(worker, 'SIGSTOP');
          workers[i] = worker;
        }
        return workers.filter(Boolean).length === nodes.length;
      },
      MAX_START_MS,
    );
    const runs = await until(
      'a run of each',
      async () => {
        const { body } = await send(service(), 'GET', '/analysis?status=running');
        return body.data.length === nodes.length && body.data.map(({ id }: Json) => id);
      },
      MAX_START_MS,
    );
    return { workers, runs };
  };

  it('lose and repeat no write when one is killed under load', async (t) => {
    const follower = new Follower(service());
    t.after(() => follower.close());
    await until('the stream', () => follower.start);
    const load = new Load(service());
    t.after(() => load.stop());
    await load.start();
    const suspended = SKIP_WITHOUT_PROC ? undefined : await suspendRuns();
    await until('some load', () => load.ids.length > 100);
    await nodes[1]!.end('SIGKILL');
    for (const [i, worker] of suspended?.workers.entries() ?? [])
      process.kill(worker, i === 1 ? 'SIGKILL' : 'SIGCONT');
    const before = load.ids.length;
    await until('more load', () => load.ids.length > before + 100);
    nodes[1] = await start();
    balancer.nodes = nodes.map(({ port }) => port);
    const joined = load.ids.length;
    await until('load on all three', () => load.ids.length > joined + 100);
    await load.stop();
    assert.deepEqual(load.faults, []);
    assert.deepEqual(await load.compare(follower), { lost: [], repeated: [], failed: [] });
    const attempts = suspended?.runs.map(
      async (id) => (await send(service(), 'GET', `/analysis/${id}`)).body.attempts,
    );
    if (attempts) assert.deepEqual((await Promise.all(attempts)).sort(), [1, 1, 2]);

    const second = new Follower(service(), follower.start);
    t.after(() => second.close());
    await until('the same events again', () => second.messages.length >= follower.messages.length);
    assert.deepEqual(second.messages.slice(0, follower.messages.length), follower.messages);
    assert.equal(follower.resets + second.resets, 0);
  });

  it('revoke a token on all nodes from the next request, and end its streams', async (t) => {
    const key = { name: 'to be revoked', scopes: ['questions:read'] };
    const { body } = await send(nodes[0]!, 'POST', '/auth/tokens', { body: key });
    const holders = nodes.map(({ port }) => ({ port, token: body.token }));
    const statuses = async () => {
      const answers = await Promise.all(holders.map((holder) => send(holder, 'GET', '/questions?limit=1')));
      return answers.map(({ status }) => status);
    };
    assert.deepEqual(await statuses(), [200, 200, 200]);
    const streams = holders.map((holder) => new Follower(holder));
    t.after(() => Promise.all(streams.map((stream) => stream.close())));
    await until('the streams', () => streams.every(({ open }) => open));
    assert.equal((await send(nodes[0]!, 'DELETE', `/auth/tokens/${body.id}`)).status, 204);
    assert.deepEqual(await statuses(), [401, 401, 401]);
    await until('the end of the streams', () => streams.every(({ open }) => !open), MAX_STREAM_END_MS);
  });

  it('execute a write once for the same Idempotency-Key on all nodes', async () => {
    for (const round of [1, 2, 3]) {
      const sending = {
        body: sample({ tags: [`once-${round}`] }),
        headers: { 'idempotency-key': `once-${round}` },
      };
      const requests = Array.from({ length: 30 }, (_, i) =>
        send(nodes[i % 3]!, 'POST', '/questions', sending),
      );
      const answers = await Promise.all(requests);
      const created = answers.filter(({ status }) => status === 201);
      const rejected = answers.filter(({ status }) => status !== 201);
      assert.ok(created.length > 0);
      for (const { body } of created) assert.deepEqual(body, created[0]!.body);
      for (const { status, body } of rejected)
        assert.deepEqual([status, body.code], [409, 'idempotency_in_flight']);
      const { body } = await send(service(), 'GET', `/questions?tag=once-${round}`);
      assert.equal(body.pagination.total, 1);
    }
  });
});

describe('nodes with one role', () => {
  it('serve requests without running analyses, or run analyses without serving the API', async (t) => {
    const database = await freshDatabase();
    t.after(() => database.drop());
    const settings = { QUAESTOR_DATABASE_URL: database.url, QUAESTOR_LOG_LEVEL: 'error' };
    const api = await startService({ ...settings, QUAESTOR_ROLE: 'api' });
    t.after(() => api.end('SIGTERM'));
    await send(api, 'POST', '/questions', { body: sample() });
    const body = { analysis_type: 'coverage' };
    const queued = await send(api, 'POST', '/analysis/run', { body, headers: { prefer: 'wait=2' } });
    assert.deepEqual([queued.status, queued.body.status], [202, 'queued']);

    const worker = spawnService({ ...settings, QUAESTOR_ROLE: 'worker' });
    t.after(() => endProcess(worker));
    const port = await until('the worker node', () => /127\.0\.0\.1:(\d+)\//.exec(worker.output())?.[1]);
    const node = { port: Number(port), token: api.token };
    await until('the end of the run', async () => {
      const { body: run } = await send(api, 'GET', `/analysis/${queued.body.id}`);
      return run.status === 'succeeded';
    });
    const paths = ['/health', '/ready', '/questions', '/analysis', '/events', '/docs'];
    const answers = await Promise.all(paths.map((path) => send(node, 'GET', path)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 404, 404, 404, 404],
    );
    const waited = await send(api, 'POST', '/analysis/run', { body, headers: { prefer: 'wait=30' } });
    assert.deepEqual(
      [waited.status, waited.body.status],
      [201, 'succeeded'],
      'a request waits for a run on another node',
    );
    if (!SKIP_WITHOUT_PROC) assert.deepEqual(listWorkers(api.child.pid!), []);
  });
});

async function endProcess(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}
