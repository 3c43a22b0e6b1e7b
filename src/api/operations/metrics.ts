/** How the service stands, for Prometheus. */
import type { FastifyInstance } from 'fastify';
import { exposition, type Family, METRICS_TYPE, single, type Traffic } from '../../http/metrics.ts';
import type { Runner } from '../../jobs/runner.ts';
import { Metrics } from '../../schemas/operations.ts';
import { countAnalyses } from '../../store/analyses/queue.ts';
import type { Engine, Gauge } from '../../store/db.ts';
import { manifest } from '../docs/openapi.ts';
import { LoopDelay, processFamilies } from './process-metrics.ts';

const DATABASE: Record<Gauge, string> = {
  connections: 'Connections to the database that are open, those of workers apart.',
  connections_idle: 'How many of them nobody uses.',
  connections_waiting: 'How many wait for a connection.',
  writes_in_flight: 'Writes that the writer thread has not answered yet.',
  searches_in_flight: 'Searches that the search thread has not answered yet.',
};

export interface Sources {
  engine: Engine;
  traffic: Traffic;
  runner: Runner;
}

export function metricsRoute(app: FastifyInstance, { engine, traffic, runner }: Sources): void {
  const delay = new LoopDelay();
  app.addHook('onClose', async () => delay.close());

  app.get(
    '/metrics',
    {
      config: { scopes: ['admin'] },
      schema: {
        summary: 'Prometheus metrics',
        description:
          'Numbers for Prometheus: requests by route, status and duration, event streams, analyses, the database, and the process that answers.',
        response: { 200: Metrics },
      },
    },
    async (_request, reply) => {
      const families = [
        single('quaestor_build_info', 'gauge', 'Which version it is.', 1, { version: manifest.version }),
        ...traffic.families(),
        single(
          'quaestor_event_streams',
          'gauge',
          'Event streams that are open.',
          traffic.underWayAt('GET', '/events'),
        ),
        single('quaestor_runs_in_flight', 'gauge', 'Analyses that run here.', runner.load.running),
        single('quaestor_analysis_slots', 'gauge', 'How many may run here at once.', runner.load.slots),
        ...(await databaseFamilies(engine)),
        ...processFamilies(),
        delay.family(),
      ];
      return reply.type(METRICS_TYPE).send(exposition(families));
    },
  );
}

/** While the database does not answer, it is told that it does not, and nothing of what is in it. */
async function databaseFamilies(engine: Engine): Promise<Family[]> {
  const gauges = Object.entries(engine.gauges()).map(([name, value]) =>
    single(`quaestor_database_${name}`, 'gauge', DATABASE[name as Gauge], value),
  );
  const up = (value: number) =>
    single('quaestor_database_up', 'gauge', 'Whether the database answers.', value);
  try {
    await engine.ready();
    const counts = Object.entries(await countAnalyses(engine.db));
    const samples = counts.map(([status, value]) => ({ labels: { status }, value }));
    const help = 'Analyses of the bank that wait or run, whichever process runs them.';
    return [up(1), ...gauges, { name: 'quaestor_analyses', help, type: 'gauge', samples }];
  } catch {
    return [up(0), ...gauges];
  }
}
