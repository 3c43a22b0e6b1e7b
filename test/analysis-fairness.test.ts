/** Clients share the workers: one that waits gets a worker of a client that has several. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { findAnalysis, withDefaults } from '../src/analyses/index.ts';
import { Runner } from '../src/jobs/runner.ts';
import { createAnalysis } from '../src/store/analyses/analyses.ts';
import { claimAnalysis, findPreemptible, releaseAnalysis } from '../src/store/analyses/queue.ts';
import { onEveryEngine, type Service, sample } from './support/engines.ts';
import { until } from './support/until.ts';
import { listWorkers, SKIP_WITHOUT_PROC } from './support/workers.ts';

const RELEASED = { reason: 'released', error: { code: 'released', detail: '' } } as const;
const SILENT = { info: () => {}, warn: () => {}, error: () => {} };

onEveryEngine(
  'runs of several clients',
  (service) => {
    const queue = async (client: string, { engine }: Service = service()) =>
      (
        await engine.write(createAnalysis, {
          client,
          type: 'readability',
          answers: false,
          parameters: withDefaults(findAnalysis('readability')!, {}),
          filter: {},
          members: undefined,
          question_count: 1,
          view: 'with_answers',
          reveals_answers: false,
          unapproved: false,
        })
      ).id;
    const readRun = async (id: string) => (await service().call('GET', `/analysis/${id}`)).body;

    it('the youngest run of a client with several gives way to a client with none', async () => {
      const { engine } = service();
      const claim = async (lease: string) =>
        (await engine.write(claimAnalysis, { lease, durationMs: 60_000 }))?.id;
      const release = (id: string, lease: string) =>
        engine.write(releaseAnalysis, { id, lease, ...RELEASED });
      const first = await queue('greedy');
      const second = await queue('greedy');
      assert.deepEqual([await claim('one'), await claim('two')], [first, second]);
      const third = await queue('greedy');
      assert.equal(await findPreemptible(engine.db, 0), undefined, 'no other client is waiting');
      const other = await queue('modest');
      assert.equal(await findPreemptible(engine.db, 60_000), undefined, 'the client has not waited for long');
      assert.equal(await findPreemptible(engine.db, 0), 'two');
      await release(second, 'two');
      assert.equal(await claim('three'), other);
      assert.equal(await findPreemptible(engine.db, 0), undefined, 'each client has a run');
      const last = await queue('third');
      assert.equal(await findPreemptible(engine.db, 0), undefined, 'a client keeps its only run');
      for (const id of [first, second, third, other, last]) await service().call('DELETE', `/analysis/${id}`);
    });

    it('the runner stops that run without counting an attempt', { skip: SKIP_WITHOUT_PROC }, async (t) => {
      const { engine } = service();
      await service().call('POST', '/questions', { body: sample() });
      const before = new Set(listWorkers(process.pid));
      const runner = new Runner({ engine, workers: 2, log: SILENT, timings: { preemptAfterMs: 50 } });
      t.after(() => runner.stop());
      const own = [await queue('greedy'), await queue('greedy')];
      await runner.start();
      // Suspended while they start, they compute for as long as the test wants.
      const workers = await until('both workers', () => {
        const pids = listWorkers(process.pid).filter((pid) => !before.has(pid));
        return pids.length === 2 && pids;
      });
      for (const pid of workers) process.kill(pid, 'SIGSTOP');
      const other = await queue('modest');
      await until('the other client', async () => (await readRun(other)).status === 'succeeded', 30_000);
      const states = await Promise.all(own.map(readRun));
      assert.equal(states[0].status, 'running');
      for (const pid of listWorkers(process.pid)) process.kill(pid, 'SIGCONT');
      for (const id of own) {
        const run = await until(
          'its end',
          async () => {
            const body = await readRun(id);
            return body.status === 'succeeded' && body;
          },
          30_000,
        );
        assert.equal(run.attempts, 1);
      }
    });
  },
  { workers: 0 },
);
