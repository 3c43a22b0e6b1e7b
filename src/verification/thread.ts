/**
 * Verifies a bank while the service runs: the structure of the files, then every row. Works a fifth
 * of the time, so that requests and the disk have the rest.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { openReader } from '../engines/index.ts';
import { verifyRows } from '../store/verify/rows.ts';
import type { Message, ThreadData } from './messages.ts';

const REST_PER_WORK = 4;

const send = (message: Message) => parentPort!.postMessage(message);

async function verify(): Promise<void> {
  const { db, close } = await openReader((workerData as ThreadData).reader);
  try {
    for (const { warning } of await db.all<{ warning: string }>(db.dialect.storageWarnings))
      send({ kind: 'warning', warning });
    const faults = await db.all<{ fault: string }>(db.dialect.structureFaults);
    send({ kind: 'rows', rows: 0, damage: faults.map(({ fault }) => `database file: ${fault}`) });
    let start = performance.now();
    for await (const { rows, damage } of verifyRows(db)) {
      send({ kind: 'rows', rows, damage });
      await sleep(REST_PER_WORK * (performance.now() - start));
      start = performance.now();
    }
  } finally {
    await close();
  }
}

verify().catch((error) => send({ kind: 'failed', message: error.message }));
