/** Checks that apply to every request, whatever its route. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errors } from '../errors.ts';
import { MAX_URL_CHARS } from './url.ts';

/** Returns the error to respond with, if any. */
export function checkRequest(request: FastifyRequest, reply: FastifyReply): Error | undefined {
  if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
    reply.header('connection', 'close');
    return errors.malformedRequest('The Host header is missing.');
  }
  // Node keeps the first and drops the others; a proxy in front may have used another one.
  if (hasDuplicate(request.raw.rawHeaders, 'host', 'authorization')) {
    reply.header('connection', 'close');
    return errors.malformedRequest('Host or Authorization is given more than once.');
  }
  const coding = request.headers['transfer-encoding']?.toLowerCase() ?? 'chunked';
  if (coding !== 'chunked') {
    reply.header('connection', 'close');
    return errors.notImplemented('The only supported Transfer-Encoding is chunked.');
  }
  if (request.url.length > MAX_URL_CHARS)
    return errors.urlTooLong(`The URL is longer than ${MAX_URL_CHARS} characters.`);
  const path = request.url.split('?')[0]!;
  if (request.is404) return errors.noSuchRoute(path);
  return hasEmptyParameter(request.params as Record<string, string>)
    ? errors.noSuchRoute(path, `The path ${path} has an empty segment where an id is expected.`)
    : undefined;
}

/** The router matches an empty segment, as in `/questions/`, with a parameter. */
function hasEmptyParameter(params: Record<string, string>): boolean {
  for (const name in params) if (params[name] === '') return true;
  return false;
}

/** `rawHeaders` alternates names and values. */
function hasDuplicate(rawHeaders: string[], ...names: string[]): boolean {
  let seen = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const index = names.findIndex(
      (name) => name.length === rawHeaders[i]!.length && name === rawHeaders[i]!.toLowerCase(),
    );
    if (index < 0) continue;
    if (seen & (1 << index)) return true;
    seen |= 1 << index;
  }
  return false;
}
