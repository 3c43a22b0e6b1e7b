/**
 * The main module of a thread that reads the files of imports, one at a time: parsing them does not
 * delay requests, and its memory is limited. It sends a batch for each `next` it receives.
 */
import { parentPort } from 'node:worker_threads';
import { openReader } from '../engines/index.ts';
import { isUnavailable } from '../errors.ts';
import { UnreadableFile } from '../formats/format.ts';
import { readChunks } from '../store/imports/imports.ts';
import type { AnyImportItem, ImportBatch } from '../store/imports/items.ts';
import type { ImportOptions, ResponseImportOptions } from '../store/imports/row.ts';
import { readBatches } from './import-items.ts';
import type { ImportFileSpec, Message, Request } from './import-messages.ts';
import { readResponseBatches } from './response-items.ts';

let batches: AsyncGenerator<ImportBatch<AnyImportItem>> | undefined;

const send = (message: Message) => parentPort!.postMessage(message);

async function* readFile({ reader: spec, id, kind, format, options, from }: ImportFileSpec) {
  const { db, close } = await openReader(spec);
  try {
    const stream = () => readChunks(db, id);
    const file = { source: { stream }, format, from };
    if (kind === 'responses')
      yield* readResponseBatches({ ...file, options: options as ResponseImportOptions });
    else yield* readBatches({ ...file, options: options as ImportOptions });
  } finally {
    await close();
  }
}

async function sendNext(): Promise<void> {
  try {
    const { done, value } = await batches!.next();
    if (!done) send({ kind: 'batch', batch: value });
  } catch (error) {
    if (error instanceof UnreadableFile) {
      const { code, detail, position } = error;
      send({ kind: 'unreadable', code, detail: `${detail} (Line ${position.line}.)` });
      return;
    }
    // The message of another error may quote a question.
    send({ kind: 'failed', unavailable: isUnavailable(error), message: (error as Error).name });
  }
}

// Requests are carried out in order: a file is closed before the next is opened.
let last: Promise<unknown> = Promise.resolve();
parentPort!.on('message', (request: Request) => {
  last = last.then(async () => {
    if (request === 'next') return sendNext();
    await batches?.return(undefined).catch(() => {});
    batches = request === 'close' ? undefined : readFile(request.open);
  });
});
