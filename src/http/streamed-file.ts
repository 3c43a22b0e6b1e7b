/** Sends a file of unknown length that is produced while it is sent. */
import type { FastifyReply } from 'fastify';
import { limitReadTime } from './server.ts';
import { toStream } from './streamed-json.ts';

/**
 * Sends the parts of a file as fast as the client reads them. The first part is awaited: if it cannot
 * be produced, the response is a problem document. A later failure closes the connection before the
 * last chunk, which the client notices.
 */
export async function streamFile(
  reply: FastifyReply,
  parts: AsyncGenerator<Uint8Array>,
): Promise<FastifyReply> {
  const first = await parts.next();
  limitReadTime(reply.raw, Number.POSITIVE_INFINITY, reply.server.timings.readTimeoutMs);
  return reply.send(toStream(first, parts));
}
