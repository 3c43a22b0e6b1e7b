/** GET /metrics, for Prometheus. */
import type { FastifyInstance } from 'fastify';
import type { Connections } from '../../http/connections.ts';
import {
  buildMetric,
  METRICS_CONTENT_TYPE,
  type MetricFamily,
  type RequestMetrics,
  renderMetrics,
} from '../../http/metrics.ts';
import type { Runner } from '../../jobs/runner.ts';
import { Metrics } from '../../schemas/operations.ts';
import { countAnalyses } from '../../store/analyses/queue.ts';
import type { Engine, Gauge } from '../../store/db.ts';
import type { Verifier } from '../../verification/verifier.ts';
import { manifest } from '../docs/openapi.ts';
import { collectProcessMetrics, EventLoopDelay } from './process-metrics.ts';
import type { RunMetrics } from './run-metrics.ts';

const GAUGE_HELP: Record<Gauge, string> = {
  connections: 'Open database connections, without those of workers.',
  connections_idle: 'Idle database connections.',
  connections_waiting: 'Callers that wait for a database connection.',
  writes_in_flight: 'Writes that wait for the database or run in it.',
  searches_in_flight: 'Searches that wait for the database or run in it.',
  damaged: 'Whether the database file was found to be damaged.',
  bytes: 'Size of the database file.',
  wal_bytes: 'Size of the write-ahead log.',
  free_bytes: 'Free space of the data folder.',
};

export interface Sources {
  engine: Engine;
  metrics: RequestMetrics;
  runMetrics: RunMetrics;
  runner: Runner;
  verifier: Verifier;
  connections: Connections;
  /** Aborted while the process stops. */
  stopping: AbortSignal;
}

export function metricsRoute(app: FastifyInstance, sources: Sources): void {
  const { engine, metrics, runMetrics, runner, connections, verifier } = sources;
  const delay = new EventLoopDelay();
  app.addHook('onClose', async () => delay.close());

  app.get(
    '/metrics',
    {
      config: { scopes: ['admin'] },
      schema: {
        summary: 'Prometheus metrics',
        description:
          'Requests by route, status and duration; event streams, analyses, the database and the process.',
        response: { 200: Metrics },
      },
    },
    async (_request, reply) => {
      const families = [
        buildMetric('quaestor_build_info', 'gauge', 'The version, as a label.', 1, {
          version: manifest.version,
        }),
        ...metrics.collect(),
        ...collectConnectionMetrics(connections),
        buildMetric(
          'quaestor_event_streams',
          'gauge',
          'Open event streams.',
          metrics.countInFlight('GET', '/events'),
        ),
        buildMetric(
          'quaestor_runs_in_flight',
          'gauge',
          'Analyses in flight in this process.',
          runner.load.running,
        ),
        buildMetric(
          'quaestor_analysis_slots',
          'gauge',
          'The maximum number of analyses in flight in this process.',
          runner.load.slots,
        ),
        runMetrics.collect(),
        ...(await collectDatabaseMetrics(engine)),
        ...collectVerificationMetrics(verifier),
        ...collectProcessMetrics(),
        delay.collect(),
      ];
      return reply.type(METRICS_CONTENT_TYPE).send(renderMetrics(families));
    },
  );
}

function collectVerificationMetrics({ stats }: Verifier): MetricFamily[] {
  return [
    buildMetric('quaestor_verification_rows_total', 'counter', 'Rows verified by this process.', stats.rows),
    buildMetric('quaestor_damaged_rows', 'gauge', 'Damaged rows that verification found.', stats.damaged),
    buildMetric(
      'quaestor_verification_timestamp_seconds',
      'gauge',
      'When this process last verified the whole bank; 0 if it has not.',
      stats.endedAt / 1000,
    ),
  ];
}

/** While the database is unavailable, only that is reported. */
async function collectDatabaseMetrics(engine: Engine): Promise<MetricFamily[]> {
  const gauges = Object.entries(engine.gauges()).map(([name, value]) =>
    buildMetric(`quaestor_database_${name}`, 'gauge', GAUGE_HELP[name as Gauge], value),
  );
  const up = (value: number) =>
    buildMetric('quaestor_database_up', 'gauge', 'Whether the database is available.', value);
  try {
    await engine.ready();
    const counts = Object.entries(await countAnalyses(engine.db));
    const samples = counts.map(([status, value]) => ({ labels: { status }, value }));
    const help = 'Queued and running analyses of the bank, in all processes.';
    return [up(1), ...gauges, { name: 'quaestor_analyses', help, type: 'gauge', samples }];
  } catch {
    return [up(0), ...gauges];
  }
}

function collectConnectionMetrics(connections: Connections): MetricFamily[] {
  const { open, screened, refusedRequests, refusedConnections } = connections.counts;
  return [
    buildMetric('quaestor_http_connections', 'gauge', 'Open connections.', open),
    buildMetric(
      'quaestor_http_connections_screened',
      'gauge',
      'Open connections whose requests are refused by their head while the service is overloaded.',
      screened,
    ),
    buildMetric(
      'quaestor_http_requests_shed_total',
      'counter',
      'Requests refused on screened connections, which no other metric counts.',
      refusedRequests,
    ),
    buildMetric(
      'quaestor_http_connections_refused_total',
      'counter',
      'Connections beyond the limits.',
      refusedConnections,
    ),
  ];
}
