/** Responds to errors, our own and the framework's, with problem documents (RFC 9457). */
import { STATUS_CODES } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, errors, MAX_FAULTS } from '../errors.ts';
import type { Problem } from '../schemas/common.ts';
import { setStandardHeaders } from './headers.ts';
import { getBasePath } from './url.ts';

export const PROBLEM_CONTENT_TYPE = 'application/problem+json; charset=utf-8';

export function buildProblem(error: ApiError, instance: string, requestId: string): Problem {
  return {
    type: `/docs#problem-${error.code}`,
    title: STATUS_CODES[error.status] ?? 'Error',
    status: error.status,
    detail: error.message,
    instance,
    code: error.code,
    request_id: requestId,
    ...(error.errors && { errors: error.errors.slice(0, MAX_FAULTS) }),
    ...error.members,
  };
}

/** Maps Fastify's errors by their codes; an unknown error is an internal one. */
export function toApiError(error: unknown, maxBodyBytes?: number): ApiError {
  if (error instanceof ApiError) return error;
  const { code = '', statusCode = 500 } = error as { code?: string; statusCode?: number };
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return errors.unsupportedMediaType('Send the body as application/json in UTF-8.');
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return errors.bodyTooLarge(`The body exceeds the limit of ${maxBodyBytes} bytes. Send less at once.`);
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return errors.malformedRequest('The length of the body differs from Content-Length.');
    case 'FST_ERR_BAD_URL':
      return errors.malformedUrl('The path contains an invalid percent-encoding.');
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return errors.urlTooLong('A path segment is too long.');
    case 'ECONNRESET':
    case 'ERR_STREAM_PREMATURE_CLOSE':
      return errors.malformedRequest('The connection was closed before the request was complete.');
    default:
      return statusCode >= 400 && statusCode < 500
        ? errors.malformedRequest('The request is malformed.', { cause: error })
        : errors.internal(error);
  }
}

/** The app's error handler. */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const problem = toApiError(error, request.routeOptions.bodyLimit);
  // These are expected and logged without a stack; other server errors need theirs.
  if ([501, 503].includes(problem.status) && !problem.cause)
    request.log.warn({ request_id: request.id, code: problem.code }, 'request refused');
  else if (problem.status >= 500)
    request.log.error(
      { request_id: request.id, err: problem.cause ?? problem, code: problem.code },
      'request failed',
    );
  setStandardHeaders(request, reply);
  // `Connection: close` would reset the connection while the client is still sending its body,
  // before it has read the response.
  if (problem.status === 413) reply.removeHeader('connection');
  if (problem.code === 'overloaded') request.server.overload.report();
  reply.code(problem.status).headers(problem.headers).type(PROBLEM_CONTENT_TYPE);
  const { location } = problem.headers;
  if (location) reply.header('location', getBasePath(request) + location);
  void reply.send(JSON.stringify(buildProblem(problem, request.originalUrl.split('?')[0]!, request.id)));
}
