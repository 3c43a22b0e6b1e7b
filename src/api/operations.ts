import type { FastifyInstance } from 'fastify';
import { errors } from '../errors.ts';
import { Health, Ready } from '../schemas/operations.ts';
import type { Engine } from '../store/db.ts';

export function operationsRoutes(app: FastifyInstance, engine: Engine): void {
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
}
