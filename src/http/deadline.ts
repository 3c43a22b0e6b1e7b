/** Answers 503 to a request that takes longer than the response deadline. */
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { errors } from '../errors.ts';

const nothing = () => {};
const SILENT = {
  level: 'silent',
  ...{ fatal: nothing, error: nothing, warn: nothing, info: nothing, debug: nothing, trace: nothing },
  silent: nothing,
  child: () => SILENT,
} as FastifyBaseLogger;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** It waits for something on purpose, and minds the time by itself. */
    lasts?: true;
  }
}

export function limitTime(request: FastifyRequest, reply: FastifyReply): void {
  if (request.routeOptions.config.lasts) return;
  const timer = setTimeout(() => {
    if (reply.sent) return;
    // What is still being sent to us is for the server's own limits.
    if (!request.raw.complete) timer.refresh();
    else {
      void reply.send(errors.tooSlow());
      // What the handler sends in the end goes nowhere, and need not be complained of, with the whole URL.
      reply.log = SILENT;
    }
  }, request.server.timings.responseDeadlineMs);
  reply.raw.once('close', () => clearTimeout(timer));
}
