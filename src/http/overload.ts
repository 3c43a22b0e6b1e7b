/**
 * Overload protection: which requests are refused because of load or flooding, by the hooks or, on
 * screened connections, by their head alone (connections.ts).
 */
import type { FastifyRequest } from 'fastify';
import type { Guard } from '../access/guard.ts';
import { type ApiError, errors } from '../errors.ts';
import type { Engine } from '../store/db.ts';
import { HEALTH_PATH } from './connections.ts';
import type { RequestMetrics } from './metrics.ts';
import type { RequestHead } from './request-head.ts';
import type { RouteConfig } from './route-config.ts';

/**
 * As many requests are in progress as are served in this time; further ones are refused at once with
 * 503. Requests that wait on purpose are not counted.
 */
const MAX_WAIT_MS = 600;
/** Bounds of that number, at any rate. */
const MIN_REQUESTS_IN_PROGRESS = 1000;
const MAX_REQUESTS_IN_PROGRESS = 5000;
const RATE_INTERVAL_MS = 250;
/** The weight of the latest interval in the average rate. */
const SMOOTHING = 0.3;
/** The total size of request bodies in progress. One body is always accepted. */
const MAX_BODY_BYTES_IN_PROGRESS = 128 * 1024 * 1024;
/** Counted for a body without Content-Length, or one that is not in memory as a whole. */
const UNKNOWN_BODY_BYTES = 1024 * 1024;
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
  #bodyBytes = 0;
  /** The rate at which requests are served, while the limit is near. */
  #perMs = 0;
  #measuredAt = 0;
  #servedBefore = 0;

  constructor({ guard, metrics, engine }: { guard: Guard; metrics: RequestMetrics; engine: Engine }) {
    this.#engine = engine;
    this.#guard = guard;
    this.#metrics = metrics;
  }

  /**
   * Counts the body of a request until `release` with the returned number of bytes; undefined if the
   * request is refused because of load.
   */
  admit(
    { method, url, headers }: FastifyRequest,
    { neverRefused, streamsBody }: RouteConfig,
  ): number | undefined {
    if (neverRefused) return 0;
    if (this.#isFull || (isWrite(method, url) && this.#engine.isSaturated())) return undefined;
    const bytes =
      headers['transfer-encoding'] === undefined && !streamsBody
        ? Number(headers['content-length'] ?? 0)
        : UNKNOWN_BODY_BYTES;
    if (bytes > 0 && this.#bodyBytes > 0 && this.#bodyBytes + bytes > MAX_BODY_BYTES_IN_PROGRESS)
      return undefined;
    this.#bodyBytes += bytes;
    return bytes;
  }

  release(bodyBytes: number): void {
    this.#bodyBytes -= bodyBytes;
  }

  get #isFull(): boolean {
    const { inProgress } = this.#metrics;
    return inProgress >= MIN_REQUESTS_IN_PROGRESS && inProgress >= this.#computeLimit();
  }

  #computeLimit(): number {
    const elapsed = performance.now() - this.#measuredAt;
    if (elapsed >= RATE_INTERVAL_MS) {
      const { served } = this.#metrics;
      const perMs = (served - this.#servedBefore) / elapsed;
      // An average over a long idle time would say nothing about the capacity.
      this.#perMs =
        elapsed > 4 * RATE_INTERVAL_MS ? this.#perMs : this.#perMs + SMOOTHING * (perMs - this.#perMs);
      this.#measuredAt = performance.now();
      this.#servedBefore = served;
    }
    return Math.min(MAX_REQUESTS_IN_PROGRESS, Math.max(MIN_REQUESTS_IN_PROGRESS, this.#perMs * MAX_WAIT_MS));
  }

  /** Whether connections from the address are screened. */
  isScreened(address: string): boolean {
    return performance.now() < this.#screeningUntil || this.#guard.isFlooding(address);
  }

  /** The error to refuse a request on a screened connection with; undefined if it is to be served. */
  findRefusal({ method, path, hasCredentials }: RequestHead, address: string): ApiError | undefined {
    if (path === HEALTH_PATH) return undefined;
    if (this.#isFull || (isWrite(method, path) && this.#engine.isSaturated())) {
      this.report();
      return OVERLOADED;
    }
    return hasCredentials ? undefined : this.#guard.findFloodRefusal(address, method);
  }

  /** Screens connections from now on. Called when a request is refused because of load. */
  report(): void {
    this.#screeningUntil = performance.now() + SCREENING_MS;
  }
}

/** Whether the request needs the writer, as far as its head shows. */
const isWrite = (method: string, url: string) =>
  method !== 'GET' && method !== 'HEAD' && !url.endsWith('/check');
