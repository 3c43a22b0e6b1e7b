/**
 * Connections ahead of the HTTP parser: limits on their number, screening while the service is
 * overloaded (screening.ts), and the drain at a stop.
 */
import type { IncomingMessage, Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as afterEventLoop } from 'node:timers/promises';
import { type ApiError, errors } from '../errors.ts';
import type { RequestHead } from './request-head.ts';
import { Screening, type ScreeningLog } from './screening.ts';
import type { HttpTimings } from './timings.ts';

export interface ConnectionLimits {
  total: number;
  perAddress: number;
}

export const DEFAULT_CONNECTION_LIMITS: ConnectionLimits = { total: 10_000, perAddress: 2_000 };

interface ConnectionOptions {
  log: ScreeningLog;
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
/** Requests that wait on one connection for the response to an earlier one. */
const MAX_PIPELINED_REQUESTS = 64;
const DRAIN_INTERVAL_MS = 50;
/** Without a new connection in so many turns of the event loop, none is pending. */
const ACCEPT_TURNS = 3;
const MAX_ACCEPT_MS = 2_000;

/** Requests to this path are served whatever the load. */
export const HEALTH_PATH = '/health';

interface Activity {
  /** Requests that are not answered yet. */
  requests: number;
  /** Starts the pipelined requests among them, in order. */
  waiting: (() => void)[];
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
  readonly #screening: Screening;
  /** The connections of the HTTP servers. */
  readonly #served = new Map<Socket, Activity>();
  #open = 0;
  #accepted = 0;
  #refusedConnections = 0;
  #draining = false;
  #held: (() => void)[] | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#screening = new Screening(options.log);
  }

  /** Receives the connections of the server, and passes them on to it. */
  watch(server: Server): void {
    const [serve] = server.listeners('connection') as [(socket: Socket) => void];
    server.removeListener('connection', serve);
    server.on('connection', (socket) =>
      this.#accept(socket, (accepted) => {
        this.#served.set(accepted, { requests: 0, waiting: [], bytesRead: 0, activeAt: performance.now() });
        accepted.once('close', () => this.#served.delete(accepted));
        serve.call(server, accepted);
      }),
    );
    server.prependListener('request', (request, response) => {
      const activity = this.#served.get(request.socket);
      if (!activity) return;
      activity.requests++;
      response.on('close', () => this.#endRequest(request));
    });
    this.#servers.push(server);
  }

  #endRequest({ socket, complete }: IncomingMessage): void {
    const activity = this.#served.get(socket);
    if (!activity) return;
    activity.requests--;
    activity.activeAt = performance.now();
    activity.bytesRead = socket.bytesRead;
    if (!socket.destroyed) activity.waiting.shift()?.();
    // The rest of an incomplete body belongs to the parser.
    if (complete && activity.requests === 0) this.#screenServed(socket);
  }

  /** Whether the requests before the latest one on the connection are answered. */
  isNext(socket: Socket): boolean {
    return (this.#served.get(socket)?.requests ?? 0) <= 1;
  }

  /**
   * Starts a pipelined request when the ones before it are answered: their responses would
   * otherwise all be in memory until the client reads them. Returns false if too many wait.
   */
  wait(socket: Socket, start: () => void): boolean {
    const { waiting } = this.#served.get(socket)!;
    if (waiting.length >= MAX_PIPELINED_REQUESTS) return false;
    waiting.push(start);
    return true;
  }

  get counts(): { open: number; screened: number; refusedRequests: number; refusedConnections: number } {
    return {
      open: this.#open,
      screened: this.#screening.size,
      refusedRequests: this.#screening.refused,
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
      this.#screenNew(socket, { address, exceeds, serve });
    else serve(socket);
  }

  /**
   * Screens the further requests on a connection of the HTTP server, if the service is overloaded. The
   * parser keeps the connection, but receives nothing until a request is to be served.
   */
  #screenServed(socket: Socket): void {
    const address = socket.remoteAddress;
    if (address === undefined || this.#draining || !this.#options.isScreened(address)) return;
    const parse = socket.listeners('data') as ((chunk: Buffer) => void)[];
    for (const listener of parse) socket.off('data', listener);
    this.#screening.add(socket, {
      findError: (head) => this.#options.findRefusal(head, address),
      pass: (unread) => {
        for (const listener of parse) {
          socket.on('data', listener);
          listener.call(socket, unread);
        }
      },
    });
  }

  /** Screens a new connection, before the HTTP server receives it. */
  #screenNew(
    socket: Socket,
    { address, exceeds, serve }: { address: string; exceeds: boolean; serve: Serve },
  ): void {
    const findError = (head: RequestHead) =>
      exceeds && head.path !== HEALTH_PATH
        ? errors.tooManyConnections()
        : this.#options.findRefusal(head, address);
    const destroy = () => socket.destroy();
    socket.setNoDelay(true);
    socket.setTimeout(SCREENED_IDLE_MS);
    socket.on('timeout', destroy).on('error', destroy);
    this.#screening.add(socket, {
      findError,
      closes: exceeds,
      pass: (unread) => {
        socket.off('timeout', destroy).off('error', destroy);
        socket.setTimeout(0);
        socket.pause();
        serve(socket);
        socket.unshift(unread);
        socket.resume();
      },
    });
  }

  /**
   * Closes connections that have been idle for the grace period. It begins with the last response:
   * under load a response takes longer than the grace period, and the next request may be on its
   * way.
   */
  #closeIdle(start: number, idleGraceMs: number): void {
    const now = performance.now();
    if (now - start >= idleGraceMs) this.#screening.destroyAll();
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
    this.#screening.stop();
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
    return { aborted };
  }
}
