import type { ReadItem } from '../format.ts';

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

/** The items of a file. A file without any gets a notice, so that nothing is not a success. */
export const toItems = (batches: AsyncGenerator<ReadItem[], void, undefined>): AsyncIterable<ReadItem> =>
  flatten(reportEmpty(batches));

async function* reportEmpty(batches: AsyncGenerator<ReadItem[], void, undefined>) {
  let isEmpty = true;
  let line = 1;
  for await (const batch of batches) {
    isEmpty &&= batch.every(({ kind }) => kind === 'notice' || kind === 'header');
    line = batch.at(-1)?.value.position.line ?? line;
    yield batch;
  }
  if (!isEmpty) return;
  const detail = 'The file has no questions.';
  const notice: ReadItem = { kind: 'notice', value: { code: 'no_questions', detail, position: { line } } };
  yield [notice];
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
