/** The service as a process that is killed and started again, with one token and one HTTP agent. */
import { once } from 'node:events';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ADMIN_SECRET, spawnService } from '../../test/support/process.ts';
import type { Json } from '../../test/support/requests.ts';

export interface Reply {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: Json;
}

export interface CallOptions {
  body?: unknown;
  form?: Record<string, string>;
  headers?: Record<string, string>;
}

/** Longer than the service may take for any request. */
const REQUEST_TIMEOUT_MS = 20_000;
const READY_POLL_MS = 5;
/** Of a read that is answered with 503. */
const MAX_ATTEMPTS = 5;
const RETRY_INTERVAL_MS = 500;
/** A service that is not ready by then is reported as an error, with its output. */
const MAX_START_MS = 120_000;

export class Service {
  readonly readyMs: number;
  readonly #child: ReturnType<typeof spawnService>;
  readonly #port: number;
  readonly #agent = new http.Agent({ keepAlive: true });
  token = '';

  private constructor(child: ReturnType<typeof spawnService>, port: number, readyMs: number) {
    this.#child = child;
    this.#port = port;
    this.readyMs = readyMs;
  }

  /**
   * Starts the service, and resolves when it serves /ready. Without a token it signs in. Access
   * tokens outlive the restarts, which saves hashing the secret at each.
   */
  static async start(env: Record<string, string>, token?: string): Promise<Service> {
    const start = performance.now();
    const child = spawnService({
      QUAESTOR_LOG_LEVEL: 'error',
      QUAESTOR_ACCESS_LIFETIME: '24h',
      QUAESTOR_WORKERS: '1',
      ...env,
    });
    const endWithParent = () => child.kill('SIGKILL');
    process.once('exit', endWithParent);
    child.once('exit', () => process.off('exit', endWithParent));
    const port = await readPort(child);
    const probe = new Service(child, port, 0);
    while ((await probe.call('GET', '/ready'))?.status !== 200) {
      if (performance.now() - start > MAX_START_MS) throw new Error(`not ready: ${child.output()}`);
      await sleep(READY_POLL_MS);
    }
    const service = new Service(child, port, performance.now() - start);
    probe.#agent.destroy();
    service.token = token ?? (await service.signIn()).access_token;
    return service;
  }

  async signIn(): Promise<{ access_token: string; refresh_token: string }> {
    const form = { grant_type: 'client_credentials', client_id: 'admin', client_secret: ADMIN_SECRET };
    const reply = await this.call('POST', '/auth/token', { form, headers: { authorization: '' } });
    if (reply?.status !== 200)
      throw new Error(`sign-in: ${reply?.status ?? 'no response'}\n${this.output()}`);
    return reply.body;
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  output(): string {
    return this.#child.output();
  }

  /** Sends a request. Resolves with undefined if no complete response comes. */
  call(method: string, path: string, options: CallOptions = {}): Promise<Reply | undefined> {
    const { promise, resolve } = Promise.withResolvers<Reply | undefined>();
    const { body, form, headers } = options;
    const request = http.request({
      ...{ port: this.#port, host: '127.0.0.1', agent: this.#agent, method, path },
      timeout: REQUEST_TIMEOUT_MS,
      headers: {
        ...(headers?.authorization !== '' && { authorization: `Bearer ${this.token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...(headers?.authorization === '' ? {} : headers),
      },
    });
    request.once('error', () => resolve(undefined));
    request.once('timeout', () => request.destroy());
    request.once('response', async (response) => {
      try {
        const text = (await response.setEncoding('utf8').toArray()).join('');
        const isJson = text !== '' && response.headers['content-type']?.includes('json');
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          body: isJson ? JSON.parse(text) : text,
        });
      } catch {
        resolve(undefined);
      }
    });
    request.end(form ? new URLSearchParams(form).toString() : body === undefined ? '' : JSON.stringify(body));
    return promise;
  }

  /** On a busy machine a list may take too long at first. */
  async #getPatiently(path: string): Promise<Reply | undefined> {
    let reply = await this.call('GET', path);
    for (let i = 1; reply?.status === 503 && i < MAX_ATTEMPTS; i++) {
      await sleep(RETRY_INTERVAL_MS);
      reply = await this.call('GET', path);
    }
    return reply;
  }

  /** Reads all pages of a list. Throws if a page fails or the total is wrong. */
  async list(path: string): Promise<Json[]> {
    const items: Json[] = [];
    const first = `${path}${path.includes('?') ? '&' : '?'}limit=1000`;
    for (let next: string | undefined = first; next; ) {
      const reply: Reply | undefined = await this.#getPatiently(next);
      if (reply?.status !== 200) throw new Error(`GET ${next}: ${reply?.status ?? 'no response'}`);
      items.push(...reply.body.data);
      next = /<([^>]+)>; rel="next"/.exec(String(reply.headers.link))?.[1];
      if (!next && reply.body.pagination.total !== items.length)
        throw new Error(`GET ${path}: total ${reply.body.pagination.total}, ${items.length} items`);
    }
    return items;
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    if (this.running) {
      const ended = once(this.#child, 'exit');
      this.#child.kill(signal);
      await ended;
    }
    this.#agent.destroy();
  }
}

function readPort(child: ReturnType<typeof spawnService>): Promise<number> {
  return new Promise((resolve, reject) => {
    child.stderr!.on('data', () => {
      const found = /http:\/\/[^:\s]+:(\d+)\/questions/.exec(child.output());
      if (found) resolve(Number(found[1]));
    });
    child.once('exit', (code) =>
      reject(new StartFailure(`the service ended with ${code}: ${child.output()}`)),
    );
  });
}

export class StartFailure extends Error {}
