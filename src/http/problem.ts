/** Errors as problem documents (RFC 9457), the same for our own and the framework's. */
import { STATUS_CODES } from 'node:http';
import { ApiError, errors, MOST_FAULTS } from '../errors.ts';
import type { Problem } from '../schemas/common.ts';

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

export function problemOf(error: ApiError, instance: string, requestId: string): Problem {
  return {
    type: `/docs#problem-${error.code}`,
    title: STATUS_CODES[error.status] ?? 'Error',
    status: error.status,
    detail: error.message,
    instance,
    code: error.code,
    request_id: requestId,
    ...(error.errors && { errors: error.errors.slice(0, MOST_FAULTS) }),
  };
}

/** The framework's own refusals by their codes; whatever nobody foresaw is ours to mend. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const { code = '', statusCode = 500 } = error as { code?: string; statusCode?: number };
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return errors.unsupportedMediaType('Send the body as application/json in UTF-8.');
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return errors.tooLarge('The body is larger than this route takes.');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return errors.malformedRequest('The body is not as long as Content-Length says.');
    case 'FST_ERR_BAD_URL':
      return errors.malformedUrl('The path has a % that is not followed by valid UTF-8 in hexadecimal.');
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return errors.urlTooLong('A part of the path is longer than anything here.');
    case 'ECONNRESET':
    case 'ERR_STREAM_PREMATURE_CLOSE':
      return errors.malformedRequest('The request broke off.');
    default:
      return statusCode >= 400 && statusCode < 500
        ? errors.malformedRequest('The request could not be understood.', { cause: error })
        : errors.internal(error);
  }
}
