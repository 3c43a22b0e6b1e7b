/** Limits the memory and the time that large pages take from other requests. */
import { finished } from 'node:stream/promises';
import type { FastifyReply } from 'fastify';
import { Semaphore } from '../concurrency/semaphore.ts';
import { errors } from '../errors.ts';
import { MAX_WHOLE_PAGE_BYTES } from '../store/page-bytes.ts';

/** Large pages that are in memory at once. */
const MAX_PAGES = 6;
/** Parts of pages that are read at once. */
const MAX_PART_READS = 2;

/** A page that has been read. */
interface ReadPage {
  /** Whether the page ends because of its length in bytes. */
  cut: boolean;
  send(): FastifyReply;
}

export class LargePages {
  readonly #permits = new Semaphore({
    permits: MAX_PAGES,
    maxWaiting: 0,
    refusal: errors.overloaded,
  });
  readonly #partReads = new Semaphore({ permits: MAX_PART_READS });

  /** Yields the parts. Those of all pages are read in turn, a few at a time. */
  async *inTurn<T>(parts: AsyncGenerator<T>): AsyncGenerator<T> {
    try {
      for (;;) {
        const { done, value } = await this.#partReads.run(() => parts.next());
        if (done) return;
        yield value;
      }
    } finally {
      await parts.return(undefined);
    }
  }

  /**
   * Sends a page whose items cannot be read while they are sent, because they may change meanwhile.
   * One that is not complete within `MAX_WHOLE_PAGE_BYTES` is read again, with a permit that is held
   * until the client has received it.
   */
  async send(
    reply: FastifyReply,
    maxBytes: number,
    read: (maxBytes: number) => Promise<ReadPage>,
  ): Promise<FastifyReply> {
    const page = await read(Math.min(MAX_WHOLE_PAGE_BYTES, maxBytes));
    if (!page.cut || maxBytes <= MAX_WHOLE_PAGE_BYTES) return page.send();
    await this.#permits.run(async () => {
      const large = await read(maxBytes);
      large.send();
      // Also if the client has closed the connection.
      await finished(reply.raw).catch(() => {});
    });
    return reply;
  }
}
