/**
 * Iterates over the elements of batches. An async generator costs several turns of the microtask
 * queue for each element, which would be most of the time of a fast reader.
 */
export function flatten<T>(batches: AsyncGenerator<readonly T[], void, undefined>): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      let batch: readonly T[] = [];
      let index = 0;
      const refill = async (): Promise<IteratorResult<T, undefined>> => {
        do {
          const next = await batches.next();
          if (next.done) return { value: undefined, done: true };
          [batch, index] = [next.value, 0];
        } while (batch.length === 0);
        return { value: batch[index++]!, done: false };
      };
      return {
        next: () =>
          index < batch.length ? Promise.resolve({ value: batch[index++]!, done: false }) : refill(),
        return: async () => {
          await batches.return();
          return { value: undefined, done: true };
        },
      };
    },
  };
}

const CHUNK_CHARS = 64 * 1024;

/** Encodes texts in UTF-8, joined to chunks of some size. */
export async function* encodeTexts(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  let pending = '';
  for await (const text of texts) {
    pending += text;
    if (pending.length < CHUNK_CHARS) continue;
    yield Buffer.from(pending);
    pending = '';
  }
  if (pending !== '') yield Buffer.from(pending);
}
