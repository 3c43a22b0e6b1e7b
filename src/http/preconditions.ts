/** The headers by which a request says what it knows: If-Match, If-None-Match, Idempotency-Key. */
import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errors } from '../errors.ts';
import type { IdempotencyKey, Utf8 } from '../store/db.ts';
import { cutSlowReader } from './server.ts';

const ETAG_LIST =
  /^(?:\*|(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"(?:\s*,\s*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")*)$/;

function etags(value: string, header: string): string[] {
  if (!ETAG_LIST.test(value)) throw errors.invalidHeader(`${header} must be * or a list of ETags in quotes.`);
  return value.split(',').map((tag) => tag.trim());
}

/** What If-Match lists. A weak tag never matches (RFC 9110 asks for strong comparison), so it stays as it is. */
export function ifMatch(request: FastifyRequest): string[] | undefined {
  const value = request.headers['if-match'];
  return value === undefined ? undefined : etags(value, 'If-Match');
}

/** Sends the resource with its ETag, or 304 to whoever has it already. */
export function sendTagged(
  request: FastifyRequest,
  reply: FastifyReply,
  etag: string,
  body: Utf8,
): FastifyReply {
  const value = request.headers['if-none-match'];
  const known =
    value === undefined ? [] : etags(value, 'If-None-Match').map((tag) => tag.replace(/^W\//, ''));
  reply.header('etag', etag);
  return known.includes('*') || known.includes(etag) ? reply.code(304).send() : sendJson(reply, body);
}

/** JSON text that is ready to go. */
export function sendJson(reply: FastifyReply, body: Utf8): FastifyReply {
  cutSlowReader(reply.raw, body.length, reply.server.timings.readTimeoutMs);
  return reply.type('application/json; charset=utf-8').send(body);
}

const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * The guard of the request's Idempotency-Key, if it has one. The key belongs to whoever sent it and to the route; the
 * fingerprint is all that must be equal for a repetition to be one. Whether the caller sees answers is part of it: else a token that may
 * not see an answer could find it out, by repeating what another one has sent until it is a repetition.
 */
export function once(request: FastifyRequest): IdempotencyKey | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !KEY.test(key)) {
    throw errors.invalidHeader('Idempotency-Key must be 1 to 255 visible ASCII characters.');
  }
  const { client, scopes } = request.caller!;
  const scope = `${client} ${request.method} ${request.routeOptions.url}`;
  const parts = [request.url, scopes.has('answers:read'), request.body];
  const fingerprint = hash('sha256', JSON.stringify(parts), 'base64url');
  return { scope, key, fingerprint };
}
