/** Responds with 503 `too_slow` to a request that exceeds the response deadline. */
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { errors } from '../errors.ts';

const ignore = () => {};
const SILENT_LOGGER = {
  level: 'silent',
  ...{ fatal: ignore, error: ignore, warn: ignore, info: ignore, debug: ignore, trace: ignore },
  silent: ignore,
  child: () => SILENT_LOGGER,
} as FastifyBaseLogger;

export function startDeadline(request: FastifyRequest, reply: FastifyReply): void {
  if (request.routeOptions.config.longRunning) return;
  const timer = setTimeout(() => {
    if (reply.sent) return;
    // A body that is still arriving is subject to the server's request timeout instead.
    if (!request.raw.complete) timer.refresh();
    else {
      void reply.send(errors.tooSlow());
      // Fastify would log the handler's late reply as an error, with the full URL.
      reply.log = SILENT_LOGGER;
    }
  }, request.server.timings.responseDeadlineMs);
  reply.raw.once('close', () => clearTimeout(timer));
}
