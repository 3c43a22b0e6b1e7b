/** Problem documents written to a socket, for requests that do not reach Fastify. */
import { STATUS_CODES } from 'node:http';
import type { ApiError } from '../errors.ts';
import { STANDARD_HEADERS } from './headers.ts';
import { buildProblem, PROBLEM_CONTENT_TYPE } from './problem.ts';

interface RawResponseOptions {
  requestId: string;
  /** Announces that the server closes the connection. */
  close?: boolean;
  /** The response to a HEAD request has no body. */
  withBody?: boolean;
}

const STANDARD_LINES = Object.entries(STANDARD_HEADERS)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');

export function formatRawResponse(
  error: ApiError,
  { requestId, close = false, withBody = true }: RawResponseOptions,
): string {
  const body = JSON.stringify(buildProblem(error, '', requestId));
  let head = `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${STANDARD_LINES}`;
  for (const name in error.headers) head += `${name}: ${error.headers[name]}\r\n`;
  head += `content-type: ${PROBLEM_CONTENT_TYPE}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nx-request-id: ${requestId}\r\n`;
  if (close) head += 'connection: close\r\n';
  return `${head}\r\n${withBody ? body : ''}`;
}
