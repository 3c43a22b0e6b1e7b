/**
 * Authenticates, authorises and rate-limits every request before its body is read. A route declares
 * what it requires in its `config` (see http/route-config.ts). Introspection also accepts client
 * credentials in the body, which only its route can read, and then authorises the request itself.
 */
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import { type ApiError, errors } from '../errors.ts';
import type { Scope } from '../schemas/scopes.ts';
import { extendSession } from '../store/access/browser-sessions.ts';
import type { DrawBinding } from '../store/access/draw-tokens.ts';
import { addRateCounts, type RateCounts } from '../store/access/rate-counters.ts';
import { type Bearer, effectiveScopes, findToken } from '../store/access/tokens.ts';
import type { Db, Engine } from '../store/db.ts';
import { normalizeAddress, TrustedProxies, truncateAddress } from './addresses.ts';
import { readSession, SESSION_EXTENSION_MS, SESSION_IDLE_MS } from './browser-sessions.ts';
import {
  DEFAULT_LIMITS,
  RateLimiter,
  type RateLimitName,
  type RateLimits,
  type RateStatus,
} from './rate-limiter.ts';
import { hashToken, isToken } from './token-text.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null on public routes. */
    caller: Caller | null;
  }
}

export interface Caller {
  client: string;
  scopes: ReadonlySet<Scope>;
  token: { kind: 'access' | 'key' | 'session' | 'draw'; id: string; created_at: number; expires_at: number };
  /** The token family of an access token or a session: all tokens of one sign-in. */
  family: string | null;
  /** What a token for draws is limited to; null for other tokens. */
  bound: DrawBinding | null;
}

/** What a request presents: the text of a token, and how it was sent. */
interface Presented {
  text: string;
  by: 'header' | 'cookie';
}

/** Interval at which processes that share a bank exchange their rate counts. */
const SYNC_INTERVAL_MS = 1_000;
const MAX_CACHED_CALLERS = 1000;
/** A failing sync is logged at most once in this time. */
const SYNC_WARNING_INTERVAL_MS = 60_000;
/** A client may check answers to a question this many times as often as a respondent. */
const CHECKS_PER_CLIENT = 6;
/** An address that exceeds a limit by this factor is a flood. */
const FLOOD_FACTOR = 2;

export interface GuardOptions {
  engine: Engine;
  limits?: RateLimits | undefined;
  /** Addresses and CIDR blocks of proxies whose X-Forwarded-For is trusted. */
  trustedProxies?: string[] | undefined;
  log: { warn(about: object, message: string): void };
}

export class Guard {
  readonly #db: Db;
  readonly #engine: Engine;
  readonly #proxies: TrustedProxies;
  readonly #limiter: RateLimiter;
  /** Callers by token and how it was sent, valid for one database version. */
  readonly #cache = new Map<string, Caller>();
  #cacheVersion: number | undefined;
  readonly #syncTimer: NodeJS.Timeout | undefined;
  readonly #log: GuardOptions['log'];
  #nextSyncWarning = 0;
  /** The end of the window in which an address was found flooding: without a flood nothing is looked up. */
  #floodUntil = 0;

  constructor({ engine, limits = DEFAULT_LIMITS, trustedProxies = [], log }: GuardOptions) {
    this.#log = log;
    this.#db = engine.db;
    this.#engine = engine;
    this.#proxies = new TrustedProxies(trustedProxies);
    const share = engine.shared ? (counts: RateCounts) => engine.write(addRateCounts, counts) : undefined;
    this.#limiter = new RateLimiter(limits, { share });
    if (share) this.#syncTimer = setInterval(() => this.#sync(), SYNC_INTERVAL_MS).unref();
  }

  /** Admits a request, or throws the error to respond with. */
  async admit(
    request: FastifyRequest,
    reply: FastifyReply,
    { scopes, rateLimit, clientCredentials, drawTokens }: FastifyContextConfig,
  ): Promise<void> {
    const { authorization } = request.headers;
    const caller = scopes ? await this.findCaller(request) : undefined;
    request.caller = caller ?? null;
    const byRoute = clientCredentials && !caller && !/^Bearer /i.test(authorization ?? '');
    await this.#count(request, reply, byRoute ? 'token' : (rateLimit ?? getLimitByMethod(request.method)));
    if (caller?.bound && !drawTokens) throw errors.tokenBound();
    if (scopes && !byRoute) requireScopes(scopes, caller, authorization);
  }

  /**
   * Repeats the authorisation once the body has arrived: a client that delays its body until its
   * token has expired is refused. Changes to clients and keys check again in their transaction.
   */
  async reauthorize(request: FastifyRequest): Promise<void> {
    const { scopes } = request.routeOptions.config;
    if (!request.caller || !scopes) return;
    const { authorization } = request.headers;
    request.caller = (await this.findCaller(request)) ?? null;
    requireScopes(scopes, request.caller, authorization);
  }

  /**
   * Whether the token of a long-running request is still valid for the scopes it was admitted with.
   */
  async isStillAuthorized(request: FastifyRequest): Promise<boolean> {
    const current = await this.findCaller(request);
    return current !== undefined && [...request.caller!.scopes].every((scope) => current.scopes.has(scope));
  }

  /** Rate-limits a request that is refused before its route is known. */
  async countRequest(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await this.#count(request, reply, getLimitByMethod(request.method));
  }

  /**
   * The caller of a request; undefined without a valid token or session. The cache is cleared at every
   * write to the database, so a revoked token is refused at once.
   */
  async findCaller(request: FastifyRequest): Promise<Caller | undefined> {
    const presented = this.#readToken(request);
    if (!presented) return undefined;
    const now = Date.now();
    const version = this.#db.version();
    if (version !== this.#cacheVersion || this.#cache.size >= MAX_CACHED_CALLERS) this.#cache.clear();
    this.#cacheVersion = version;
    const key = `${presented.by} ${presented.text}`;
    const cached = this.#cache.get(key);
    if (cached && cached.token.expires_at > now) return cached;
    const row = await findToken(this.#db, hashToken(presented.text), now);
    if (!row || row.kind === 'refresh' || row.kind === 'link') return undefined;
    if ((row.kind === 'session') !== (presented.by === 'cookie')) return undefined;
    const { kind, id, created_at, family } = row;
    const expires_at = kind === 'session' ? this.#extendSession(row, now) : row.expires_at;
    const token = { kind, id, created_at, expires_at };
    const bound =
      row.kind === 'draw' ? { respondent: row.respondent!, draws: JSON.parse(row.draws!) as string[] } : null;
    const caller = { client: row.client_id, scopes: effectiveScopes(row), token, family, bound };
    if (version !== undefined) this.#cache.set(key, caller);
    return caller;
  }

  /** A header takes precedence over a cookie, which counts for requests from the same origin only. */
  #readToken(request: FastifyRequest): Presented | undefined {
    const { authorization } = request.headers;
    if (authorization !== undefined) {
      const text = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
      return text && isToken(text) ? { text, by: 'header' } : undefined;
    }
    const text = readSession(request, this.isSecure(request));
    return text === undefined ? undefined : { text, by: 'cookie' };
  }

  /**
   * Moves the idle timeout of a session in use, and returns it. The request does not wait: if the
   * write fails, a later request repeats it.
   */
  #extendSession({ hash, expires_at, ends_at }: Bearer, now: number): number {
    const extended = Math.min(now + SESSION_IDLE_MS, ends_at);
    if (extended - expires_at < SESSION_EXTENSION_MS) return expires_at;
    this.#engine
      .write(extendSession, { hash, expires_at: extended })
      .catch((error) => this.#log.warn({ err: error }, 'session not extended'));
    return expires_at;
  }

  /** Whether the client is connected by TLS, by its own connection or that of a trusted proxy. */
  isSecure(request: FastifyRequest): boolean {
    const { socket } = request.raw;
    if ('encrypted' in socket) return true;
    const isTrusted = this.#proxies.trusts(normalizeAddress(socket.remoteAddress ?? ''));
    return isTrusted && request.headers['x-forwarded-proto'] === 'https';
  }

  /** Counts the request and sets the RateLimit headers. Throws if the limit is exceeded. */
  async #count(request: FastifyRequest, reply: FastifyReply, limit: RateLimitName | false): Promise<void> {
    const key = this.#chooseKey(request);
    // Responses to unlimited requests show the status of the read limit.
    const name = limit || 'read';
    let status = limit ? this.#limiter.consume(name, key) : this.#limiter.peek(name, key);
    if (!status) return;
    if (limit === 'token' && !status.exceeded) {
      // Synchronised at once, so that guessing cannot be spread over several processes.
      await this.#sync();
      status = this.#limiter.peek(name, key, status.rank)!;
    }
    this.#setHeaders(reply, name, status);
    if (!request.caller && status.used > FLOOD_FACTOR * this.#limiter.limits[name])
      this.#floodUntil = Date.now() + status.resetSeconds * 1000;
    if (limit && status.exceeded)
      throw errors.tooManyRequests(name, this.#limiter.limits[name], status.resetSeconds);
  }

  /** A token for draws is counted by itself: those of a class are of one client. */
  #chooseKey(request: FastifyRequest): string {
    const { caller } = request;
    if (!caller) return `address ${this.getClientAddress(request)}`;
    return caller.bound ? `token ${caller.token.id}` : `client ${caller.client}`;
  }

  #setHeaders(reply: FastifyReply, name: RateLimitName, { remaining, resetSeconds }: RateStatus): void {
    reply.header('ratelimit-policy', `"${name}";q=${this.#limiter.limits[name]};w=60`);
    reply.header('ratelimit', `"${name}";r=${remaining};t=${resetSeconds}`);
  }

  /** Whether the connections of an address are one client's: those of a trusted proxy are not. */
  isDirect(address: string): boolean {
    return !this.#proxies.trusts(address);
  }

  /** Whether an address far exceeds a rate limit without a valid token. */
  isFlooding(address: string): boolean {
    return (
      Date.now() < this.#floodUntil &&
      (this.findFloodRefusal(address, 'GET') ?? this.findFloodRefusal(address, 'POST')) !== undefined
    );
  }

  /** The error for a request without a token from an address that far exceeds its limit. */
  findFloodRefusal(address: string, method: string): ApiError | undefined {
    if (Date.now() >= this.#floodUntil || !this.isDirect(address)) return undefined;
    const name = getLimitByMethod(method);
    const limit = this.#limiter.limits[name];
    const status = this.#limiter.peek(name, `address ${truncateAddress(normalizeAddress(address))}`);
    if (!status || status.used <= FLOOD_FACTOR * limit) return undefined;
    return errors.tooManyRequests(name, limit, status.resetSeconds);
  }

  /** The client's address, truncated as it is counted. */
  getClientAddress(request: FastifyRequest): string {
    const forwarded = request.headers['x-forwarded-for'] as string | undefined;
    const peer = request.raw.socket.remoteAddress ?? '';
    return truncateAddress(this.#proxies.findClientAddress(peer, forwarded));
  }

  /**
   * Counts an attempt with a client secret as failed before the secret is verified; call the result
   * with whether it was correct. Once a client id has failed too often, addresses that have failed
   * before are refused, but a new address is not: its owner is not locked out by an attacker.
   */
  countSecretAttempt(client: string, request: FastifyRequest): (correct: boolean) => void {
    // The id is hashed, for it may be a text of any length.
    const clientKey = `failures ${hashToken(client)}`;
    const addressKey = `${clientKey} from ${this.getClientAddress(request)}`;
    const byAddress = this.#limiter.consume('token', addressKey);
    const byClient = this.#limiter.consume('token', clientKey);
    if (!byAddress || !byClient) return () => {};
    const refusal = errors.tooManySecretAttempts(byClient.resetSeconds);
    if (byClient.exceeded && byAddress.used > 1) throw refusal;
    return (correct) => {
      if (correct) {
        this.#limiter.refund('token', addressKey);
        this.#limiter.refund('token', clientKey);
      } else if (byClient.exceeded) throw refusal;
    };
  }

  /**
   * Limits how often answers to a question are checked: by a respondent, and by a client, which may
   * check for a class but not for respondents that it invents.
   */
  countCheck(request: FastifyRequest, question: string, respondent: string | undefined): void {
    const { check: limit } = this.#limiter.limits;
    const subject = `question ${question} by ${request.caller!.client}`;
    const byClient = this.#limiter.consume('check', subject);
    if (!byClient) return;
    const max = CHECKS_PER_CLIENT * limit;
    if (byClient.used > max) throw errors.tooManyRequests('check', max, byClient.resetSeconds);
    if (respondent === undefined) return;
    const status = this.#limiter.consume('check', `${subject} for ${hashToken(respondent)}`)!;
    if (status.exceeded) throw errors.tooManyRequests('check', limit, status.resetSeconds);
  }

  /** While the database is unavailable, each process counts on its own. */
  async #sync(): Promise<void> {
    try {
      await this.#limiter.sync();
    } catch (error) {
      if (Date.now() < this.#nextSyncWarning) return;
      this.#nextSyncWarning = Date.now() + SYNC_WARNING_INTERVAL_MS;
      this.#log.warn({ err: error }, 'rate limit sync failed, counting per process');
    }
  }

  close(): void {
    clearInterval(this.#syncTimer);
  }
}

function requireScopes(
  scopes: readonly Scope[],
  caller: Caller | null | undefined,
  authorization: string | undefined,
): void {
  if (!caller) throw buildUnauthorizedError(authorization);
  const missing = scopes.filter((scope) => !caller.scopes.has(scope));
  if (missing.length > 0) throw errors.insufficientScope(missing);
}

const getLimitByMethod = (method: string): RateLimitName =>
  method === 'GET' || method === 'HEAD' ? 'read' : 'write';

/**
 * The same error for every invalid token: unknown, expired and revoked ones are not distinguished.
 */
export function buildUnauthorizedError(authorization: string | undefined) {
  if (authorization === undefined) return errors.unauthorized('missing');
  return errors.unauthorized(/^Bearer +\S/i.test(authorization) ? 'invalid' : 'malformed');
}
