/** The hooks that every request passes: overload protection, deadline, admission, log. */
import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { Guard } from '../access/guard.ts';
import { errors } from '../errors.ts';
import { addCompression } from './compression.ts';
import { isPreflight, sendPreflight } from './cors.ts';
import { Deadlines } from './deadline.ts';
import { setStandardHeaders } from './headers.ts';
import { logRequest } from './logging.ts';
import { checkRequest } from './malformed-request.ts';
import type { RequestMetrics } from './metrics.ts';
import type { Overload } from './overload.ts';

export function addRequestHooks(
  app: FastifyInstance,
  { guard, metrics, overload }: { guard: Guard; metrics: RequestMetrics; overload: Overload },
): void {
  addCompression(app);
  const deadlines = new Deadlines(app.timings.responseDeadlineMs);
  app.addHook('onRequest', (request, reply, done) => {
    setStandardHeaders(request, reply);
    const { connections } = app;
    const { socket } = request.raw;
    if (connections.isNext(socket)) start(request, reply, done);
    else if (!connections.wait(socket, () => start(request, reply, done))) done(errors.overloaded());
  });

  const start = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => {
    const { config } = request.routeOptions;
    const bodyBytes = overload.admit(request, config);
    if (bodyBytes === undefined) {
      reply.raw.on('close', () => metrics.countRefused(config, reply));
      done(errors.overloaded());
      return;
    }
    metrics.start(config);
    const deadline = config.longRunning ? undefined : deadlines.start(request, reply);
    reply.raw.on('close', () => {
      metrics.end(config, reply);
      overload.release(bodyBytes);
      if (deadline) deadlines.end(deadline);
    });
    const error = checkRequest(request, reply);
    if (!error && isPreflight(request, reply)) {
      sendPreflight(reply);
      return;
    }
    (error ? guard.countRequest(request, reply) : guard.admit(request, reply, config)).then(
      () => done(error),
      done,
    );
  };
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.body === undefined) done();
    else guard.reauthorize(request).then(() => done(), done);
  });
  app.addHook('onResponse', (request, reply, done) => {
    logRequest(request, reply, guard);
    done();
  });
  app.addHook('onClose', async () => deadlines.close());
}
