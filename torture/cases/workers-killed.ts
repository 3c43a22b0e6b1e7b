/**
 * Kills the worker processes of running analyses at random, on both engines. Each run ends once:
 * with the bytes of an undisturbed run, or as failed after its last attempt.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { readEvents } from '../../src/store/events.ts';
import { ENGINES, openService, type Service, sample } from '../../test/support/engines.ts';
import { until } from '../../test/support/until.ts';
import { listWorkers, SKIP_WITHOUT_PROC } from '../../test/support/workers.ts';
import type { TortureCase, TortureReport } from '../case.ts';

const QUESTIONS = 1000;
const SLOTS = 2;
/** The first attempt and three more. */
const MAX_ATTEMPTS = 4;
/** A worker takes some 300 ms to start, and less than that to compute. */
const MAX_DELAY_MS = 500;
const MAX_WAIT_MS = 120_000;
const MAX_EVENTS = 100_000;
const ENDS = ['analysis.succeeded', 'analysis.failed', 'analysis.cancelled'];

interface Run {
  id: string;
  status: string;
  attempts: number;
  error: { code: string } | null;
  result: unknown;
}

const startRun = async ({ call }: Service): Promise<string> => {
  const body = { analysis_type: 'readability' };
  const answer = await call('POST', '/analysis/run', { body, headers: { prefer: 'respond-async' } });
  return answer.body.id;
};

const readRun = async ({ call }: Service, id: string): Promise<Run> =>
  (await call('GET', `/analysis/${id}`)).body;

const isOver = ({ status }: Run) => status !== 'queued' && status !== 'running';

const waitForEnd = (service: Service, id: string) =>
  until(
    `the end of run ${id}`,
    async () => {
      const run = await readRun(service, id);
      return isOver(run) && run;
    },
    MAX_WAIT_MS,
  );

/** Whether there was a worker to kill. */
function killWorker(choose: (n: number) => number): boolean {
  const workers = listWorkers(process.pid);
  if (workers.length === 0) return false;
  try {
    process.kill(workers[choose(workers.length)]!, 'SIGKILL');
    return true;
  } catch {
    // It has ended by itself.
    return false;
  }
}

/** Kills every worker until the run is over. */
async function killAtEveryAttempt(service: Service, id: string): Promise<Run> {
  for (const end = Date.now() + MAX_WAIT_MS; ; ) {
    while (killWorker(() => 0)) await sleep(1);
    const run = await readRun(service, id);
    if (isOver(run) || Date.now() > end) return run;
    await sleep(10);
  }
}

/** The number of events by which each run has ended. */
async function countEnds({ engine }: Service): Promise<Map<string, number>> {
  const ends = new Map<string, number>();
  for (const { kind, subjects } of await readEvents(engine.db, { tx: 0, id: 0 }, MAX_EVENTS)) {
    if (!ENDS.includes(kind)) continue;
    for (const { analysis_id } of JSON.parse(subjects))
      ends.set(analysis_id, (ends.get(analysis_id) ?? 0) + 1);
  }
  return ends;
}

async function torture(
  service: Service,
  { random, rounds, expired, seed }: Parameters<TortureCase['run']>[0],
  report: TortureReport,
): Promise<number> {
  const violate = (text: string) => report.violations.push(`seed ${seed}, ${service.name}: ${text}`);
  const { call } = service;
  await call('POST', '/questions', {
    body: Array.from({ length: QUESTIONS }, (_, i) =>
      sample({ question_text: `Which planet is number ${i}?` }),
    ),
  });
  const undisturbed = await waitForEnd(service, await startRun(service));
  const expected = JSON.stringify(undisturbed.result);
  const ids: string[] = [undisturbed.id];
  let kills = 0;
  while (kills < rounds && !expired()) {
    const { body } = await call('GET', '/analysis?limit=100');
    const active = body.data.filter((run: Run) => !isOver(run)).length;
    for (let i = active; i < SLOTS; i++) ids.push(await startRun(service));
    await sleep(random.below(MAX_DELAY_MS));
    if (killWorker((n) => random.below(n))) kills++;
  }
  for (const id of ids) await waitForEnd(service, id);
  const doomed = await killAtEveryAttempt(service, await startRun(service));
  ids.push(doomed.id);
  if (doomed.status !== 'failed') violate(`run ${doomed.id}, killed at every attempt, is ${doomed.status}`);

  const ends = await countEnds(service);
  for (const id of ids) {
    const run = await readRun(service, id);
    if (ends.get(id) !== 1) violate(`run ${id} has ${ends.get(id) ?? 0} events of its end, not 1`);
    if (run.status === 'succeeded') {
      report.figures.succeeded!++;
      if (JSON.stringify(run.result) !== expected) violate(`the result of run ${id} differs`);
    } else if (run.status === 'failed') {
      report.figures.failed!++;
      if (run.attempts !== MAX_ATTEMPTS || run.error?.code !== 'interrupted')
        violate(`run ${id} failed with ${run.error?.code} after ${run.attempts} attempts`);
    } else violate(`run ${id} is ${run.status}`);
    report.figures.attempts_max = Math.max(report.figures.attempts_max!, run.attempts);
  }
  const { body } = await call('GET', '/analysis');
  const { total } = body.pagination;
  if (total !== ids.length) violate(`${ids.length} runs were started, ${total} are listed`);
  return kills;
}

export const workersKilledCase: TortureCase = {
  name: 'workers-killed',
  promise: 'a run whose worker is killed ends once, with the result of an undisturbed run or as failed',
  rounds: { short: 1, long: 200 },
  async run(context) {
    const figures = { succeeded: 0, failed: 0, attempts_max: 0 };
    const report: TortureReport = { rounds: context.rounds, figures, violations: [] };
    if (SKIP_WITHOUT_PROC) return { ...report, rounds: 0, skipped: SKIP_WITHOUT_PROC };
    for (const name of ENGINES) {
      const service = await openService(name, { workers: SLOTS });
      try {
        report.rounds = Math.min(report.rounds, await torture(service, context, report));
      } finally {
        await service.close();
      }
      context.progress(report.rounds);
    }
    return report;
  },
};
