/**
 * PostgreSQL restarted, hung, stopped or disconnected under load: requests get 503, and nothing is
 * lost or repeated.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Balancer, startBalancer } from '../support/balancer.ts';
import { CuttingProxy } from '../support/cutting-proxy.ts';
import { sample } from '../support/engines.ts';
import { Follower } from '../support/event-stream.ts';
import { Load } from '../support/load.ts';
import { hang, measureRecovery, Probe, type Recovery, restart } from '../support/outages.ts';
import { freshDatabase, type OwnPostgres, startOwnPostgres } from '../support/postgres.ts';
import { type ServiceProcess, startService } from '../support/process.ts';
import { type Answer, isUnavailable, type SendOptions, send } from '../support/requests.ts';
import { until } from '../support/until.ts';

const SKIP_ON_WINDOWS = process.platform === 'win32' && 'processes cannot be suspended on Windows';

/**
 * From the return of the server until all nodes serve requests: ten times what bench/outages.ts
 * measures on an idle machine.
 */
const MAX_RECOVERY_MS = 20_000;
/** Requests that fail because of an outage have done so this long after it. */
const SETTLE_MS = 2_000;

const assertRecovers = ({ recoveryMs }: Recovery) =>
  assert.ok(recoveryMs < MAX_RECOVERY_MS, `recovery took ${Math.round(recoveryMs)} ms`);

describe('PostgreSQL outages', { skip: SKIP_ON_WINDOWS }, () => {
  let server: OwnPostgres;
  const start = (url: string) =>
    startService({ QUAESTOR_DATABASE_URL: url, QUAESTOR_LOG_LEVEL: 'silent', QUAESTOR_WORKERS: '1' });

  before(async () => {
    server = await startOwnPostgres();
  });
  after(() => server.stop());

  describe('under load', () => {
    let nodes: ServiceProcess[];
    let balancer: Balancer;
    let load: Load;
    let follower: Follower;
    let probes: Probe[];

    before(async () => {
      const { url } = await freshDatabase(server);
      nodes = await Promise.all([start(url), start(url)]);
      balancer = await startBalancer(nodes.map(({ port }) => port));
      const target = { port: balancer.port, token: nodes[0]!.token };
      follower = new Follower(target);
      load = new Load(target);
      await until('the stream', () => follower.start);
      await load.start();
      probes = nodes.map((node) => new Probe(node, load.ids[0]!));
      await until('some load', () => load.ids.length > 50);
    });
    after(async () => {
      await Promise.all([load.stop(), follower.close(), ...probes.map((probe) => probe.stop())]);
      await balancer.close();
      await Promise.all(nodes.map((node) => node.end('SIGTERM')));
    });

    /** Waits until /ready has this status on every node; /health is always 200. */
    const untilReadyIs = (status: number) =>
      until(`${status} of /ready`, async () => {
        for (const node of nodes) assert.equal((await send(node, 'GET', '/health')).status, 200);
        const answers = await Promise.all(nodes.map((node) => send(node, 'GET', '/ready')));
        for (const answer of answers) assert.ok(answer.status === 200 || isUnavailable(answer));
        return answers.every((answer) => answer.status === status);
      });

    for (const mode of ['fast', 'immediate', 'fast'] as const) {
      it(`recovers from a restart (${mode})`, async () => {
        assertRecovers(await restart(server, probes, { mode }));
        await untilReadyIs(200);
      });
    }

    it('recovers from a suspended server', async () => {
      assertRecovers(await hang(server, probes, { ms: 6_000, meanwhile: () => untilReadyIs(503) }));
      await untilReadyIs(200);
    });

    it('recovers from three seconds without a server', async () => {
      const back = restart(server, probes, { mode: 'fast', ms: 3_000 });
      await untilReadyIs(503);
      assertRecovers(await back);
      await untilReadyIs(200);
    });

    it('responds with no error but 503, and loses and repeats no write', async () => {
      const before = load.ids.length;
      await until('more load', () => load.ids.length > before + 20);
      await Promise.all([load.stop(), ...probes.map((probe) => probe.stop())]);
      assert.deepEqual(
        [...probes, load].flatMap(({ faults }) => faults),
        [],
      );
      assert.equal(load.unanswered, 0);
      assert.ok(load.unavailable > 0);
      assert.deepEqual(await load.compare(follower), { lost: [], repeated: [], failed: [] });
      assert.equal(follower.resets, 0);
    });
  });

  describe('network failures', () => {
    let proxy: CuttingProxy;
    let service: ServiceProcess;
    let id: string;
    let follower: Follower;

    before(async () => {
      proxy = new CuttingProxy((await freshDatabase(server)).url);
      service = await start(await proxy.listen());
      id = (await send(service, 'POST', '/questions', { body: sample({ tags: ['first'] }) })).body.id;
      follower = new Follower(service);
      await until('the stream', () => follower.start);
    });
    after(async () => {
      await follower.close();
      await service.end('SIGTERM');
      await proxy.close();
    });

    /** Retries until the request succeeds. */
    const retry = (method: string, path: string, sending: SendOptions): Promise<Answer> =>
      until(`an answer to ${method} ${path}`, async () => {
        const answer = await send(service, method, path, sending);
        if (answer.status < 300) return answer;
        assert.ok(isUnavailable(answer) || answer.body.code === 'idempotency_in_flight', `${answer.status}`);
        return undefined;
      });

    /** Disconnects at the commit of the request, and repeats the request. */
    const cutAndRepeat = async (when: 'before' | 'after', path: string, body: unknown): Promise<Answer> => {
      const key = crypto.randomUUID();
      const sending = { body, headers: { 'idempotency-key': key, prefer: 'respond-async' } };
      proxy.cutAtCommit(when, key);
      const first = await send(service, 'POST', path, sending);
      assert.ok(!proxy.isCutPending);
      assert.ok(isUnavailable(first), `${first.status}`);
      const second = await retry('POST', path, sending);
      const third = await retry('POST', path, sending);
      // The status of a run may have changed; other responses are equal.
      if (path === '/analysis/run') assert.equal(third.body.id, second.body.id);
      else assert.deepEqual(third.body, second.body);
      return second;
    };
    const total = async (path: string) => (await send(service, 'GET', path)).body.pagination.total;

    for (const when of ['before', 'after'] as const) {
      describe(`disconnected ${when} the commit`, () => {
        it('creates a question once', async () => {
          await cutAndRepeat(when, '/questions', sample({ tags: [when] }));
          assert.equal(await total(`/questions?tag=${when}`), 1);
        });

        it('creates many questions once', async () => {
          const body = [1, 2, 3].map(() => sample({ tags: [`many ${when}`] }));
          await cutAndRepeat(when, '/questions', body);
          assert.equal(await total(`/questions?tag=many%20${when}`), 3);
        });

        it('records a response once', async () => {
          const respondent = `one ${when}`;
          const { status } = await cutAndRepeat(when, '/responses', {
            question_id: id,
            respondent,
            correct: true,
          });
          assert.equal(status, 201, 'it replaces no earlier response');
          assert.equal(await total(`/responses?respondent=one%20${when}`), 1);
        });

        it('queues a run once', async () => {
          const before = await total('/analysis');
          const { body } = await cutAndRepeat(when, '/analysis/run', { analysis_type: 'coverage' });
          assert.equal(await total('/analysis'), before + 1);
          await until('its end', async () => {
            const run = await send(service, 'GET', `/analysis/${body.id}`);
            return run.body.status === 'succeeded';
          });
        });

        it('changes a question once', async () => {
          const path = `/questions/${id}`;
          const { headers, body } = await send(service, 'GET', path);
          const change = { body: { source: `It was ${when}.` }, headers: { 'if-match': headers.etag! } };
          proxy.cutAtCommit(when, change.body.source);
          const first = await send(service, 'PUT', path, change);
          assert.ok(!proxy.isCutPending);
          assert.ok(isUnavailable(first), `${first.status}`);
          const second = await until('an answer', async () => {
            const answer = await send(service, 'PUT', path, change);
            return !isUnavailable(answer) && answer;
          });
          // A client that gets 412 reads the question to see whether its change was applied.
          assert.equal(second.status, when === 'before' ? 200 : 412);
          const now = await send(service, 'GET', path);
          assert.deepEqual([now.body.revision, now.body.source], [body.revision + 1, change.body.source]);
        });
      });
    }

    for (const [duration, ms] of Object.entries({
      'for three seconds': 3_000,
      'until /ready answers 503': 0,
    })) {
      it(`answers while all data is dropped ${duration}, and recovers`, async (t) => {
        const probe = new Probe(service, id);
        t.after(() => probe.stop());
        await until('the first responses', () => probe.findRecoveryAfter(0));
        const began = performance.now();
        proxy.startDropping();
        if (ms > 0) await sleep(ms);
        else await until('503 of /ready', async () => isUnavailable(await send(service, 'GET', '/ready')));
        proxy.stopDropping();
        assertRecovers(await measureRecovery(server, [probe], began));
        const recoveredBy = performance.now() + SETTLE_MS;
        // Requests that began during the outage time out only now, and must not affect new ones.
        await sleep(2 * SETTLE_MS);
        await probe.stop();
        assert.deepEqual([probe.faults, probe.countFailuresAfter(recoveredBy)], [[], 0]);
        const { body } = await send(service, 'POST', '/questions', { body: sample() });
        await until('its event', () => follower.messages.some(({ data }) => data.question_id === body.id));
      });
    }

    it('delivers every event to its followers', async (t) => {
      const second = new Follower(service, follower.start);
      t.after(() => second.close());
      const questions = await total('/questions');
      await until('all events', () => second.messages.filter(isCreated).length >= questions - 1);
      assert.deepEqual(second.messages, follower.messages);
      assert.equal(follower.messages.filter(isCreated).length, questions - 1);
    });
  });
});

const isCreated = ({ event }: { event: string }) => event === 'question.created';
