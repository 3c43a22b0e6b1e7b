/**
 * The bank that `import` and `export` work on: that of a running service, through its API, or a data
 * folder or database, through the same functions as the service.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { openEngine } from '../engines/index.ts';
import { detectFormat, HEAD_BYTES } from '../formats/index.ts';
import { parseQuery } from '../http/query.ts';
import { ChangeRunner } from '../jobs/change-runner.ts';
import { type ExportFormat, ExportQuery } from '../schemas/transfer.ts';
import { cancelChange, getChange, undoChange } from '../store/changes/changes.ts';
import type { Engine } from '../store/db.ts';
import { createImport, getImport, readRejects, storeChunk } from '../store/imports/imports.ts';
import { CHUNK_BYTES, type ImportOptions, type PresentedImport } from '../store/imports/row.ts';
import { selectExport } from '../store/questions/export.ts';
import { writeExport } from '../transfer/export.ts';
import { writeRejects } from '../transfer/rejects.ts';
import { UsageError } from './command.ts';

interface ImportRequest {
  format: string | undefined;
  file_name: string | undefined;
  options: ImportOptions;
}

interface Losses {
  code: string;
  count: number;
}

export interface Bank {
  /** Starts an import; returns its id. */
  startImport(file: Readable, request: ImportRequest): Promise<string>;
  getImport(id: string): Promise<PresentedImport>;
  readRejects(id: string): Promise<AsyncIterable<Uint8Array>>;
  /** Cancels an import and undoes what it has stored. */
  revertImport(id: string): Promise<void>;
  /** Writes the questions of a filter, which is a query string of GET /questions. */
  exportFile(
    format: ExportFormat,
    filter: string,
    write: (chunks: AsyncIterable<Uint8Array>) => Promise<void>,
  ): Promise<Losses[]>;
  close(): Promise<void>;
}

export interface BankSettings {
  url: string | undefined;
  key: string | undefined;
  dataDir: string;
  databaseUrl: string | undefined;
}

export async function openBank(
  { url, key, dataDir, databaseUrl }: BankSettings,
  access: 'read' | 'write',
): Promise<Bank> {
  if (url !== undefined) return new RemoteBank(url, key);
  const mode = access === 'read' ? 'admin' : 'serve';
  return new LocalBank(await openEngine({ dataDir, databaseUrl, mode }));
}

const POLL_MS = 100;

/** Waits until a change has ended. */
async function waitForEnd(read: () => Promise<{ status: string }>): Promise<void> {
  while (['queued', 'running'].includes((await read()).status)) await sleep(POLL_MS);
}

class LocalBank implements Bank {
  readonly #engine: Engine;
  readonly #runners: ChangeRunner[] = [];

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  #startRunner(of: 'imports' | 'others'): void {
    const silent = { info: () => {}, warn: () => {}, error: () => {} };
    const runner = new ChangeRunner({ engine: this.#engine, of, log: silent });
    this.#runners.push(runner);
    runner.start();
  }

  async startImport(file: Readable, { format, file_name, options }: ImportRequest): Promise<string> {
    const id = randomUUID();
    let n = 0;
    let bytes = 0;
    let found = format;
    const store = async (data: Uint8Array) => {
      if (n === 0) found ??= (await detectFormat(data.subarray(0, HEAD_BYTES), file_name))?.name;
      bytes += data.length;
      await this.#engine.write(storeChunk, { import_id: id, n: n++, data }, { bytes: data.length });
    };
    let pending = Buffer.alloc(0);
    for await (const part of file as AsyncIterable<Buffer>) {
      pending = Buffer.concat([pending, part]);
      if (pending.length < CHUNK_BYTES) continue;
      await store(pending);
      pending = Buffer.alloc(0);
    }
    if (pending.length > 0) await store(pending);
    if (found === undefined)
      throw new UsageError('The format of the file is not recognised. Name it with --format.');
    const by = { client: 'admin', key: null };
    const request = {
      id,
      kind: 'questions',
      by,
      format: found,
      file_name: file_name ?? null,
      bytes,
      options,
    } as const;
    await this.#engine.write(createImport, request);
    this.#startRunner('imports');
    return id;
  }

  getImport(id: string): Promise<PresentedImport> {
    return getImport(this.#engine.db, id);
  }

  async readRejects(id: string): Promise<AsyncIterable<Uint8Array>> {
    const { format, head, items } = await readRejects(this.#engine.db, id);
    return writeRejects(format, head, items);
  }

  async revertImport(id: string): Promise<void> {
    await this.#engine.write(cancelChange, { id });
    const by = { client: 'admin', key: null };
    const undo = await this.#engine.write(undoChange, { id, by, mayWriteCategories: true });
    this.#startRunner('others');
    await waitForEnd(() => getChange(this.#engine.db, undo.id));
  }

  async exportFile(
    format: ExportFormat,
    filter: string,
    write: (chunks: AsyncIterable<Uint8Array>) => Promise<void>,
  ): Promise<Losses[]> {
    const { sort = 'created_at', ...given } = parseQuery(ExportQuery, filter) as ExportQuery;
    const selection = await this.#engine.search(selectExport, {
      filter: { ...given, visibility: 'all' },
      order: sort.endsWith('updated_at') ? 'updated' : 'created',
      descending: sort.startsWith('-'),
    });
    const { chunks, losses } = await writeExport(this.#engine.db, selection, format);
    await write(chunks);
    return losses.list();
  }

  async close(): Promise<void> {
    await Promise.all(this.#runners.map((runner) => runner.stop()));
    await this.#engine.close();
  }
}

class RemoteBank implements Bank {
  readonly #url: string;
  readonly #key: string;

  constructor(url: string, key: string | undefined) {
    if (!URL.canParse(url)) throw new UsageError('--url must be an address such as http://127.0.0.1:3000.');
    if (!key) throw new UsageError('Set QUAESTOR_KEY to a key of the service.');
    this.#url = url.replace(/\/+$/, '');
    this.#key = key;
  }

  /** Sends a request; a problem document is an error. */
  async #send(method: string, path: string, body?: Readable): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const send = this.#url.startsWith('https:') ? requestHttps : requestHttp;
    const headers = {
      authorization: `Bearer ${this.#key}`,
      ...(body && { 'content-type': 'application/octet-stream' }),
    };
    const request = send(this.#url + path, { method, headers }, resolve);
    request.once('error', reject);
    if (body) body.once('error', (error) => request.destroy(error)).pipe(request);
    else request.end();
    const response = await promise.catch((error: Error) => {
      throw new UsageError(
        `${this.#url} cannot be reached: ${error.message || (error as NodeJS.ErrnoException).code}.`,
      );
    });
    if (response.statusCode! < 300) return response;
    const text = Buffer.concat(await response.toArray()).toString();
    throw new UsageError(describeProblem(text) ?? `${this.#url} responded with ${response.statusCode}.`);
  }

  async #read<T>(method: string, path: string, body?: Readable): Promise<T> {
    const response = await this.#send(method, path, body);
    return JSON.parse(Buffer.concat(await response.toArray()).toString()) as T;
  }

  async startImport(file: Readable, { format, file_name, options }: ImportRequest): Promise<string> {
    const { category_map, ...given } = options;
    const values = {
      format,
      file_name,
      ...given,
      category_map: category_map && JSON.stringify(category_map),
    };
    const pairs = Object.entries(values).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    );
    return (await this.#read<PresentedImport>('POST', `/imports?${new URLSearchParams(pairs)}`, file)).id;
  }

  getImport(id: string): Promise<PresentedImport> {
    return this.#read('GET', `/imports/${id}`);
  }

  readRejects(id: string): Promise<AsyncIterable<Uint8Array>> {
    return this.#send('GET', `/imports/${id}/rejects`);
  }

  async revertImport(id: string): Promise<void> {
    await this.#read('POST', `/changes/${id}/cancel`);
    const undo = await this.#read<{ id: string }>('POST', `/changes/${id}/undo`);
    await waitForEnd(() => this.#read('GET', `/changes/${undo.id}`));
  }

  async exportFile(
    format: ExportFormat,
    filter: string,
    write: (chunks: AsyncIterable<Uint8Array>) => Promise<void>,
  ): Promise<Losses[]> {
    const query = [`format=${format}`, filter].filter(Boolean).join('&');
    const response = await this.#send('GET', `/questions/export?${query}`);
    await write(response);
    const losses = response.trailers['export-losses']?.split(', ').filter(Boolean) ?? [];
    return losses.map((entry) => {
      const [code = '', count] = entry.split('=');
      return { code, count: Number(count) };
    });
  }

  async close(): Promise<void> {}
}

function describeProblem(text: string): string | undefined {
  try {
    const { detail, errors = [] } = JSON.parse(text) as {
      detail: string;
      errors?: { pointer: string; detail: string }[];
    };
    return [detail, ...errors.map((fault) => `${fault.pointer.slice(1)} ${fault.detail}.`)].join('\n');
  } catch {
    return undefined;
  }
}
