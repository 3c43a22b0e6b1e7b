/** The log and the metrics of runs: one line and one duration for each attempt. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ENGINES, openService, type Service, sample } from './support/engines.ts';
import { until } from './support/until.ts';
import { listWorkers, SKIP_WITHOUT_PROC } from './support/workers.ts';

interface Line {
  level: number;
  msg: string;
  analysis_id: string;
  [field: string]: unknown;
}

const WARN = 40;
const INFO = 30;
const WAIT = { prefer: 'wait=30' };

async function openLogged(engine: (typeof ENGINES)[number]) {
  const lines: Line[] = [];
  const log = { level: 'info', stream: { write: (line: string) => void lines.push(JSON.parse(line)) } };
  const service = await openService(engine, { log, workers: 1 });
  return { service, lines, find: (id: string) => lines.filter((line) => line.analysis_id === id) };
}

/** The number of runs by type and outcome, from /metrics. */
async function countRuns({ call }: Service): Promise<Record<string, number>> {
  const { text } = await call('GET', '/metrics');
  const found = text.matchAll(
    /^quaestor_analysis_run_duration_seconds_count\{analysis_type="(\w+)",outcome="(\w+)"\} (\d+)$/gm,
  );
  return Object.fromEntries([...found].map(([, type, outcome, n]) => [`${type} ${outcome}`, Number(n)]));
}

for (const engine of ENGINES) {
  it(`logs and measures the runs that succeed (${engine})`, async (t) => {
    const { service, find } = await openLogged(engine);
    t.after(() => service.close());
    const { call } = service;
    const made = await call('POST', '/questions', { body: [sample(), sample(), sample()] });
    const responses = made.body.data.map(({ id }: { id: string }) => ({
      question_id: id,
      respondent: 'ada',
      correct: true,
    }));
    await call('POST', '/responses', { body: responses.slice(0, 2) });
    const run = async (analysis_type: string) =>
      (await call('POST', '/analysis/run', { body: { analysis_type }, headers: WAIT })).body;

    const { id, started_at } = await run('item_statistics');
    await run('readability');
    const last = await run('readability');
    const [line, ...others] = await until('its line', () => find(id).length > 0 && find(id));
    assert.deepEqual(others, []);
    assert.deepEqual([line!.level, line!.msg, line!.outcome], [INFO, 'analysis ended', 'succeeded']);
    assert.deepEqual(
      [line!.analysis_type, line!.questions, line!.responses, line!.rows],
      ['item_statistics', 3, 2, 2],
    );
    const [begin, end] = [line!.started_at, line!.finished_at].map((time) => Date.parse(String(time)));
    assert.equal(end! - begin!, line!.ms);
    assert.ok(Math.abs(begin! - Date.parse(started_at)) < 5_000);
    // A Node.js process needs more than 20 MB.
    assert.ok((line!.worker_max_rss_bytes as number) > 20e6, String(line!.worker_max_rss_bytes));

    await until('its line', () => find(last.id).length > 0);
    assert.deepEqual(await countRuns(service), {
      'item_statistics succeeded': 1,
      'readability succeeded': 2,
    });
    assert.ok(!('responses' in find(last.id)[0]!));
  });

  it(`logs and measures the runs that do not (${engine})`, { skip: SKIP_WITHOUT_PROC }, async (t) => {
    const before = new Set(listWorkers(process.pid));
    const { service, find } = await openLogged(engine);
    let closed = false;
    t.after(() => closed || service.close());
    const { call } = service;
    await call('POST', '/questions', { body: sample() });
    const findWorker = () => listWorkers(process.pid).find((pid) => !before.has(pid));
    const body = { analysis_type: 'coverage' };
    await call('POST', '/analysis/run', { body, headers: WAIT });

    /** Starts a run, and suspends its worker to keep it in progress. */
    const suspendRun = async () => {
      const worker = await until('a worker', findWorker);
      process.kill(worker, 'SIGSTOP');
      const { id } = (await call('POST', '/analysis/run', { body, headers: { prefer: 'respond-async' } }))
        .body;
      await until('it to run', async () => (await call('GET', `/analysis/${id}`)).body.status === 'running');
      return { id, worker };
    };
    const findOutcome = (id: string) =>
      until(
        'its line',
        () => find(id).length > 0 && find(id).map(({ level, outcome }) => [level, outcome])[0],
      );

    const killed = await suspendRun();
    process.kill(killed.worker, 'SIGKILL');
    assert.deepEqual(await findOutcome(killed.id), [WARN, 'interrupted']);
    await until('the next attempt', () => find(killed.id).length === 2);

    const cancelled = await suspendRun();
    await call('DELETE', `/analysis/${cancelled.id}`);
    assert.deepEqual(await findOutcome(cancelled.id), [INFO, 'lease_lost']);
    await call('POST', '/analysis/run', { body, headers: WAIT });

    assert.deepEqual(await countRuns(service), {
      'coverage succeeded': 3,
      'coverage interrupted': 1,
      'coverage lease_lost': 1,
    });
    const stopped = await suspendRun();
    closed = true;
    await service.close();
    assert.deepEqual(await findOutcome(stopped.id), [INFO, 'released']);
  });
}
