/**
 * A client of the API whose requests and results have types. Operations are named as in the OpenAPI
 * document: `bank.call('POST /draws', { body: { count: 5 } })`.
 */
import { AccessTokens, type Credentials } from './access-tokens.ts';
import type { Operations } from './api-operations.ts';
import { readEvents, type StreamEvent } from './event-stream.ts';
import { type Answer, Client, Problem, type RequestOptions, Unreachable } from './request.ts';

export interface QuaestorOptions {
  /** The address of the service, such as `https://quaestor.example`; empty for the origin of the page. */
  url?: string;
  /** A key, an access token or a token for draws. */
  token?: string;
  /** A client id and its secret, instead of a token: access tokens are requested and renewed. */
  credentials?: Credentials;
  /** How often a request is repeated if it may succeed then. Default: 3. */
  maxRetries?: number;
  /** A longer Retry-After is not waited for. In milliseconds; default: a minute. */
  maxDelayMs?: number;
  fetch?: typeof fetch;
}

export type OperationName = keyof Operations;

type Input<K extends OperationName> = Operations[K]['in'];
export type Result<K extends OperationName> = Operations[K]['out'];
export type CallOptions = Pick<
  RequestOptions,
  'ifMatch' | 'ifNoneMatch' | 'idempotencyKey' | 'prefer' | 'signal'
>;
/** The options may be left out if the operation requires nothing. */
type Arguments<K extends OperationName> =
  object extends Input<K> ? [options?: Input<K> & CallOptions] : [options: Input<K> & CallOptions];

/** Operations that list items in pages. */
export type ListName = {
  [K in OperationName]: Result<K> extends { data: readonly unknown[]; pagination: object } ? K : never;
}[OperationName];
export type Item<K extends ListName> = Result<K> extends { data: readonly (infer I)[] } ? I : never;

interface Parts {
  path?: Record<string, string>;
  query?: RequestOptions['query'];
  body?: unknown;
  file?: Blob | string;
}

const BACKOFF_MS = 250;
const DEFAULT_RECONNECT_MS = 2_000;

export class Quaestor {
  readonly #client: Client;
  readonly #tokens: AccessTokens | undefined;
  readonly #maxRetries: number;
  readonly #maxDelayMs: number;
  /** The token of the latest request, to be discarded if it is refused. */
  #token = '';

  constructor({
    url = '',
    token,
    credentials,
    fetch,
    maxRetries = 3,
    maxDelayMs = 60_000,
  }: QuaestorOptions = {}) {
    this.#maxRetries = maxRetries;
    this.#maxDelayMs = maxDelayMs;
    this.#tokens = credentials && new AccessTokens(credentials, { url, fetch });
    const given = this.#tokens ? () => this.#getToken() : token;
    this.#client = new Client({
      url,
      ...(given !== undefined && { token: given }),
      ...(fetch && { fetch }),
    });
  }

  /** Calls an operation, and returns the body of the response. Throws a `Problem` if it fails. */
  async call<K extends OperationName>(name: K, ...args: Arguments<K>): Promise<Result<K>> {
    return (await this.send(name, ...args)).body;
  }

  /** Calls an operation, and returns the status, the body and the ETag. */
  async send<K extends OperationName>(name: K, ...[options = {}]: Arguments<K>): Promise<Answer<Result<K>>> {
    const { path, ...rest } = options as Parts & CallOptions;
    const [method, template] = name.split(' ') as [string, string];
    const idempotencyKey = rest.idempotencyKey ?? (method === 'POST' ? generateKey() : undefined);
    const request = { ...rest, ...(idempotencyKey !== undefined && { idempotencyKey }) };
    // A repeated change with If-Match would be refused because of the first.
    const isRepeatable = rest.ifMatch === undefined;
    return this.#retry(isRepeatable, rest.signal, () =>
      this.#client.request(method, fillPath(template, path), request),
    );
  }

  /** Yields the items of a list, page by page. */
  async *pages<K extends ListName>(name: K, ...[options = {}]: Arguments<K>): AsyncGenerator<Item<K>> {
    let query = { ...(options as Parts).query };
    for (;;) {
      const page = (await this.call(name, ...([{ ...options, query }] as unknown as Arguments<K>))) as Page;
      yield* page.data as Item<K>[];
      const { has_more, next_cursor, offset } = page.pagination;
      if (!has_more) return;
      const { offset: _, ...filters } = query;
      query = next_cursor
        ? { ...filters, cursor: next_cursor, ...(page.seed !== undefined && { seed: page.seed }) }
        : { ...filters, offset: offset + page.data.length };
    }
  }

  /**
   * Yields events as they happen. Reconnects when the connection is lost, and resumes after the last
   * event. Ends when the signal is aborted.
   */
  async *events(options: { lastEventId?: string; signal?: AbortSignal } = {}): AsyncGenerator<StreamEvent> {
    const { signal } = options;
    let { lastEventId } = options;
    let delayMs = DEFAULT_RECONNECT_MS;
    while (!signal?.aborted) {
      try {
        const stream = await this.#retry(true, signal, () =>
          this.#client.open('GET', '/events', { lastEventId, ...(signal && { signal }) }),
        );
        for await (const event of readEvents(stream.body!, (ms) => (delayMs = ms))) {
          lastEventId = event.id;
          yield event;
        }
      } catch (error) {
        if (signal?.aborted) return;
        if (error instanceof Problem && error.status < 500 && error.status !== 429) throw error;
      }
      await sleep(delayMs, signal);
    }
  }

  async #retry<T>(
    isRepeatable: boolean,
    signal: AbortSignal | undefined,
    send: () => Promise<T>,
  ): Promise<T> {
    let hasRenewed = false;
    for (let retries = 0; ; ) {
      try {
        return await send();
      } catch (error) {
        if (error instanceof Problem && error.status === 401 && this.#tokens && !hasRenewed) {
          this.#tokens.discard(this.#token);
          hasRenewed = true;
          continue;
        }
        const delayMs = getDelayMs(error, retries, isRepeatable);
        if (delayMs === undefined || delayMs > this.#maxDelayMs || retries++ >= this.#maxRetries) throw error;
        await sleep(delayMs, signal);
      }
    }
  }

  async #getToken(): Promise<string> {
    this.#token = await this.#tokens!.get();
    return this.#token;
  }
}

interface Page {
  data: unknown[];
  pagination: { has_more: boolean; next_cursor?: string | null; offset: number };
  /** Of a random order. */
  seed?: string;
}

/** How long to wait before a request is repeated; undefined if it is not. */
function getDelayMs(error: unknown, retries: number, isRepeatable: boolean): number | undefined {
  const backoffMs = BACKOFF_MS * 2 ** retries;
  if (error instanceof Unreachable) return isRepeatable ? backoffMs : undefined;
  if (!(error instanceof Problem)) return undefined;
  const { status, retryAfter } = error;
  // Of these, the service says when the request may succeed.
  if (status === 429 || status === 409) return retryAfter === undefined ? undefined : retryAfter * 1000;
  if (![502, 503, 504].includes(status) || !isRepeatable) return undefined;
  return retryAfter === undefined ? backoffMs : retryAfter * 1000;
}

function fillPath(template: string, path: Record<string, string> = {}): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));
}

/** `crypto.randomUUID` exists in secure contexts only. */
const generateKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

/** Ends early if the signal is aborted; what follows fails then. */
function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
  });
}
