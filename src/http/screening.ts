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

export interface ScreeningLog {
  warn(details: object, message: string): void;
}

/** A connection whose request exceeded a rate limit is not read for this time. */
const PAUSE_MS = 500;
const INTERVAL_MS = 100;
/** The requests that are refused within this time share a request id and a log line. */
const BATCH_MS = 1_000;
const LINGER_MS = 1_000;

export class Screening {
  readonly #log: ScreeningLog;
  readonly #screened = new Set<Socket>();
  /** Connections that are not read, the earliest first. */
  readonly #paused: { socket: Socket; until: number }[] = [];
  #batch: RefusalBatch | undefined;
  #timer: NodeJS.Timeout | undefined;
  #refused = 0;
  #stopped = false;

  constructor(log: ScreeningLog) {
    this.#log = log;
  }

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
        const response = this.#refuse(error, close, head.method !== 'HEAD');
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

  #refuse(error: ApiError, close: boolean, withBody: boolean): Buffer {
    this.#refused++;
    this.#batch ??= new RefusalBatch();
    this.#startTimer();
    return this.#batch.render(error, close, withBody);
  }

  #pause(socket: Socket): void {
    socket.pause();
    this.#paused.push({ socket, until: performance.now() + PAUSE_MS });
    this.#startTimer();
  }

  #startTimer(): void {
    this.#timer ??= setInterval(() => this.#tick(), INTERVAL_MS).unref();
  }

  #tick(): void {
    const now = performance.now();
    while (this.#paused[0] && this.#paused[0].until <= now) this.#paused.shift()!.socket.resume();
    if (this.#batch && this.#batch.startedAt + BATCH_MS <= now) this.#endBatch();
    if (this.#paused.length === 0 && !this.#batch) this.#stopTimer();
  }

  #endBatch(): void {
    if (this.#batch) this.#log.warn(this.#batch.describe(), 'requests shed');
    this.#batch = undefined;
  }

  #stopTimer(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Refuses nothing from now on: the next request of each connection goes to the parser. */
  stop(): void {
    this.#stopped = true;
    this.#endBatch();
    this.#stopTimer();
    for (const { socket } of this.#paused.splice(0)) socket.resume();
  }

  destroyAll(): void {
    for (const socket of this.#screened) socket.destroy();
  }
}

/**
 * Requests refused within a second. They share a request id and are not logged one by one, so that their
 * responses are rendered once.
 */
class RefusalBatch {
  readonly startedAt = performance.now();
  readonly #id = uuidv7(Date.now());
  readonly #responses = new Map<string, Buffer>();
  readonly #counts: Record<string, number> = {};

  render(error: ApiError, close: boolean, withBody: boolean): Buffer {
    this.#counts[error.code] = (this.#counts[error.code] ?? 0) + 1;
    const key = `${error.message} ${close} ${withBody}`;
    return this.#responses.getOrInsertComputed(key, () =>
      Buffer.from(formatRawResponse(error, { requestId: this.#id, close, withBody })),
    );
  }

  describe(): object {
    return { request_id: this.#id, ...this.#counts };
  }
}

/**
 * Writes the response and closes the connection. What the client still sends is discarded for a
 * while: closing at once would reset the connection before the client has read the response.
 */
function endAfter(socket: Socket, response: Buffer): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.on('error', () => socket.destroy());
  socket.on('data', () => {});
  socket.end(response);
}
