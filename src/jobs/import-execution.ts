/** Executes an import: a thread reads its file, and each batch is stored by one short write. */
import { setTimeout as sleep } from 'node:timers/promises';
import { errors } from '../errors.ts';
import { type ChangeState, isActive } from '../store/changes/queue.ts';
import { ConstraintViolation, type Engine } from '../store/db.ts';
import { advanceImport, type ImportAdvance } from '../store/imports/advance.ts';
import { discardChunks, readImport } from '../store/imports/imports.ts';
import type { Message } from '../transfer/import-messages.ts';
import type { ImportReader, ImportReaders } from '../transfer/import-reader.ts';

/** Makes a batch a large write, which gives way to short ones (engines/write-queue.ts). */
const BATCH_WRITE_BYTES = 256 * 1024;
/** A concurrent write can take an `external_id` or the name of a category between check and insert. */
const MAX_ATTEMPTS = 3;

interface Options {
  engine: Engine;
  readers: ImportReaders;
  id: string;
  lease: string;
  leaseMs: number;
  renewIntervalMs: number;
}

export class ImportExecution {
  readonly #options: Options;
  readonly #file: Awaited<ReturnType<typeof readImport>>;
  #reader: { thread: ImportReader; phase: string; position: number } | undefined;
  #message: Promise<Message> | undefined;

  private constructor(options: Options, file: Awaited<ReturnType<typeof readImport>>) {
    this.#options = options;
    this.#file = file;
  }

  static async open(options: Options): Promise<ImportExecution> {
    return new ImportExecution(options, await readImport(options.engine.db, options.id));
  }

  /** Stores the next batch, or renews the lease while it is being read. */
  async advance(state: ChangeState): Promise<ChangeState | undefined> {
    const reader = await this.#openReader(state);
    this.#message ??= reader.thread.next().catch(
      (error: Error): Message => ({
        kind: 'failed',
        unavailable: false,
        message: error.message,
      }),
    );
    const message = await Promise.race([
      this.#message,
      sleep(this.#options.renewIntervalMs, undefined, { ref: false }),
    ]);
    if (!message) return this.#write(state, {});
    this.#message = undefined;
    if (message.kind === 'batch') {
      reader.position = message.batch.next;
      return this.#write(state, { batch: message.batch });
    }
    if (message.kind === 'unreadable') {
      const { code, detail } = message;
      return this.#write(state, { failure: { code, detail } });
    }
    if (message.unavailable) throw errors.unavailable('The file of the import cannot be read now.');
    const detail = 'The file cannot be read: it takes too much memory, or an internal error occurred.';
    return this.#write(state, { failure: { code: 'reading_failed', detail } });
  }

  /** The thread that reads from where the import stands. */
  async #openReader({ phase, position }: ChangeState) {
    if (this.#reader?.phase === phase && this.#reader.position === position) return this.#reader;
    await this.#closeReader();
    const { engine, readers, id } = this.#options;
    const thread = readers.acquire();
    thread.open({ reader: engine.reader, id, ...this.#file, from: position });
    this.#reader = { thread, phase, position };
    return this.#reader;
  }

  async #closeReader(): Promise<void> {
    const [reader, message] = [this.#reader, this.#message];
    this.#reader = undefined;
    this.#message = undefined;
    if (reader) await this.#options.readers.release(reader.thread);
    await message;
  }

  async #write(
    state: ChangeState,
    done: Pick<ImportAdvance, 'batch' | 'failure'>,
  ): Promise<ChangeState | undefined> {
    const { engine, id, lease, leaseMs } = this.#options;
    const { options } = this.#file;
    const { phase, position } = state;
    const advance = { id, lease, durationMs: leaseMs, options, from: { phase, position }, ...done };
    for (let attempt = 1; ; attempt++) {
      try {
        return await engine.write(advanceImport, advance, { bytes: BATCH_WRITE_BYTES });
      } catch (error) {
        if (!(error instanceof ConstraintViolation) || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  /** The file is deleted once the import has ended. */
  async close(): Promise<void> {
    const { engine, id } = this.#options;
    await this.#closeReader();
    if (await isActive(engine.db, id)) return;
    while ((await engine.write(discardChunks, { id })) > 0);
  }
}
