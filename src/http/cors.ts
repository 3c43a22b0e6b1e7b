/**
 * Cross-origin requests of pages (CORS, https://fetch.spec.whatwg.org/#http-cors-protocol). Pages of
 * the origins that the operator names may call the API with a token. Cookies are never accepted from
 * another origin, so `Access-Control-Allow-Credentials` is not sent.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** The origins whose pages may call the API. */
    origins: ReadonlySet<string>;
  }
}

const EXPOSED = [
  ...['API-Version', 'Content-Disposition', 'ETag', 'Link', 'Location', 'Preference-Applied'],
  ...['RateLimit', 'RateLimit-Policy', 'Retry-After', 'WWW-Authenticate', 'X-Request-Id'],
].join(', ');

const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers': [
    ...['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match', 'Last-Event-ID'],
    'Prefer',
  ].join(', '),
  // Two hours, the most that Chromium keeps it.
  'access-control-max-age': '7200',
};

/** Whether a text is an origin as browsers send it: scheme, host and, unless it is the default, port. */
export function isOrigin(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

export function setCorsHeaders(request: FastifyRequest, reply: FastifyReply): void {
  const { config } = request.routeOptions;
  if (config.anyOrigin) {
    reply.headers({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': EXPOSED,
      'cross-origin-resource-policy': 'cross-origin',
    });
    return;
  }
  const { origins } = request.server;
  if (origins.size === 0 || config.unlisted) return;
  reply.header('vary', `${reply.getHeader('vary')}, Origin`);
  const { origin } = request.headers;
  // The header is compared as a whole: neither parsed nor matched by a pattern.
  if (origin !== undefined && origins.has(origin))
    reply.headers({ 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED });
}

/**
 * Whether a request only asks whether a page may send another one. Its response does not depend on a
 * token, which browsers do not send with it.
 */
export const isPreflight = ({ method, headers }: FastifyRequest, reply: FastifyReply): boolean =>
  method === 'OPTIONS' &&
  headers['access-control-request-method'] !== undefined &&
  reply.hasHeader('access-control-allow-origin');

export const sendPreflight = (reply: FastifyReply): void => {
  reply.code(204).headers(PREFLIGHT_HEADERS).send();
};
