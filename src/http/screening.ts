/**
 * Load shedding without the HTTP parser. Parsing a request and refusing it through the routes costs
 * several times as much as the refusal itself, so under overload most of the CPU would be spent on
 * refusals. The requests of a screened connection are refused by their head alone; the first one that
 * may be served passes the connection, with what was read, to the parser.
 */
import type { Socket } from 'node:net';
import type { ApiError } from '../errors.ts';
import { uuidv7 } from '../store/ids.ts';
import { formatRawResponse } from './raw-response.ts';
import { parseRequestHead, type RequestHead } from './request-head.ts';

interface ScreenedConnection {
  /** The error to refuse a request with; undefined if it is to be served. */
  findError(head: RequestHead): ApiError | undefined;
  /** Gives the connection to the parser, with bytes that it has not received. */
  pass(unread: Buffer): void;
  /** Whether the connection is closed after the first refusal. */
  closes?: boolean;
}

/** A connection whose request exceeded a rate limit is not read for this time. */
const PAUSE_MS = 500;
const RESUME_INTERVAL_MS = 100;
const LINGER_MS = 1_000;

export class Screening {
  readonly #screened = new Set<Socket>();
  /** Connections that are not read, the earliest first. */
  readonly #paused: { socket: Socket; until: number }[] = [];
  #resumeTimer: NodeJS.Timeout | undefined;
  #refused = 0;
  #stopped = false;

  get size(): number {
    return this.#screened.size;
  }

  /** Requests refused so far. */
  get refused(): number {
    return this.#refused;
  }

  add(socket: Socket, { findError, pass, closes = false }: ScreenedConnection): void {
    /** Bytes of a refused request that are still to come. */
    let skip = 0;
    const read = (chunk: Buffer) => {
      let rest = chunk;
      for (;;) {
        if (rest.length <= skip) {
          skip -= rest.length;
          return;
        }
        rest = rest.subarray(skip);
        skip = 0;
        const head = parseRequestHead(rest);
        const error = head && !this.#stopped ? findError(head) : undefined;
        if (!head || !error) {
          release();
          pass(rest);
          return;
        }
        const close = closes || head.bytes === undefined;
        const response = this.#format(error, head, close);
        if (close) {
          release();
          endAfter(socket, response);
          return;
        }
        socket.write(response);
        if (error.status === 429) this.#pause(socket);
        skip = head.bytes!;
      }
    };
    const forget = () => this.#screened.delete(socket);
    const release = () => {
      forget();
      socket.off('close', forget).off('data', read);
    };
    this.#screened.add(socket);
    socket.once('close', forget).on('data', read);
  }

  #format(error: ApiError, { path, method }: RequestHead, close: boolean): string {
    this.#refused++;
    return formatRawResponse(error, {
      requestId: uuidv7(Date.now()),
      path,
      close,
      withBody: method !== 'HEAD',
    });
  }

  #pause(socket: Socket): void {
    socket.pause();
    this.#paused.push({ socket, until: performance.now() + PAUSE_MS });
    this.#resumeTimer ??= setInterval(() => this.#resume(), RESUME_INTERVAL_MS).unref();
  }

  #resume(): void {
    const now = performance.now();
    while (this.#paused[0] && this.#paused[0].until <= now) this.#paused.shift()!.socket.resume();
    if (this.#paused.length === 0) this.close();
  }

  /** Refuses nothing from now on: the next request of each connection goes to the parser. */
  stop(): void {
    this.#stopped = true;
    for (const { socket } of this.#paused.splice(0)) socket.resume();
  }

  destroyIdle(): void {
    for (const socket of this.#screened) socket.destroy();
  }

  close(): void {
    clearInterval(this.#resumeTimer);
    this.#resumeTimer = undefined;
  }
}

/**
 * Writes the response and closes the connection. What the client still sends is discarded for a
 * while: closing at once would reset the connection before the client has read the response.
 */
function endAfter(socket: Socket, response: string): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.on('error', () => socket.destroy());
  socket.on('data', () => {});
  socket.end(response);
}
