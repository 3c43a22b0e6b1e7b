/** PostgreSQL restarted or hung under load, again and again: how soon the service is well, and whether anything was lost or done twice. */
import { parseArgs } from 'node:util';
import { startBalancer } from '../test/support/balancer.ts';
import { Follower } from '../test/support/event-stream.ts';
import { Load } from '../test/support/load.ts';
import { hang, Probe, type Recovery, restart } from '../test/support/outages.ts';
import { startOwnPostgres } from '../test/support/postgres.ts';
import { until } from '../test/support/workers.ts';
import { startService } from './service.ts';
import { bench, keep, median, table, whole } from './tools.ts';

const { values } = parseArgs({
  options: {
    restarts: { type: 'string', default: '20' },
    /** fast, immediate or hang; all in turns if left out. */
    mode: { type: 'string' },
    nodes: { type: 'string', default: '2' },
    /** For how long it hangs. */
    seconds: { type: 'string', default: '6' },
  },
});
const MODES = ['fast', 'immediate', 'hang'] as const;
const modes = values.mode ? MODES.filter((mode) => mode === values.mode) : MODES;
if (modes.length === 0) throw new Error(`--mode is one of ${MODES.join(', ')}.`);

interface Outage extends Omit<Recovery, 'bare'> {
  mode: (typeof MODES)[number];
  /** Requests that ended meanwhile: the slowest, how many were told that the database is away, and how many something else. */
  slowest: number;
  unavailable: number;
  other: number;
}

/** Questions made between two outages: all clients are at work again. */
const BETWEEN = 50;

await bench(async (stack) => {
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
  const sum = (pick: (watcher: Load | Probe) => number) => watchers.reduce((n, each) => n + pick(each), 0);

  const outages: Outage[] = [];
  console.log('mode        away ms  well after ms  slowest ms    503  other');
  for (let i = 0; i < Number(values.restarts); i++) {
    const made = load.ids.length;
    await until('load', () => load.ids.length > made + BETWEEN, 60_000);
    for (const watcher of watchers) watcher.slowest = 0;
    const [unavailable, faults] = [sum((each) => each.unavailable), sum(({ faults }) => faults.length)];
    const mode = modes[i % modes.length]!;
    const { away, recovery } =
      mode === 'hang'
        ? await hang(server, probes, { ms: Number(values.seconds) * 1000 })
        : await restart(server, probes, { mode });
    const outage: Outage = {
      ...{ mode, away, recovery },
      slowest: Math.max(...watchers.map(({ slowest }) => slowest)),
      unavailable: sum((each) => each.unavailable) - unavailable,
      other: sum(({ faults }) => faults.length) - faults,
    };
    outages.push(outage);
    const columns = [away, recovery, outage.slowest, outage.unavailable, outage.other].map(whole);
    console.log(mode.padEnd(9), ...columns.map((text, j) => text.padStart([9, 14, 11, 6, 6][j]!)));
  }

  await Promise.all(probes.map((probe) => probe.stop()));
  await load.stop();
  const { lost, doubled, failed } = await load.compare(follower);
  const faults = watchers.flatMap((each) => each.faults);
  const rows = modes.map((mode) => {
    const some = outages.filter((outage) => outage.mode === mode);
    const recoveries = some.map(({ recovery }) => recovery);
    const slowest = Math.max(...some.map((outage) => outage.slowest));
    return [mode, ...[some.length, median(recoveries), Math.max(...recoveries), slowest].map(whole)];
  });
  console.log(`\n${table(['mode', 'outages', 'median ms', 'longest ms', 'slowest request ms'], rows)}`);
  console.log(
    `\n${whole(load.ids.length)} questions, ${whole(load.runs.length)} runs. Lost: ${lost.length}. ` +
      `Doubled: ${doubled.length}. Failed runs: ${failed.length}. Other answers than 2xx and 503: ${faults.length}.`,
  );
  for (const line of [...lost, ...doubled, ...failed, ...faults]) console.log(line);
  keep('outages', { nodes: nodes.length, outages, lost, doubled, failed, faults });
});
