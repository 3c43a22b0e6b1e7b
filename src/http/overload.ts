/**
 * Overload protection: which requests are refused because of load or flooding, by the hooks or, on
 * screened connections, by their head alone (connections.ts).
 */
import type { Guard } from '../access/guard.ts';
import { type ApiError, errors } from '../errors.ts';
import type { Engine } from '../store/db.ts';
import { HEALTH_PATH } from './connections.ts';
import type { RequestMetrics } from './metrics.ts';
import type { RequestHead } from './request-head.ts';

/** Further requests are refused at once with 503. Requests that wait on purpose are not counted. */
const MAX_REQUESTS_IN_FLIGHT = 1000;
/** After a request was refused because of load, connections are screened for this time. */
const SCREENING_MS = 2_000;
/** Created once: an error records its stack, which costs more than the response. */
const OVERLOADED = errors.overloaded();

declare module 'fastify' {
  interface FastifyInstance {
    overload: Overload;
  }
}

export class Overload {
  readonly #engine: Engine;
  readonly #guard: Guard;
  readonly #metrics: RequestMetrics;
  #screeningUntil = 0;

  constructor({ guard, metrics, engine }: { guard: Guard; metrics: RequestMetrics; engine: Engine }) {
    this.#engine = engine;
    this.#guard = guard;
    this.#metrics = metrics;
  }

  /** Whether a further request is refused. */
  get isFull(): boolean {
    return this.#metrics.inProgress >= MAX_REQUESTS_IN_FLIGHT;
  }

  /** Whether connections from the address are screened. */
  isScreened(address: string): boolean {
    return performance.now() < this.#screeningUntil || this.#guard.isFlooding(address);
  }

  /** The error to refuse a request on a screened connection with; undefined if it is to be served. */
  findRefusal({ method, path, hasAuthorization }: RequestHead, address: string): ApiError | undefined {
    if (path === HEALTH_PATH) return undefined;
    if (this.isFull || (isWrite(method, path) && this.#engine.isSaturated())) {
      this.report();
      return OVERLOADED;
    }
    return hasAuthorization ? undefined : this.#guard.findFloodRefusal(address, method);
  }

  /** Screens connections from now on. Called when a request is refused because of load. */
  report(): void {
    this.#screeningUntil = performance.now() + SCREENING_MS;
  }
}

/** Whether the request needs the writer, as far as its head shows. */
const isWrite = (method: string, path: string) =>
  method !== 'GET' && method !== 'HEAD' && !path.endsWith('/check');
