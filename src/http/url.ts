/** Version 1 is served at the root and, by the same routes, under /v1. */
import type { FastifyRequest } from 'fastify';

export const MAX_URL_CHARS = 8 * 1024;

/** Strips the origin of an absolute-form URL and the version prefix. */
export function rewriteUrl(url: string): string {
  const path = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '');
  return path.startsWith('/v1') ? path.replace(/^\/v1(?=[/?]|$)/, '') || '/' : path || '/';
}

/** `/v1` if the client used it, else empty: links stay in the version that was requested. */
export const getBasePath = (request: FastifyRequest): string =>
  /^(?:https?:\/\/[^/?]*)?\/v1(?=[/?]|$)/i.test(request.originalUrl) ? '/v1' : '';
