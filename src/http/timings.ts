/**
 * Intervals and time limits of the HTTP server. Production uses the defaults; tests shorten some of
 * them.
 */
export interface HttpTimings {
  /** From the first byte of a request to the end of its headers. */
  headersTimeoutMs: number;
  /** From the first byte of a request to its last. */
  requestTimeoutMs: number;
  /** How often connections are checked for these two. */
  connectionCheckMs: number;
  /**
   * From a request to its response; 503 is sent then. Callers are promised an answer within ten
   * seconds.
   */
  responseDeadlineMs: number;
  /**
   * A large response has to make progress within this time. Node waits for it twice before it gives
   * up.
   */
  readTimeoutMs: number;
  /** Between two comments on an idle event stream, which keep the connection alive. */
  heartbeatMs: number;
  /** How often an event stream is checked for a revoked token and a stalled reader. */
  streamCheckMs: number;
  /** A reader of events that takes nothing for this long is disconnected. It can resume. */
  streamStallMs: number;
  /** While the service stops, idle connections are closed after this time. */
  idleGraceMs: number;
  /** While the service stops, connections with a request are closed after this time. */
  maxDrainMs: number;
}

export const DEFAULT_HTTP_TIMINGS: HttpTimings = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 12_000,
  connectionCheckMs: 1_000,
  responseDeadlineMs: 9_000,
  readTimeoutMs: 7_000,
  heartbeatMs: 15_000,
  streamCheckMs: 2_000,
  streamStallMs: 10_000,
  idleGraceMs: 1_000,
  maxDrainMs: 9_000,
};

declare module 'fastify' {
  interface FastifyInstance {
    timings: HttpTimings;
  }
}
