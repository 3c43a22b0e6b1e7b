/** The hooks that every request passes: overload protection, deadline, admission, log. */
import type { FastifyInstance } from 'fastify';
import type { Guard } from '../access/guard.ts';
import { errors } from '../errors.ts';
import { startDeadline } from './deadline.ts';
import { setStandardHeaders } from './headers.ts';
import { logRequest } from './logging.ts';
import { checkRequest } from './malformed-request.ts';
import type { RequestMetrics } from './metrics.ts';

/** Further requests are refused at once with 503. */
const MAX_REQUESTS_IN_FLIGHT = 1000;

export function addRequestHooks(
  app: FastifyInstance,
  { guard, metrics }: { guard: Guard; metrics: RequestMetrics },
): void {
  app.addHook('onRequest', (request, reply, done) => {
    setStandardHeaders(request, reply);
    const overloaded = metrics.inFlight >= MAX_REQUESTS_IN_FLIGHT;
    metrics.track(request, reply, overloaded);
    if (overloaded) {
      done(errors.overloaded());
      return;
    }
    startDeadline(request, reply);
    const error = checkRequest(request, reply);
    (error ? guard.countRequest(request, reply) : guard.admit(request, reply)).then(() => done(error), done);
  });
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.body === undefined) done();
    else guard.reauthorize(request).then(() => done(), done);
  });
  app.addHook('onResponse', (request, reply, done) => {
    logRequest(request, reply, guard);
    done();
  });
}
