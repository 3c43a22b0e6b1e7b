import type { FastifyReply, FastifyRequest } from 'fastify';
import { setCorsHeaders } from './cors.ts';

/** Sent with every response, including those written below Fastify. */
export const STANDARD_HEADERS = {
  'api-version': '1',
  'cache-control': 'no-store',
  vary: 'Authorization, Cookie, Accept-Encoding',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
} as const;

export function setStandardHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(STANDARD_HEADERS);
  reply.header('x-request-id', request.id);
  setCorsHeaders(request, reply);
}
