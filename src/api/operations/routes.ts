import type { FastifyInstance } from 'fastify';
import { errors } from '../../errors.ts';
import { Health, Ready } from '../../schemas/operations.ts';
import { metricsRoute, type Sources } from './metrics.ts';

/** All that a process serves which does nothing but run analyses. */
export function operationsRoutes(app: FastifyInstance, sources: Sources): void {
  const { engine } = sources;
  let stopping = false;
  app.addHook('preClose', async () => {
    stopping = true;
  });

  app.get(
    '/health',
    {
      config: { public: true, budget: false },
      schema: { summary: 'Is the process alive?', response: { 200: Health } },
    },
    async () => ({ status: 'ok' }),
  );

  app.get(
    '/ready',
    {
      config: { public: true, budget: false },
      schema: {
        summary: 'Can it serve?',
        description: 'Answers 503 while the database is away or the service is stopping.',
        response: { 200: Ready },
      },
    },
    async () => {
      if (stopping) throw errors.unavailable('The service is stopping.');
      await engine.ready();
      return { status: 'ready' };
    },
  );

  metricsRoute(app, sources);
}
