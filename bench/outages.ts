/**
 * Restarts or suspends PostgreSQL under load, repeatedly: measures how soon the service recovers,
 * and counts writes that were lost or applied twice.
 */
import { parseArgs } from 'node:util';
import { startBalancer } from '../test/support/balancer.ts';
import { Follower } from '../test/support/event-stream.ts';
import { Load } from '../test/support/load.ts';
import { hang, Probe, restart } from '../test/support/outages.ts';
import { startOwnPostgres } from '../test/support/postgres.ts';
import { until } from '../test/support/until.ts';
import { startService } from './service.ts';
import { format, median, runBenchmark, writeResults } from './tools.ts';

const { values } = parseArgs({
  options: {
    restarts: { type: 'string', default: '20' },
    /** fast, immediate or hang; by default each in rotation. */
    mode: { type: 'string' },
    nodes: { type: 'string', default: '2' },
    /** The duration of a hang. */
    seconds: { type: 'string', default: '6' },
  },
});
const MODES = ['fast', 'immediate', 'hang'] as const;
const modes = values.mode ? MODES.filter((mode) => mode === values.mode) : MODES;
if (modes.length === 0) throw new Error(`--mode is one of ${MODES.join(', ')}.`);

interface Outage {
  mode: (typeof MODES)[number];
  /** The duration of the outage. */
  downMs: number;
  /** From the return of the database to the recovery of all nodes. */
  recoveryMs: number;
  /**
   * Of the requests that ended during the outage: the slowest, those answered with 503, and other
   * failures.
   */
  slowestMs: number;
  unavailable: number;
  failures: number;
}

/** Questions created between two outages: by then all clients work again. */
const MIN_QUESTIONS_BETWEEN = 50;

await runBenchmark(async (stack) => {
  const server = await startOwnPostgres({ fsync: 'on', full_page_writes: 'on' });
  stack.defer(() => server.stop());
  const services = await Promise.all(
    Array.from({ length: Number(values.nodes) }, () => startService(stack, { database: server.url })),
  );
  const nodes = services.map(({ port, authorization }) => ({ port, token: authorization.split(' ')[1]! }));
  const balancer = await startBalancer(nodes.map(({ port }) => port));
  stack.defer(() => balancer.close());
  const target = { port: balancer.port, token: nodes[0]!.token };
  const follower = new Follower(target);
  stack.defer(() => follower.close());
  await until('the stream', () => follower.start);
  const load = new Load(target);
  stack.defer(() => load.stop());
  await load.start();
  const probes = nodes.map((node) => new Probe(node, load.ids[0]!));
  stack.defer(async () => void (await Promise.all(probes.map((probe) => probe.stop()))));
  const watchers = [load, ...probes];
  const sum = (pick: (watcher: Load | Probe) => number) =>
    watchers.reduce((n, watcher) => n + pick(watcher), 0);

  const outages: Outage[] = [];
  console.log('mode        down ms    recovery ms  slowest ms    503  other');
  for (let i = 0; i < Number(values.restarts); i++) {
    const created = load.ids.length;
    await until('load', () => load.ids.length > created + MIN_QUESTIONS_BETWEEN, 60_000);
    for (const watcher of watchers) watcher.slowestMs = 0;
    const unavailableBefore = sum(({ unavailable }) => unavailable);
    const failuresBefore = sum(({ faults }) => faults.length);
    const mode = modes[i % modes.length]!;
    const { outageMs: downMs, recoveryMs } =
      mode === 'hang'
        ? await hang(server, probes, { ms: Number(values.seconds) * 1000 })
        : await restart(server, probes, { mode });
    const outage: Outage = {
      mode,
      downMs,
      recoveryMs,
      slowestMs: Math.max(...watchers.map(({ slowestMs }) => slowestMs)),
      unavailable: sum(({ unavailable }) => unavailable) - unavailableBefore,
      failures: sum(({ faults }) => faults.length) - failuresBefore,
    };
    outages.push(outage);
    const { slowestMs, unavailable, failures } = outage;
    const columns = [downMs, recoveryMs, slowestMs, unavailable, failures].map(format.integer);
    console.log(mode.padEnd(9), ...columns.map((text, j) => text.padStart([9, 14, 11, 6, 6][j]!)));
  }

  await Promise.all(probes.map((probe) => probe.stop()));
  await load.stop();
  const { lost, repeated, failed } = await load.compare(follower);
  const faults = watchers.flatMap((watcher) => watcher.faults);
  const rows = modes.map((mode) => {
    const ofMode = outages.filter((outage) => outage.mode === mode);
    const recoveries = ofMode.map(({ recoveryMs }) => recoveryMs);
    const slowest = Math.max(...ofMode.map(({ slowestMs }) => slowestMs));
    return [
      mode,
      ...[ofMode.length, median(recoveries), Math.max(...recoveries), slowest].map(format.integer),
    ];
  });
  console.log(`\n${format.table(['mode', 'outages', 'median ms', 'max ms', 'slowest request ms'], rows)}`);
  console.log(
    `\n${format.integer(load.ids.length)} questions, ${format.integer(load.runs.length)} runs. Lost: ${lost.length}. ` +
      `Duplicated: ${repeated.length}. Failed runs: ${failed.length}. Answers other than 2xx and 503: ${faults.length}.`,
  );
  for (const line of [...lost, ...repeated, ...failed, ...faults]) console.log(line);
  writeResults('outages', { nodes: nodes.length, outages, lost, repeated, failed, faults });
});
