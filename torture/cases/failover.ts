/**
 * Failover to a synchronous standby under mixed load on two nodes. The primary is killed, hung, or
 * separated from its standby while it keeps running; the standby is promoted and the address moves
 * to it. Connections that the old primary keeps open stay with it. Where it survives, the address
 * then leads back to it for some time, and it acknowledges writes without a standby: a node that
 * writes to it loses them.
 */
import { startBalancer } from '../../test/support/balancer.ts';
import { Follower } from '../../test/support/event-stream.ts';
import { Load } from '../../test/support/load.ts';
import { measureRecovery, Probe } from '../../test/support/outages.ts';
import { type ServiceProcess, startService } from '../../test/support/process.ts';
import { until } from '../../test/support/until.ts';
import type { TortureCase, TortureReport } from '../case.ts';
import { type Failure, ReplicatedPostgres } from '../support/replicated-postgres.ts';

const FAILURES: Failure[] = ['killed', 'hung', 'partitioned'];
/** From the promotion until all nodes serve reads and writes. Checked in the long form. */
const MAX_RECOVERY_MS = 5_000;
/** The load begins to fail after this long at most, and lasts this long before the promotion. */
const MAX_DELAY_MS = 1_000;
const EXPOSED_MS = 1_500;
/** Far beyond any expectation, for a busy machine. */
const MAX_WAIT_MS = 60_000;
const MIN_CREATED_PER_ROUND = 20;

export const failover: TortureCase = {
  name: 'failover',
  promise: 'no acknowledged write is lost or repeated when a synchronous standby takes over',
  rounds: { short: 1, long: 20 },
  async run({ form, seed, random, rounds, expired, progress }): Promise<TortureReport> {
    if (process.platform === 'win32')
      return { rounds: 0, figures: {}, violations: [], skipped: 'processes cannot be suspended on Windows' };
    const database = await ReplicatedPostgres.start();
    const setup = new LoadedNodes();
    const violations: string[] = [];
    const recoveries: number[] = [];
    let done = 0;
    try {
      await setup.start(database.url);
      while (done < rounds && !expired()) {
        // The short form takes the hardest: nothing closes the connections to the old primary.
        const failure = form === 'short' ? 'partitioned' : FAILURES[done % FAILURES.length]!;
        const label = `seed ${seed}, round ${done + 1} (${failure})`;
        await setup.untilLoaded(random.below(MAX_DELAY_MS));
        const recoveryMs = await failOver(database, setup.probes, failure, random.below(MAX_DELAY_MS)).catch(
          (error) => {
            violations.push(`${label}: ${error.message}`);
          },
        );
        if (recoveryMs === undefined) break;
        recoveries.push(recoveryMs);
        if (recoveryMs > MAX_RECOVERY_MS && form === 'long')
          violations.push(`${label}: ${Math.round(recoveryMs)} ms until all nodes served requests`);
        if (++done < rounds) await database.rebuild();
        progress(done);
      }
      violations.push(
        ...(await setup.findViolations(form === 'long')).map((line) => `seed ${seed}: ${line}`),
      );
    } finally {
      await setup.stop();
      await database.stop();
    }
    const { load, probes } = setup;
    return {
      rounds: done,
      figures: {
        recovery_ms_max: Math.round(Math.max(0, ...recoveries)),
        recovery_ms_median: Math.round(recoveries.toSorted((a, b) => a - b)[recoveries.length >> 1] ?? 0),
        request_ms_max: Math.round(Math.max(load.slowestMs, ...probes.map(({ slowestMs }) => slowestMs))),
        questions: load.ids.length,
        runs: load.runs.length,
        answers_503: probes.reduce((sum, { unavailable }) => sum + unavailable, load.unavailable),
      },
      violations,
    };
  },
};

/** Fails over, exposes the old primary if it survives, and returns the time of the recovery. */
async function failOver(
  database: ReplicatedPostgres,
  probes: Probe[],
  failure: Failure,
  delayMs: number,
): Promise<number> {
  await database.failOver(failure, delayMs);
  const { recoveryMs } = await measureRecovery(database, probes, performance.now());
  if (failure === 'hung') await database.demoted!.resume();
  if (database.demoted) {
    const hasLeft = async () => (await database.countDemotedSessions()) === 0;
    await until('the nodes to leave the old primary', hasLeft, MAX_WAIT_MS);
    await database.exposeDemoted(EXPOSED_MS);
    await measureRecovery(database, probes, performance.now());
  }
  return recoveryMs;
}

/** Two nodes behind a load balancer, with writing clients, probes and a follower of events. */
class LoadedNodes {
  load!: Load;
  probes: Probe[] = [];
  #nodes: ServiceProcess[] = [];
  #follower!: Follower;
  #close = async () => {};

  async start(url: string): Promise<void> {
    const settings = { QUAESTOR_LOG_LEVEL: 'silent', QUAESTOR_WORKERS: '1', QUAESTOR_DATABASE_URL: url };
    this.#nodes = await Promise.all([startService(settings), startService(settings)]);
    const balancer = await startBalancer(this.#nodes.map(({ port }) => port));
    this.#close = () => balancer.close();
    const target = { port: balancer.port, token: this.#nodes[0]!.token };
    this.#follower = new Follower(target);
    await until('the stream', () => this.#follower.start);
    this.load = new Load(target);
    await this.load.start();
    this.probes = this.#nodes.map((node) => new Probe(node, this.load.ids[0]!));
  }

  /** Waits for some more load than before, and `ms` more. */
  async untilLoaded(ms: number): Promise<void> {
    const created = this.load.ids.length;
    await until('some load', () => this.load.ids.length >= created + MIN_CREATED_PER_ROUND, MAX_WAIT_MS);
    await new Promise((resolve) => setTimeout(resolve, ms));
  }

  /**
   * Ends the load, and compares what was acknowledged with the bank and the events. Late responses
   * count in the long form.
   */
  async findViolations(long: boolean): Promise<string[]> {
    await Promise.all([this.load.stop(), ...this.probes.map((probe) => probe.stop())]);
    const { lost, repeated, failed } = await this.load.compare(this.#follower);
    return [
      ...[this.load, ...this.probes].flatMap(({ faults, late }) => (long ? [...faults, ...late] : faults)),
      ...lost.map((name) => `${name} was acknowledged and is lost`),
      ...repeated.map((name) => `${name} was applied more than once`),
      ...failed.map((run) => `the run ${run}`),
      ...(this.load.unanswered > 0 ? [`${this.load.unanswered} requests got no response`] : []),
      ...(this.#follower.resets > 0 ? ['the event stream was reset'] : []),
    ];
  }

  async stop(): Promise<void> {
    await Promise.all([
      this.load?.stop(),
      this.#follower?.close(),
      ...this.probes.map((probe) => probe.stop()),
    ]);
    await this.#close();
    await Promise.all(this.#nodes.map((node) => node.end('SIGTERM')));
  }
}
