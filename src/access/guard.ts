/**
 * Who is asking, whether they may, and whether they have not asked too often: the one place that decides it, before a
 * route or a body is looked at. What a route needs it declares in its `config`. A secret in a body can be read by its
 * route alone: introspection, which takes one in place of a token, then decides for itself.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errors } from '../errors.ts';
import type { Scope } from '../schemas/scopes.ts';
import { addRateCounts, type RateCounts } from '../store/access/rate-counters.ts';
import { findToken, scopesOf } from '../store/access/tokens.ts';
import type { Db, Engine } from '../store/db.ts';
import { placeOf, TrustedProxies } from './addresses.ts';
import {
  DEFAULT_LIMITS,
  type Limits,
  RateLimiter,
  type RateLimitName,
  type RateStatus,
} from './rate-limiter.ts';
import { hashOf, isToken } from './token-text.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a caller must be allowed to do; empty if any token will do. A route says this or that it is public. */
    scopes?: readonly Scope[];
    public?: true;
    /** What a request is counted as: a read or a write by its method, unless it says otherwise; false for not at all. */
    budget?: RateLimitName | false;
    /** A client may also name itself by its id and secret, in ways that only the route can read: it asks for them. */
    credentials?: true;
    /** The most bytes of a body that is no array, where it is more than the usual. */
    largestObject?: number;
    /** Shows questions, each caller their own view of them. */
    views?: true;
  }
  interface FastifyRequest {
    /** On whose behalf; null on public routes. */
    caller: Caller | null;
  }
}

export interface Caller {
  client: string;
  scopes: ReadonlySet<Scope>;
  token: { kind: 'access' | 'key'; id: string; created_at: number; expires_at: number };
  /** Of an access token: what came from one sign-in. */
  family: string | null;
}

/** How often processes that share a bank compare their counts. */
const SHARE_EVERY = 1_000;
const MOST_KNOWN = 1000;
/** What goes on failing is not told more often. */
const QUIET = 60_000;

export interface GuardOptions {
  engine: Engine;
  limits?: Limits | undefined;
  /** Addresses and CIDR blocks of proxies whose X-Forwarded-For is believed. */
  trustedProxies?: string[] | undefined;
  log: { warn(about: object, message: string): void };
}

export class Guard {
  readonly #db: Db;
  readonly #proxies: TrustedProxies;
  readonly #budgets: RateLimiter;
  readonly #known = new Map<string, Caller>();
  #version: number | undefined;
  readonly #sharing: NodeJS.Timeout | undefined;
  readonly #log: GuardOptions['log'];
  #quietUntil = 0;

  constructor({ engine, limits = DEFAULT_LIMITS, trustedProxies = [], log }: GuardOptions) {
    this.#log = log;
    this.#db = engine.db;
    this.#proxies = new TrustedProxies(trustedProxies);
    const share = engine.shared ? (counts: RateCounts) => engine.write(addRateCounts, counts) : undefined;
    this.#budgets = new RateLimiter(limits, { share });
    if (share) this.#sharing = setInterval(() => this.#sync(), SHARE_EVERY).unref();
  }

  /** Lets a request in, or throws what it is answered with. */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { scopes, budget, credentials } = request.routeOptions.config;
    const { authorization } = request.headers;
    const caller = scopes ? await this.#callerOf(authorization) : undefined;
    request.caller = caller ?? null;
    const byRoute = credentials && !caller && !/^Bearer /i.test(authorization ?? '');
    await this.#count(request, reply, byRoute ? 'token' : (budget ?? byMethod(request.method)));
    if (scopes && !byRoute) refuseLacking(scopes, caller, authorization);
  }

  /**
   * Once its body is there: whoever holds it back until their token has ended does not get in after all. Changes to who may
   * do what look once more, in their transaction.
   */
  async admitAgain(request: FastifyRequest): Promise<void> {
    const { scopes } = request.routeOptions.config;
    if (!request.caller || !scopes) return;
    const { authorization } = request.headers;
    request.caller = (await this.#callerOf(authorization)) ?? null;
    refuseLacking(scopes, request.caller, authorization);
  }

  /** Whether the token of a request that lasts is good still, for what it was let in with. */
  async isGood(request: FastifyRequest): Promise<boolean> {
    const now = await this.#callerOf(request.headers.authorization);
    return now !== undefined && [...request.caller!.scopes].every((scope) => now.scopes.has(scope));
  }

  /** For what is answered before its route is known. */
  async count(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await this.#count(request, reply, byMethod(request.method));
  }

  /** Whose token it is. What was found is remembered for as long as nothing is written: a revoked token is, once. */
  async #callerOf(authorization: string | undefined): Promise<Caller | undefined> {
    if (authorization === undefined) return undefined;
    const now = Date.now();
    const version = this.#db.version();
    if (version !== this.#version || this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#version = version;
    const known = this.#known.get(authorization);
    if (known && known.token.expires_at > now) return known;
    const text = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    if (!text || !isToken(text)) return undefined;
    const row = await findToken(this.#db, hashOf(text), now);
    if (!row || row.kind === 'refresh') return undefined;
    const { kind, id, created_at, expires_at, family } = row;
    const token = { kind, id, created_at, expires_at };
    const caller = { client: row.client_id, scopes: scopesOf(row), token, family };
    if (version !== undefined) this.#known.set(authorization, caller);
    return caller;
  }

  /** Counts the request; throws if it is one too many. */
  async #count(request: FastifyRequest, reply: FastifyReply, budget: RateLimitName | false): Promise<void> {
    const who = request.caller ? `client ${request.caller.client}` : `address ${this.placeOf(request)}`;
    // What is not counted is told how reading stands.
    const name = budget || 'read';
    let standing = budget ? this.#budgets.spend(name, who) : this.#budgets.look(name, who);
    if (!standing) return;
    if (budget === 'token' && !standing.over) {
      // Guessing is worth spreading over several nodes: here they compare their counts at once.
      await this.#sync();
      standing = this.#budgets.look(name, who, standing.rank)!;
    }
    this.#tell(reply, name, standing);
    if (budget && standing.over) throw this.#tooMany(name, standing);
  }

  #tell(reply: FastifyReply, budget: RateLimitName, { remaining, reset }: RateStatus): void {
    reply.header('ratelimit-policy', `"${budget}";q=${this.#budgets.limits[budget]};w=60`);
    reply.header('ratelimit', `"${budget}";r=${remaining};t=${reset}`);
  }

  #tooMany(budget: RateLimitName, { reset }: RateStatus) {
    return errors.tooManyRequests(budget, this.#budgets.limits[budget], reset);
  }

  /** Where a request comes from, as it is counted. */
  placeOf(request: FastifyRequest): string {
    const forwarded = request.headers['x-forwarded-for'] as string | undefined;
    return placeOf(this.#proxies.clientOf(request.raw.socket.remoteAddress ?? '', forwarded));
  }

  /**
   * Before a secret is checked, it is counted as a wrong one. When a client's name has been guessed at too often, places that
   * have guessed before are turned away; its owner, who comes from elsewhere, is not locked out. Call what comes back
   * with whether it was right.
   */
  countGuess(client: string, request: FastifyRequest): (right: boolean) => void {
    const from = `${failuresOf(client)} from ${this.placeOf(request)}`;
    const here = this.#budgets.spend('token', from);
    const name = this.#budgets.spend('token', failuresOf(client));
    if (!here || !name) return () => {};
    const tooMany = errors.tooManyGuesses(name.reset);
    if (name.over && here.used > 1) throw tooMany;
    return (right) => {
      if (right) {
        this.#budgets.giveBack('token', from);
        this.#budgets.giveBack('token', failuresOf(client));
      } else if (name.over) throw tooMany;
    };
  }

  /** The database may be away: then each process counts for itself for a while. */
  async #sync(): Promise<void> {
    try {
      await this.#budgets.sync();
    } catch (error) {
      if (Date.now() < this.#quietUntil) return;
      this.#quietUntil = Date.now() + QUIET;
      this.#log.warn({ err: error }, 'limits are counted by this process alone for now');
    }
  }

  close(): void {
    clearInterval(this.#sharing);
  }
}

/** By a hash, for it may be of any length and form. */
const failuresOf = (client: string) => `failures ${hashOf(client)}`;

function refuseLacking(
  scopes: readonly Scope[],
  caller: Caller | null | undefined,
  authorization: string | undefined,
): void {
  if (!caller) throw refused(authorization);
  const missing = scopes.filter((scope) => !caller.scopes.has(scope));
  if (missing.length > 0) throw errors.insufficientScope(missing);
}

const byMethod = (method: string): RateLimitName =>
  method === 'GET' || method === 'HEAD' ? 'read' : 'write';

/** The same for every token that is not good, whatever is wrong with it. */
export function refused(authorization: string | undefined) {
  if (authorization === undefined) return errors.unauthorized('missing');
  return errors.unauthorized(/^Bearer +\S/i.test(authorization) ? 'not good' : 'no token');
}
