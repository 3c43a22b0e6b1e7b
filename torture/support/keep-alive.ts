/** One HTTP/1.1 connection that sends requests in sequence, and notices how it is closed. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface HttpRequest {
  method: string;
  path: string;
  token: string;
  body?: string;
  key?: string;
  /** Pauses for this long within the body. */
  pauseMs?: number;
}

export type Outcome =
  | { kind: 'answer'; status: number; body: string }
  /** Closed before the request was sent in full. */
  | { kind: 'cut' }
  /** Closed after the request was sent in full, with this many bytes of its answer. */
  | { kind: 'dropped'; bytes: number };

export class KeepAliveConnection {
  /** Whether the last answer announced that the connection closes. */
  announced = false;
  answers = 0;
  readonly openedAt = performance.now();
  readonly #socket: Socket;
  #received = '';
  #wake = () => {};

  /** Returns undefined if the connection is refused. */
  static async open(port: number): Promise<KeepAliveConnection | undefined> {
    const socket = connect(port, '127.0.0.1').setNoDelay();
    try {
      await once(socket, 'connect');
      return new KeepAliveConnection(socket);
    } catch {
      return undefined;
    }
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1').on('data', (text) => {
      this.#received += text;
      this.#wake();
    });
    socket.on('error', () => {}).on('close', () => this.#wake());
  }

  get closed(): boolean {
    return this.#socket.closed || this.#socket.readableEnded;
  }

  close(): void {
    this.#socket.destroy();
  }

  async send({ method, path, token, body = '', key, pauseMs = 0 }: HttpRequest): Promise<Outcome> {
    const head = [
      `${method} ${path} HTTP/1.1`,
      'Host: 127.0.0.1',
      `Authorization: Bearer ${token}`,
      ...(body && ['Content-Type: application/json', `Content-Length: ${body.length}`]),
      ...(key ? [`Idempotency-Key: ${key}`] : []),
    ].join('\r\n');
    const half = pauseMs > 0 ? body.length >> 1 : body.length;
    this.#received = '';
    this.#socket.write(`${head}\r\n\r\n${body.slice(0, half)}`);
    if (half < body.length) {
      await sleep(pauseMs);
      if (this.closed) return { kind: 'cut' };
      this.#socket.write(body.slice(half));
    }
    return this.#receive();
  }

  async #receive(): Promise<Outcome> {
    for (;;) {
      const [head = '', body] = this.#received.split(/\r\n\r\n(.*)/s);
      const length = /^content-length: (\d+)$/im.exec(head)?.[1];
      if (body !== undefined && body.length >= Number(length ?? 0)) {
        this.announced = /^connection: close$/im.test(head);
        this.answers++;
        return { kind: 'answer', status: Number(head.split(' ', 2)[1]), body };
      }
      if (this.closed) return { kind: 'dropped', bytes: this.#received.length };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
