/** The HTTP server below Fastify: timeouts, and responses to input that never becomes a request. */
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { type ApiError, errors } from '../errors.ts';
import { uuidv7 } from '../store/ids.ts';
import { deferContinue } from './continue.ts';
import { STANDARD_HEADERS } from './headers.ts';
import { buildProblem, PROBLEM_CONTENT_TYPE } from './problem.ts';
import { formatRawResponse } from './raw-response.ts';
import type { HttpTimings } from './timings.ts';

const KEEP_ALIVE_MS = 72_000;

/** A request that takes longer to arrive than its timeouts is refused with 408. */
export function createServer(handler: RequestListener, timings: HttpTimings): Server {
  const server = createHttpServer(
    {
      requestTimeout: timings.requestTimeoutMs,
      headersTimeout: timings.headersTimeoutMs,
      connectionsCheckingInterval: timings.connectionCheckMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // A missing Host header is refused with a problem document (see malformed-request.ts).
      requireHostHeader: false,
    },
    handler,
  );
  server.on('checkExpectation', handleExpectation);
  server.on('checkContinue', (request, response) => {
    deferContinue(request, response);
    server.emit('request', request, response);
  });
  // A client that half-closes its connection after the request still gets the response.
  return Object.assign(server, { httpAllowHalfOpen: true });
}

interface ParserError extends Error {
  code?: string;
  /** A Buffer, which Fastify declares otherwise: the bytes in which the parser found the error. */
  rawPacket?: object;
}

/** Replaces Node's bare status line by a problem document. */
export function handleClientError(error: ParserError, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  endWithProblem(socket, mapParserError(error), requestId);
}

/** Writes a problem document to a connection that has no response object, and closes it. */
export function endWithProblem(socket: Socket, error: ApiError, requestId: string): void {
  // Destroyed, so that no later bytes on the connection are parsed as a request.
  socket.end(formatRawResponse(error, { requestId, close: true }), () => socket.destroy());
}

/** A request line of HTTP/1.1 with any method. */
const REQUEST_LINE = /^[\w!#$%&'*+.^`|~-]+ \S+ HTTP\/1\.[01]\r\n/;

function mapParserError({ code, rawPacket }: ParserError): ApiError {
  if (code === 'HPE_INVALID_METHOD' && REQUEST_LINE.test((rawPacket as Buffer).toString('latin1')))
    return errors.notImplemented('The method of the request is unknown.');
  if (code === 'HPE_HEADER_OVERFLOW')
    return errors.headersTooLarge('The request line and headers exceed 16 KiB.');
  if (code === 'HPE_INVALID_URL')
    return errors.malformedUrl('The URL contains a character that must be percent-encoded.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return errors.requestTimeout('The request took too long to arrive.');
  return errors.malformedRequest('The request is not valid HTTP/1.1.');
}

const LARGE_RESPONSE_BYTES = 64 * 1024;

/**
 * Closes the connection of a client that does not read a large response, which occupies memory
 * until then.
 */
export function limitReadTime(response: ServerResponse, bytes: number, timeoutMs: number): void {
  if (bytes <= LARGE_RESPONSE_BYTES) return;
  response.setTimeout(timeoutMs, () => {
    // Otherwise the client waits for the rest of a response that is produced while it is sent.
    if (response.writableLength > 0) response.socket?.destroy();
  });
}

/** Refuses an `Expect` header other than 100-continue. */
function handleExpectation(request: IncomingMessage, response: ServerResponse): void {
  const error = errors.expectationFailed('The Expect header must be 100-continue.');
  const id = uuidv7(Date.now());
  const body = JSON.stringify(buildProblem(error, request.url?.split('?')[0] ?? '', id));
  response.writeHead(error.status, {
    ...STANDARD_HEADERS,
    'content-type': PROBLEM_CONTENT_TYPE,
    'x-request-id': id,
    connection: 'close',
  });
  response.end(body);
}
