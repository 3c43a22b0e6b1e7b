/**
 * Requests to the API, for browsers and Node. A response that is a problem document (RFC 9457)
 * throws a `Problem`.
 */
export interface Fault {
  pointer: string;
  code: string;
  detail: string;
  [member: string]: unknown;
}

export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly faults: readonly Fault[];
  /** Seconds until a repetition may succeed; undefined if the service does not say. */
  readonly retryAfter: number | undefined;

  constructor(
    status: number,
    body: { code?: string; detail?: string; errors?: Fault[] },
    retryAfter?: number,
  ) {
    super(body.detail ?? `The service responded with ${status}.`);
    this.status = status;
    this.code = body.code ?? 'unknown';
    this.faults = body.errors ?? [];
    this.retryAfter = retryAfter;
  }
}

/** The service could not be reached. */
export class Unreachable extends Error {}

export type QueryValue = string | number | boolean | readonly (string | number)[] | undefined;

export interface RequestOptions {
  query?: Record<string, QueryValue>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is, instead of a body. */
  file?: Blob;
  ifMatch?: string | undefined;
  idempotencyKey?: string;
  /** Whether to wait for a result (RFC 7240). */
  prefer?: string;
  signal?: AbortSignal;
}

export interface Answer<T> {
  status: number;
  body: T;
  etag: string | undefined;
}

export interface ClientOptions {
  /** The origin of the service; empty for the origin of the page. */
  url?: string;
  /** Sent as a bearer token. In a browser, the session cookie is sent instead. */
  token?: string;
  fetch?: typeof fetch;
}

export class Client {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #fetch: typeof fetch;

  constructor({ url = '', token, fetch: send = fetch.bind(globalThis) }: ClientOptions = {}) {
    this.#url = url.replace(/\/$/, '');
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    this.#fetch = send;
  }

  async request<T>(method: string, path: string, options: RequestOptions = {}): Promise<Answer<T>> {
    const { query = {}, body, file, ifMatch, idempotencyKey, prefer, signal } = options;
    const headers: Record<string, string> = { accept: 'application/json', ...this.#headers };
    if (body !== undefined) headers['content-type'] = 'application/json';
    if (file) headers['content-type'] = 'application/octet-stream';
    if (ifMatch !== undefined) headers['if-match'] = ifMatch;
    if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
    if (prefer !== undefined) headers.prefer = prefer;
    let response: Response;
    try {
      response = await this.#fetch(`${this.#url}${path}${formatQuery(query)}`, {
        method,
        headers,
        credentials: 'same-origin',
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(file && { body: file }),
        ...(signal && { signal }),
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new Unreachable('The service cannot be reached.', { cause: error });
    }
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    const content = isJson ? await response.json() : undefined;
    if (!response.ok) {
      const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
      throw new Problem(response.status, content ?? {}, Number.isNaN(retryAfter) ? undefined : retryAfter);
    }
    return { status: response.status, body: content as T, etag: response.headers.get('etag') ?? undefined };
  }

  async get<T>(path: string, query?: Record<string, QueryValue>, signal?: AbortSignal): Promise<T> {
    return (await this.request<T>('GET', path, { ...(query && { query }), ...(signal && { signal }) })).body;
  }

  async post<T>(path: string, body?: unknown, options: RequestOptions = {}): Promise<T> {
    return (await this.request<T>('POST', path, { ...options, body })).body;
  }
}

function formatQuery(query: Record<string, QueryValue>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((each) => [name, String(each)]),
  );
  return pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : '';
}
