/** Conditional requests and idempotency: If-Match, If-None-Match (RFC 9110) and Idempotency-Key. */
import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errors } from '../errors.ts';
import type { IdempotencyKey, Utf8 } from '../store/db.ts';
import { toGzipEtag, toPlainEtag } from './compression.ts';
import { limitReadTime } from './server.ts';

const ETAG_LIST =
  /^(?:\*|(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"(?:\s*,\s*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")*)$/;

function parseEtags(value: string, header: string): string[] {
  if (!ETAG_LIST.test(value)) throw errors.invalidHeader(`${header} must be * or a list of quoted ETags.`);
  return value.split(',').map((etag) => toPlainEtag(etag.trim()));
}

/** Weak ETags are kept with their prefix and so never match: If-Match uses strong comparison. */
export function readIfMatch(request: FastifyRequest): string[] | undefined {
  const value = request.headers['if-match'];
  return value === undefined ? undefined : parseEtags(value, 'If-Match');
}

/** Sends a resource with its ETag, or 304 if the client has it. */
export function sendWithEtag(
  request: FastifyRequest,
  reply: FastifyReply,
  etag: string,
  body: Utf8,
): FastifyReply {
  const value = request.headers['if-none-match'];
  const known =
    value === undefined ? [] : parseEtags(value, 'If-None-Match').map((tag) => tag.replace(/^W\//, ''));
  if (!known.includes('*') && !known.includes(etag)) return sendJson(reply.header('etag', etag), body);
  // The client has the compressed response if it sends its ETag.
  const gzipEtag = toGzipEtag(etag);
  return reply
    .header('etag', value?.includes(gzipEtag) ? gzipEtag : etag)
    .code(304)
    .send();
}

/** Sends serialised JSON. */
export function sendJson(reply: FastifyReply, body: Utf8): FastifyReply {
  limitReadTime(reply.raw, body.length, reply.server.timings.readTimeoutMs);
  return reply.type('application/json; charset=utf-8').send(body);
}

const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * Reads the Idempotency-Key of a request. It is scoped to the client and the route; the fingerprint
 * identifies the request that it may repeat. Whether the caller sees answers is part of the
 * fingerprint: otherwise a token without `answers:read` could guess an answer by repeating another
 * token's request until it is recognised as a repetition.
 */
export function readIdempotencyKey(request: FastifyRequest): IdempotencyKey | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !KEY.test(key)) {
    throw errors.invalidHeader('Idempotency-Key must be 1 to 255 visible ASCII characters.');
  }
  const { client, scopes, bound, token } = request.caller!;
  // Respondents with tokens of one client may use the same key.
  const scope = `${client} ${bound ? `${token.id} ` : ''}${request.method} ${request.routeOptions.url}`;
  const parts = [request.url, scopes.has('answers:read'), request.body];
  const fingerprint = hash('sha256', JSON.stringify(parts), 'base64url');
  return { scope, key, fingerprint };
}
