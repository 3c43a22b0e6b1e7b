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

/** A request with a deadline, in a doubly linked list: a Set would be rehashed again and again. */
export interface Deadline {
  request: FastifyRequest;
  reply: FastifyReply;
  expiresAt: number;
  before: Deadline | undefined;
  after: Deadline | undefined;
}

export class Deadlines {
  readonly #durationMs: number;
  /** The ends of the list, which is ordered by expiry: entries are only added at the end. */
  #first: Deadline | undefined;
  #last: Deadline | undefined;
  readonly #timer: NodeJS.Timeout;

  constructor(durationMs: number) {
    this.#durationMs = durationMs;
    this.#timer = setInterval(
      () => this.#expire(performance.now()),
      durationMs / CHECKS_PER_DURATION,
    ).unref();
  }

  /** Starts the time of a request, which lasts until `end`. */
  start(request: FastifyRequest, reply: FastifyReply): Deadline {
    const now = performance.now();
    this.#expire(now);
    const deadline = { request, reply, expiresAt: 0, before: undefined, after: undefined };
    this.#add(deadline, now);
    return deadline;
  }

  end(deadline: Deadline): void {
    const { before, after } = deadline;
    if (before) before.after = after;
    else if (this.#first === deadline) this.#first = after;
    if (after) after.before = before;
    else if (this.#last === deadline) this.#last = before;
    deadline.before = undefined;
    deadline.after = undefined;
  }

  #add(deadline: Deadline, now: number): void {
    deadline.expiresAt = now + this.#durationMs;
    deadline.request.deadlineAt = now + WORK_SHARE * this.#durationMs;
    deadline.before = this.#last;
    if (this.#last) this.#last.after = deadline;
    else this.#first = deadline;
    this.#last = deadline;
  }

  #expire(now: number): void {
    for (let first = this.#first; first && first.expiresAt <= now; first = this.#first) {
      this.end(first);
      const { request, reply } = first;
      // The headers of a stream are sent before its end.
      if (reply.sent || reply.raw.headersSent) continue;
      // A body that is still arriving is subject to the server's request timeout instead.
      if (!request.raw.complete) {
        this.#add(first, now);
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
