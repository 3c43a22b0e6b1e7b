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
  /** The whole problem document, for members such as `shortages`. */
  readonly document: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    body: { code?: string; detail?: string; errors?: Fault[]; [member: string]: unknown },
    retryAfter?: number,
  ) {
    super(body.detail ?? `The service responded with ${status}.`);
    this.status = status;
    this.code = body.code ?? 'unknown';
    this.faults = body.errors ?? [];
    this.retryAfter = retryAfter;
    this.document = body;
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
  file?: Blob | string | undefined;
  ifMatch?: string | undefined;
  ifNoneMatch?: string | undefined;
  /** Resumes a stream of events. */
  lastEventId?: string | undefined;
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
  token?: string | (() => Promise<string>);
  fetch?: typeof fetch;
}

export class Client {
  readonly #url: string;
  readonly #token: ClientOptions['token'];
  readonly #fetch: typeof fetch;

  constructor({ url = '', token, fetch: send = fetch.bind(globalThis) }: ClientOptions = {}) {
    this.#url = url.replace(/\/$/, '');
    this.#token = token;
    this.#fetch = send;
  }

  async request<T>(method: string, path: string, options: RequestOptions = {}): Promise<Answer<T>> {
    const response = await this.open(method, path, options);
    const content = response.status === 204 ? undefined : await readContent(response);
    return { status: response.status, body: content as T, etag: response.headers.get('etag') ?? undefined };
  }

  /** Sends a request, and returns the response before its body is read. Throws a `Problem` on failure. */
  async open(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
    const { query = {}, body, file, signal } = options;
    const headers = await this.#buildHeaders(options);
    let response: Response;
    try {
      response = await this.#fetch(`${this.#url}${path}${formatQuery(query)}`, {
        method,
        headers,
        credentials: 'same-origin',
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(file !== undefined && { body: file }),
        ...(signal && { signal }),
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new Unreachable('The service cannot be reached.', { cause: error });
    }
    if (response.ok) return response;
    const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
    const content = isJson(response) ? ((await response.json()) as Record<string, unknown>) : {};
    throw new Problem(response.status, content, Number.isNaN(retryAfter) ? undefined : retryAfter);
  }

  async #buildHeaders(options: RequestOptions): Promise<Record<string, string>> {
    const { body, file, ifMatch, ifNoneMatch, idempotencyKey, prefer, lastEventId } = options;
    const headers: Record<string, string> = { accept: 'application/json' };
    const token = typeof this.#token === 'function' ? await this.#token() : this.#token;
    if (token !== undefined) headers.authorization = `Bearer ${token}`;
    if (body !== undefined) headers['content-type'] = 'application/json';
    if (file !== undefined) headers['content-type'] = 'application/octet-stream';
    if (ifMatch !== undefined) headers['if-match'] = ifMatch;
    if (ifNoneMatch !== undefined) headers['if-none-match'] = ifNoneMatch;
    if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
    if (prefer !== undefined) headers.prefer = prefer;
    if (lastEventId !== undefined) headers['last-event-id'] = lastEventId;
    return headers;
  }

  async get<T>(path: string, query?: Record<string, QueryValue>, signal?: AbortSignal): Promise<T> {
    return (await this.request<T>('GET', path, { ...(query && { query }), ...(signal && { signal }) })).body;
  }

  async post<T>(path: string, body?: unknown, options: RequestOptions = {}): Promise<T> {
    return (await this.request<T>('POST', path, { ...options, body })).body;
  }
}

const isJson = ({ headers }: Response): boolean => headers.get('content-type')?.includes('json') ?? false;

/** JSON is parsed, and a text is returned as it is. */
const readContent = (response: Response): Promise<unknown> =>
  isJson(response) ? response.json() : response.text();

function formatQuery(query: Record<string, QueryValue>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((each) => [name, String(each)]),
  );
  return pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : '';
}
