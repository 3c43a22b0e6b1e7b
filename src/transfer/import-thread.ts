/**
 * The main module of a thread that reads the file of an import: parsing it does not delay requests,
 * and its memory is limited. It sends a batch for each message it receives.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { openReader } from '../engines/index.ts';
import { isUnavailable } from '../errors.ts';
import { UnreadableFile } from '../formats/format.ts';
import { readChunks } from '../store/imports/imports.ts';
import { readBatches } from './import-items.ts';
import type { Message, ThreadData } from './import-messages.ts';

const { reader: spec, id, format, options, from }: ThreadData = workerData;

const send = (message: Message) => parentPort!.postMessage(message);

const opened = openReader(spec);
async function* readFile() {
  yield* readChunks((await opened).db, id);
}
const batches = readBatches({ source: { stream: readFile }, format, options, from });

parentPort!.on('message', async () => {
  try {
    const { done, value } = await batches.next();
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
});
