/** Access tokens of a client, renewed before they expire. */
import { Client, Problem } from './request.ts';

export interface Credentials {
  clientId: string;
  clientSecret: string;
}

interface TokenResponse {
  access_token: string;
  refresh_token: string;
  expires_in: number;
}

/** A token is renewed this long before it expires, or at half its lifetime if that is later. */
const MARGIN_MS = 30_000;

export class AccessTokens {
  readonly #client: Client;
  readonly #credentials: Credentials;
  #current: { access: string; refresh: string; renewAt: number } | undefined;
  /** One renewal at a time: a refresh token is used once. */
  #renewing: Promise<string> | undefined;

  constructor(credentials: Credentials, options: { url: string; fetch?: typeof fetch | undefined }) {
    this.#credentials = credentials;
    this.#client = new Client(
      options.fetch ? { url: options.url, fetch: options.fetch } : { url: options.url },
    );
  }

  async get(): Promise<string> {
    if (this.#current && Date.now() < this.#current.renewAt) return this.#current.access;
    return this.#renew();
  }

  /** Forgets a token that the service has refused, unless it has been renewed meanwhile. */
  discard(token: string): void {
    if (this.#current?.access === token) this.#current = undefined;
  }

  #renew(): Promise<string> {
    this.#renewing ??= this.#request().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #request(): Promise<string> {
    const refresh = this.#current?.refresh;
    this.#current = undefined;
    const body = refresh === undefined ? undefined : await this.#refresh(refresh);
    const { access_token, refresh_token, expires_in } = body ?? (await this.#signIn());
    const lifetimeMs = expires_in * 1000;
    const renewAt = Date.now() + Math.max(lifetimeMs - MARGIN_MS, lifetimeMs / 2);
    this.#current = { access: access_token, refresh: refresh_token, renewAt };
    return access_token;
  }

  #signIn(): Promise<TokenResponse> {
    const { clientId: client_id, clientSecret: client_secret } = this.#credentials;
    return this.#client.post('/auth/token', { grant_type: 'client_credentials', client_id, client_secret });
  }

  /** Undefined if the refresh token is not valid any more. */
  async #refresh(refresh_token: string): Promise<TokenResponse | undefined> {
    try {
      return await this.#client.post('/auth/token', { grant_type: 'refresh_token', refresh_token });
    } catch (error) {
      if (error instanceof Problem && error.status < 429) return undefined;
      throw error;
    }
  }
}
