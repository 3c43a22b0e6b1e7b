import type { FastifyRequest } from 'fastify';
import type { Caller } from '../access/guard.ts';
import { errors } from '../errors.ts';
import { once } from '../http/preconditions.ts';
import type { Command, Engine } from '../store/db.ts';
import { findStoredResult } from '../store/idempotency.ts';
import type { View } from '../store/view.ts';

/** What stood before the route's own path: `/v1` or nothing. Links stay in the version they were asked in. */
export const basePath = (request: FastifyRequest): string =>
  /^(?:https?:\/\/[^/?]*)?\/v1(?=[/?]|$)/i.test(request.originalUrl) ? '/v1' : '';

/** Whoever asks on a route that is not public. */
export const callerOf = (request: FastifyRequest): Caller => request.caller!;

/** What the caller may see of a question. */
export const viewOf = (request: FastifyRequest): View =>
  callerOf(request).scopes.has('answers:read') ? 'with_answers' : 'without_answers';

const underWay = new WeakMap<Engine, Set<string>>();

/**
 * Runs a command: under the request's Idempotency-Key, if it has one, once and not twice at a time. Where what it takes must first
 * be worked out from the bank, that is not done again for a repetition: the bank may have changed.
 */
export async function writeOnce<A, R>(
  engine: Engine,
  request: FastifyRequest,
  command: Command<A, R>,
  args: A | (() => Promise<A>),
): Promise<R> {
  const guard = once(request);
  const given = async () => (typeof args === 'function' ? (args as () => Promise<A>)() : args);
  if (!guard) return engine.write(command, await given());
  const keys = underWay.getOrInsertComputed(engine, () => new Set());
  const name = `${guard.scope} ${guard.key}`;
  if (keys.has(name)) throw errors.inFlight();
  keys.add(name);
  try {
    const before = typeof args === 'function' ? await findStoredResult<R>(engine.db, guard) : undefined;
    return before ? before.result : await engine.write(command, await given(), guard);
  } finally {
    keys.delete(name);
  }
}
