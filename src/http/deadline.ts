/** Nobody waits for an answer for longer than this, whatever it is that takes so long. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errors } from '../errors.ts';

const LONGEST = 9_000;

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
    if (request.raw.complete) void reply.send(errors.tooSlow());
    else timer.refresh();
  }, LONGEST);
  reply.raw.once('close', () => clearTimeout(timer));
}
