/** Sends bytes on a connection, for tests of what no HTTP client sends. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Bytes, or a function that returns them and is given what was received so far. */
type Piece = string | Buffer | ((received: () => string) => Promise<string>);

interface ExchangeOptions {
  /** Gives up after this time. */
  maxMs?: number;
  /** The pause between two pieces. */
  pauseMs?: number;
  /** Ends the exchange when the response matches. */
  until?: RegExp;
}

/**
 * Sends the pieces on one connection; returns the data received until the server closes it or the
 * time is over.
 */
export function exchange(
  port: number,
  pieces: Piece[],
  { maxMs = 30_000, pauseMs = 0, until }: ExchangeOptions = {},
) {
  return new Promise<{ text: string; closed: boolean }>((done) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const finish = (closed: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      done({ text, closed });
    };
    const timer = setTimeout(() => finish(false), maxMs);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (until?.test(text)) finish(false);
    });
    socket.on('close', () => finish(true));
    socket.on('error', () => {});
    socket.on('connect', async () => {
      for (const piece of pieces) {
        if (socket.destroyed) return;
        socket.write(typeof piece === 'function' ? await piece(() => text) : piece);
        if (pauseMs > 0) await sleep(pauseMs);
      }
    });
  });
}
