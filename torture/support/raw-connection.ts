/**
 * An HTTP connection that sends any bytes, kept open between requests. Several times faster than
 * node:http, and able to send what that refuses.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  status: number;
  /** By lower-case name; repeated headers are joined with a comma. */
  headers: Record<string, string>;
  text: string;
}

/** Longer than the service may take for any request. */
const ANSWER_TIMEOUT_MS = 30_000;

export class ConnectionClosed extends Error {}

interface Pending {
  /** Whether the answer has no body whatever its headers say. */
  isHead: boolean;
  resolve(answer: RawAnswer): void;
  reject(error: Error): void;
}

/** Opens a connection when it is needed, and another one after the service or `close` has closed it. */
export class RawConnection {
  readonly #port: number;
  #current: Promise<Exchanges> | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /** Sends bytes and waits for one answer. `method` is that of the request. */
  async exchange(bytes: string | Buffer, method: string): Promise<RawAnswer> {
    return (await this.exchangeAll(bytes, [method]))[0]!;
  }

  /** Sends bytes that contain several requests, and waits for an answer to each. */
  async exchangeAll(bytes: string | Buffer, methods: string[]): Promise<RawAnswer[]> {
    return (await this.#open()).send(bytes, methods);
  }

  /** Sends bytes and closes the connection at once. */
  async abandon(bytes: string | Buffer): Promise<void> {
    (await this.#open()).socket.write(bytes);
    this.close();
  }

  close(): void {
    void this.#current?.then(
      ({ socket }) => socket.destroy(),
      () => {},
    );
    this.#current = undefined;
  }

  #open(): Promise<Exchanges> {
    this.#current ??= this.#connect();
    return this.#current;
  }

  async #connect(): Promise<Exchanges> {
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    const exchanges = new Exchanges(socket, () => {
      if (this.#current === opened) this.#current = undefined;
    });
    const opened = this.#current;
    return exchanges;
  }
}

/** The requests and answers of one socket. */
class Exchanges {
  readonly socket: Socket;
  readonly #onClose: () => void;
  readonly #pending: Pending[] = [];
  #received: Buffer = Buffer.alloc(0);

  constructor(socket: Socket, onClose: () => void) {
    this.socket = socket;
    this.#onClose = onClose;
    socket.setTimeout(ANSWER_TIMEOUT_MS);
    socket.on('error', () => {});
    socket.on('timeout', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
      this.#parse(false);
    });
    socket.on('close', () => {
      onClose();
      this.#parse(true);
      for (const { reject } of this.#pending.splice(0))
        reject(new ConnectionClosed('the connection was closed without an answer'));
    });
  }

  async send(bytes: string | Buffer, methods: string[]): Promise<RawAnswer[]> {
    const answers = methods.map(
      (method) =>
        new Promise<RawAnswer>((resolve, reject) =>
          this.#pending.push({ isHead: method === 'HEAD', resolve, reject }),
        ),
    );
    this.socket.write(bytes);
    const settled = await Promise.allSettled(answers);
    const failed = settled.find((each) => each.status === 'rejected');
    if (failed) throw failed.reason;
    return settled.map((each) => (each as PromiseFulfilledResult<RawAnswer>).value);
  }

  #parse(ended: boolean): void {
    while (this.#pending.length > 0) {
      const parsed = parseAnswer(this.#received, this.#pending[0]!.isHead, ended);
      if (!parsed) return;
      this.#received = this.#received.subarray(parsed.length);
      const { answer } = parsed;
      if (answer.headers.connection === 'close' || isEndless(answer)) {
        // The next request needs another connection, even before this one is closed.
        this.#onClose();
        this.socket.destroy();
      }
      this.#pending.shift()!.resolve(answer);
    }
  }
}

const isEndless = ({ headers }: RawAnswer) => headers['content-type']?.startsWith('text/event-stream');

/** Parses the first answer in the bytes; undefined if it is incomplete. */
function parseAnswer(
  bytes: Buffer,
  isHead: boolean,
  ended: boolean,
): { answer: RawAnswer; length: number } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const headers: Record<string, string> = Object.create(null);
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
  }
  const status = Number(statusLine.split(' ')[1]);
  const start = end + 4;
  const done = (text: string, length: number) => ({ answer: { status, headers, text }, length });
  if (isHead || status === 204 || status === 304 || status < 200) return done('', start);
  if (headers['transfer-encoding'] === 'chunked') return parseChunks(bytes, start, done, ended);
  const length = headers['content-length'];
  if (length === undefined) return ended ? done(bytes.toString('utf8', start), bytes.length) : undefined;
  const last = start + Number(length);
  return bytes.length < last ? undefined : done(bytes.toString('utf8', start, last), last);
}

/** An endless stream is complete with its first chunk. */
function parseChunks<T>(
  bytes: Buffer,
  start: number,
  done: (text: string, length: number) => T,
  ended: boolean,
) {
  const parts: Buffer[] = [];
  for (let at = start; ; ) {
    const eol = bytes.indexOf('\r\n', at);
    if (eol < 0) break;
    const size = Number.parseInt(bytes.toString('latin1', at, eol), 16);
    if (size === 0) {
      // An empty line ends the trailers, if there are any.
      const last = bytes.indexOf('\r\n\r\n', eol);
      if (last < 0) break;
      return done(Buffer.concat(parts).toString(), last + 4);
    }
    if (bytes.length < eol + 2 + size + 2) break;
    parts.push(bytes.subarray(eol + 2, eol + 2 + size));
    at = eol + 2 + size + 2;
    if (/content-type: text\/event-stream/i.test(bytes.toString('latin1', 0, start)))
      return done(Buffer.concat(parts).toString(), at);
  }
  return ended ? done(Buffer.concat(parts).toString(), bytes.length) : undefined;
}
