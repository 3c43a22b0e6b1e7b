/**
 * Overload protection: which requests are refused because of load or flooding, by the hooks or, on
 * screened connections, by their head alone (connections.ts).
 */
import type { FastifyRequest } from 'fastify';
import type { Guard } from '../access/guard.ts';
import { type ApiError, errors } from '../errors.ts';
import { HEALTH_PATH } from './connections.ts';
import type { RequestMetrics } from './metrics.ts';
import type { RequestHead } from './request-head.ts';

/** Further requests are refused at once with 503. */
const MAX_REQUESTS_IN_FLIGHT = 1000;
/** After a request was refused because of load, new connections are screened for this time. */
const SCREENING_MS = 2_000;

declare module 'fastify' {
  interface FastifyInstance {
    overload: Overload;
  }
}

export class Overload {
  readonly #guard: Guard;
  readonly #metrics: RequestMetrics;
  #screeningUntil = 0;

  constructor({ guard, metrics }: { guard: Guard; metrics: RequestMetrics }) {
    this.#guard = guard;
    this.#metrics = metrics;
  }

  get isFull(): boolean {
    return this.#metrics.inFlight >= MAX_REQUESTS_IN_FLIGHT;
  }

  /** Whether new connections from the address are screened. */
  isScreened(address: string): boolean {
    return performance.now() < this.#screeningUntil || this.#guard.isFlooding(address);
  }

  /** The error to refuse a request on a screened connection with; undefined if it is to be served. */
  findRefusal({ method, path, hasAuthorization }: RequestHead, address: string): ApiError | undefined {
    if (path === HEALTH_PATH) return undefined;
    if (this.isFull) {
      this.#screeningUntil = performance.now() + SCREENING_MS;
      return errors.overloaded();
    }
    return hasAuthorization ? undefined : this.#guard.findFloodRefusal(address, method);
  }

  /**
   * Whether the connection is closed after this refusal, so that the next one of the client is
   * screened. Called for every problem that is sent.
   */
  closesAfter(problem: ApiError, request: FastifyRequest): boolean {
    if (problem.code === 'overloaded') this.#screeningUntil = performance.now() + SCREENING_MS;
    else if (problem.status !== 429 || request.caller || !this.#guard.isFlooding(getPeer(request)))
      return false;
    // Closed while its body arrives, the connection would be reset before the client has read the
    // response.
    return request.raw.complete || !hasBody(request);
  }
}

const getPeer = ({ raw }: FastifyRequest) => raw.socket.remoteAddress ?? '';

export const hasBody = ({ headers }: FastifyRequest) =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
