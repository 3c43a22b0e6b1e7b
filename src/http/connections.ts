/**
 * Connections ahead of the HTTP parser: limits on their number, and load shedding. Parsing a request
 * and refusing it through the routes costs several times as much as the refusal itself, so under
 * overload most of the CPU would be spent on refusals. While the service is overloaded, or an
 * address floods it, new connections are screened: their requests are refused by the head alone,
 * without a parser, and the first request that may be served passes its connection on to the HTTP
 * server.
 */
import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as afterEventLoop } from 'node:timers/promises';
import { type ApiError, errors } from '../errors.ts';
import { uuidv7 } from '../store/ids.ts';
import { formatRawResponse } from './raw-response.ts';
import { parseRequestHead, type RequestHead } from './request-head.ts';
import type { HttpTimings } from './timings.ts';

export interface ConnectionLimits {
  total: number;
  perAddress: number;
}

export const DEFAULT_CONNECTION_LIMITS: ConnectionLimits = { total: 10_000, perAddress: 2_000 };

interface ConnectionOptions {
  limits: ConnectionLimits;
  /** Whether the connections of an address are counted together. Those of a proxy are not. */
  isLimited(address: string): boolean;
  /** Whether new connections from the address are screened at the moment. */
  isScreened(address: string): boolean;
  /** The error to refuse a request with; undefined if it is to be served. */
  findRefusal(head: RequestHead, address: string): ApiError | undefined;
}

/** Connections beyond the limit are refused with a response, up to this many. */
const MAX_REFUSED_CONNECTIONS = 500;
/** A screened connection without a request is closed after this time. */
const SCREENED_IDLE_MS = 30_000;
/** A connection whose request exceeded a rate limit is not read for this time. */
const PAUSE_MS = 500;
const RESUME_INTERVAL_MS = 100;
const DRAIN_INTERVAL_MS = 50;
const LINGER_MS = 1_000;
/** Without a new connection in so many turns of the event loop, none is pending. */
const ACCEPT_TURNS = 3;
const MAX_ACCEPT_MS = 2_000;

/** Requests to this path are served whatever the load. */
export const HEALTH_PATH = '/health';

interface Activity {
  /** Requests that are not answered yet. */
  requests: number;
  /** As of `activeAt`, or earlier. */
  bytesRead: number;
  activeAt: number;
}

/** Passes a connection on to the HTTP server. */
type Serve = (socket: Socket) => void;

declare module 'fastify' {
  interface FastifyInstance {
    connections: Connections;
  }
}

export class Connections {
  /** Several if the host name has several addresses. */
  readonly #servers: Server[] = [];
  readonly #options: ConnectionOptions;
  readonly #byAddress = new Map<string, number>();
  readonly #screened = new Set<Socket>();
  /** The connections of the HTTP servers. */
  readonly #served = new Map<Socket, Activity>();
  /** Connections that are not read, the earliest first. */
  readonly #paused: { socket: Socket; until: number }[] = [];
  #resumeTimer: NodeJS.Timeout | undefined;
  #open = 0;
  #accepted = 0;
  #refusedRequests = 0;
  #refusedConnections = 0;
  #draining = false;
  #held: (() => void)[] | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** Receives the connections of the server, and passes them on to it. */
  watch(server: Server): void {
    const [serve] = server.listeners('connection') as [(socket: Socket) => void];
    server.removeListener('connection', serve);
    server.on('connection', (socket) =>
      this.#accept(socket, (accepted) => {
        this.#served.set(accepted, { requests: 0, bytesRead: 0, activeAt: performance.now() });
        accepted.once('close', () => this.#served.delete(accepted));
        serve.call(server, accepted);
      }),
    );
    server.on('request', ({ socket }, response) => {
      const activity = this.#served.get(socket);
      if (!activity) return;
      activity.requests++;
      response.once('close', () => {
        activity.requests--;
        activity.activeAt = performance.now();
      });
    });
    this.#servers.push(server);
  }

  get counts(): { open: number; screened: number; refusedRequests: number; refusedConnections: number } {
    return {
      open: this.#open,
      screened: this.#screened.size,
      refusedRequests: this.#refusedRequests,
      refusedConnections: this.#refusedConnections,
    };
  }

  /** Accepts connections without reading from them until `release`. */
  hold(): void {
    this.#held ??= [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const accept of held) accept();
  }

  #accept(socket: Socket, serve: Serve): void {
    this.#accepted++;
    if (this.#held) {
      this.#held.push(() => this.#accept(socket, serve));
      return;
    }
    const address = socket.remoteAddress;
    // The client has already disconnected.
    if (address === undefined) {
      socket.destroy();
      return;
    }
    const { limits, isLimited, isScreened } = this.#options;
    if (this.#open >= limits.total + MAX_REFUSED_CONNECTIONS) {
      this.#refusedConnections++;
      socket.destroy();
      return;
    }
    const fromAddress = (this.#byAddress.get(address) ?? 0) + 1;
    this.#byAddress.set(address, fromAddress);
    this.#open++;
    socket.once('close', () => {
      this.#open--;
      const left = this.#byAddress.get(address)! - 1;
      if (left === 0) this.#byAddress.delete(address);
      else this.#byAddress.set(address, left);
    });
    const exceeds = this.#open > limits.total || (fromAddress > limits.perAddress && isLimited(address));
    if (exceeds) this.#refusedConnections++;
    if (exceeds || (isScreened(address) && !this.#draining))
      this.#screen(socket, { address, exceeds, serve });
    else serve(socket);
  }

  #screen(
    socket: Socket,
    { address, exceeds, serve }: { address: string; exceeds: boolean; serve: Serve },
  ): void {
    const { findRefusal } = this.#options;
    /** Bytes of a refused request that are still to come. */
    let skip = 0;
    const findError = (head: RequestHead) =>
      exceeds && head.path !== HEALTH_PATH ? errors.tooManyConnections() : findRefusal(head, address);

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
        const error = head && !this.#draining ? findError(head) : undefined;
        if (!head || !error) {
          release();
          pass(rest);
          return;
        }
        const close = exceeds || head.bytes === undefined;
        this.#refusedRequests++;
        const options = {
          requestId: uuidv7(Date.now()),
          path: head.path,
          close,
          withBody: head.method !== 'HEAD',
        };
        const response = formatRawResponse(error, options);
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
    const release = () => {
      this.#screened.delete(socket);
      socket.off('data', read).off('timeout', destroy).off('error', destroy);
      socket.setTimeout(0);
    };
    const pass = (unread: Buffer) => {
      socket.pause();
      serve(socket);
      socket.unshift(unread);
      socket.resume();
    };
    const destroy = () => socket.destroy();
    this.#screened.add(socket);
    socket.once('close', () => this.#screened.delete(socket));
    socket.setNoDelay(true);
    socket.setTimeout(SCREENED_IDLE_MS);
    socket.on('data', read).on('timeout', destroy).on('error', destroy);
  }

  #pause(socket: Socket): void {
    socket.pause();
    this.#paused.push({ socket, until: performance.now() + PAUSE_MS });
    this.#resumeTimer ??= setInterval(() => this.#resume(), RESUME_INTERVAL_MS).unref();
  }

  #resume(): void {
    const now = performance.now();
    while (this.#paused[0] && this.#paused[0].until <= now) this.#paused.shift()!.socket.resume();
    if (this.#paused.length > 0) return;
    clearInterval(this.#resumeTimer);
    this.#resumeTimer = undefined;
  }

  /**
   * Closes connections without a request in the grace period. It begins anew with each response:
   * under load a response takes longer than the grace period, and the next request may be on its
   * way.
   */
  #closeIdle(start: number, idleGraceMs: number): void {
    const now = performance.now();
    if (now - start < idleGraceMs) return;
    for (const socket of this.#screened) socket.destroy();
    for (const [socket, activity] of this.#served) {
      if (activity.requests > 0 || socket.bytesRead > activity.bytesRead) {
        activity.bytesRead = socket.bytesRead;
        activity.activeAt = now;
      } else if (now - activity.activeAt >= idleGraceMs) socket.destroy();
    }
  }

  /**
   * Accepts the connections that the kernel has established: they would be reset when the listener
   * closes. The event loop accepts one in each turn, so they are not served until all are accepted.
   */
  async #acceptPending(): Promise<void> {
    const end = performance.now() + MAX_ACCEPT_MS;
    let before: number;
    do {
      before = this.#accepted;
      for (let turn = 0; turn < ACCEPT_TURNS; turn++) await afterEventLoop();
    } while (this.#accepted > before && performance.now() < end);
  }

  /**
   * Stops listening and resolves when all connections are closed. Idle connections are closed after
   * the grace period: until then a request that is already on its way is served, and its response
   * announces the end of the connection.
   */
  async drain({ idleGraceMs, maxDrainMs }: HttpTimings): Promise<{ aborted: number }> {
    this.#draining = true;
    this.hold();
    await this.#acceptPending();
    const closed = this.#servers.map(
      (server) =>
        // The method of http.Server would also close the idle connections.
        new Promise<void>((resolve) => void NetServer.prototype.close.call(server, () => resolve())),
    );
    this.release();
    const start = performance.now();
    let aborted = 0;
    const timer = setInterval(() => {
      // After the event loop has read what has arrived.
      setImmediate(() => this.#closeIdle(start, idleGraceMs));
      if (performance.now() - start < maxDrainMs) return;
      aborted = this.#open;
      for (const server of this.#servers) server.closeAllConnections();
    }, DRAIN_INTERVAL_MS);
    await Promise.all(closed);
    clearInterval(timer);
    clearInterval(this.#resumeTimer);
    return { aborted };
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
