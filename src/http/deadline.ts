/**
 * Responds with 503 `too_slow` to requests that exceed the response deadline. All requests have the
 * same time, so that they expire in the order of their arrival. Besides by a timer, the queue is
 * checked with each new request: while thousands of connections are readable, libuv runs no timers.
 */
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { errors } from '../errors.ts';

const ignore = () => {};
const SILENT_LOGGER = {
  level: 'silent',
  ...{ fatal: ignore, error: ignore, warn: ignore, info: ignore, debug: ignore, trace: ignore },
  silent: ignore,
  child: () => SILENT_LOGGER,
} as FastifyBaseLogger;

/** Work on a request ends this share of its time after its arrival, before the 503 is sent. */
const WORK_SHARE = 0.95;

declare module 'fastify' {
  interface FastifyRequest {
    /** When work on the request must end, by `performance.now()`. */
    deadlineAt: number;
  }
}

interface Entry {
  request: FastifyRequest;
  reply: FastifyReply;
  expiresAt: number;
}

export class Deadlines {
  readonly #durationMs: number;
  /** Ordered by expiry: entries are only added at the end. */
  readonly #waiting = new Set<Entry>();
  readonly #timer: NodeJS.Timeout;

  constructor(durationMs: number) {
    this.#durationMs = durationMs;
    this.#timer = setInterval(() => this.#expire(), durationMs / CHECKS_PER_DURATION).unref();
  }

  start(request: FastifyRequest, reply: FastifyReply): void {
    this.#expire();
    const entry = { request, reply, expiresAt: 0 };
    this.#add(entry, performance.now());
    reply.raw.once('close', () => this.#waiting.delete(entry));
  }

  #add(entry: Entry, now: number): void {
    entry.expiresAt = now + this.#durationMs;
    entry.request.deadlineAt = now + WORK_SHARE * this.#durationMs;
    this.#waiting.add(entry);
  }

  #expire(): void {
    const now = performance.now();
    for (const entry of this.#waiting) {
      if (entry.expiresAt > now) return;
      this.#waiting.delete(entry);
      const { request, reply } = entry;
      // The headers of a stream are sent before its end.
      if (reply.sent || reply.raw.headersSent) continue;
      // A body that is still arriving is subject to the server's request timeout instead.
      if (!request.raw.complete) {
        this.#add(entry, now);
        continue;
      }
      void reply.send(errors.tooSlow());
      // Fastify would log the handler's late reply as an error, with the full URL.
      reply.log = SILENT_LOGGER;
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

/** A request expires at most a twentieth of the deadline late. */
const CHECKS_PER_DURATION = 20;
