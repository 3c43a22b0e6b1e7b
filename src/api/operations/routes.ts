import type { FastifyInstance } from 'fastify';
import { errors } from '../../errors.ts';
import { HEALTH_PATH } from '../../http/connections.ts';
import { Health, Ready } from '../../schemas/operations.ts';
import { metricsRoute, type Sources } from './metrics.ts';

/** The only routes of a process with the role `worker`. */
export function operationsRoutes(app: FastifyInstance, sources: Sources): void {
  const { engine, stopping } = sources;

  app.get(
    HEALTH_PATH,
    {
      config: { public: true, rateLimit: false, neverRefused: true },
      schema: {
        summary: 'Liveness',
        description: 'Responds with 200 under any load, also while the database is unavailable.',
        response: { 200: Health },
      },
    },
    async () => ({ status: 'ok' }),
  );

  app.get(
    '/ready',
    {
      config: { public: true, rateLimit: false },
      schema: {
        summary: 'Readiness',
        description: 'Responds with 503 while the database is unavailable or the service is stopping.',
        response: { 200: Ready },
      },
    },
    async () => {
      if (stopping.aborted) throw errors.unavailable('The service is stopping.');
      await engine.ready();
      return { status: 'ready' };
    },
  );

  metricsRoute(app, sources);
}
