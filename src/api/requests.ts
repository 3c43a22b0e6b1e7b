import type { FastifyRequest } from 'fastify';
import { errors } from '../errors.ts';
import type { Once } from '../store/db.ts';

/** What stood before the route's own path: `/v1` or nothing. Links stay in the version they were asked in. */
export const basePath = (request: FastifyRequest): string =>
  request.originalUrl.length === request.url.length ? '' : '/v1';

const underWay = new Set<string>();

/** Refuses a second request with the same key while the first is under way. */
export async function exclusively<R>(
  guard: Once | undefined,
  work: (guard?: Once) => Promise<R>,
): Promise<R> {
  if (!guard) return work();
  const name = `${guard.scope} ${guard.key}`;
  if (underWay.has(name)) throw errors.inFlight();
  underWay.add(name);
  try {
    return await work(guard);
  } finally {
    underWay.delete(name);
  }
}
