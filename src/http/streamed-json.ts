/** Sends JSON that is produced while it is sent, as fast as the client reads it. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { limitReadTime } from './server.ts';

/**
 * Sends JSON of a known length. The next part is produced when the client has taken the one before,
 * so that a slow reader occupies the memory of a few parts. The first part is awaited: if it cannot
 * be produced, the response is a problem document. A later failure closes the connection before the
 * announced length is reached, which the client notices.
 */
export async function streamJson(
  reply: FastifyReply,
  bytes: number,
  parts: AsyncGenerator<Uint8Array>,
): Promise<FastifyReply> {
  const isHead = reply.request.method === 'HEAD';
  const first = isHead ? undefined : await parts.next();
  reply.headers({ 'content-type': 'application/json; charset=utf-8', 'content-length': bytes });
  limitReadTime(reply.raw, bytes, reply.server.timings.readTimeoutMs);
  return reply.send(first ? toStream(first, parts) : Readable.from([]));
}

export function toStream(first: IteratorResult<Uint8Array>, parts: AsyncGenerator<Uint8Array>): Readable {
  let next: Promise<IteratorResult<Uint8Array>> | undefined = Promise.resolve(first);
  return new Readable({
    // Less than any part: no part is produced while another one waits to be sent.
    highWaterMark: 1,
    read() {
      const result = next ?? parts.next();
      next = undefined;
      result.then(
        ({ done, value }) => this.push(done ? null : value),
        (error) => this.destroy(error),
      );
    },
    destroy(error, done) {
      parts.return(undefined).then(
        () => done(error),
        () => done(error),
      );
    },
  });
}
