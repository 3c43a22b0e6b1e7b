/** The server below the routes: its time limits, and its refusals of what never becomes a request. */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type ApiError, errors } from '../errors.ts';
import { uuidv7 } from '../store/ids.ts';
import { SAFE_HEADERS } from './headers.ts';
import { PROBLEM_TYPE, problemOf } from './problem.ts';
import type { HttpTimings } from './timings.ts';

/** Options of Node's server. A request that takes longer to arrive is answered with 408. */
export const serverOptions = (timings: HttpTimings) => ({
  requestTimeout: timings.requestTimeoutMs,
  http: {
    headersTimeout: timings.headersTimeoutMs,
    connectionsCheckingInterval: timings.connectionCheckMs,
    // A missing Host is refused by the app, in its own words.
    requireHostHeader: false,
  },
  keepAliveTimeout: 72_000,
});

/** Node's own answer would be a bare status line. */
export function refuseBrokenRequest(
  fault: Error & { code?: string },
  socket: Socket,
  requestId: string,
): void {
  if (fault.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const error = brokenRequest(fault.code);
  const body = JSON.stringify(problemOf(error, '', requestId));
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    `Content-Type: ${PROBLEM_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    ...Object.entries(SAFE_HEADERS).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
  ];
  // What the client still sends must not become a request after all.
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

function brokenRequest(code = ''): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return errors.headersTooLarge('The headers, with the URL, are larger than 16 KiB.');
  if (code === 'HPE_INVALID_URL')
    return errors.malformedUrl('The URL has a character that must be percent-encoded.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return errors.requestTimeout('The request took too long to arrive.');
  return errors.malformedRequest('This is not a valid HTTP/1.1 request.');
}

const SMALL = 64 * 1024;

/** Whoever asks for much and reads nothing would keep it in our memory. */
export function cutSlowReader(response: ServerResponse, size: number, timeoutMs: number): void {
  if (size > SMALL) response.setTimeout(timeoutMs, () => response.socket?.destroy());
}

/** `Expect` with anything but 100-continue. */
export function refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
  const error = errors.expectationFailed('Only 100-continue may be expected here.');
  const id = uuidv7(Date.now());
  const body = JSON.stringify(problemOf(error, request.url?.split('?')[0] ?? '', id));
  response.writeHead(error.status, {
    ...SAFE_HEADERS,
    'content-type': PROBLEM_TYPE,
    'x-request-id': id,
    connection: 'close',
  });
  response.end(body);
}
