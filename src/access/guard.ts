/**
 * Who is asking, whether they may, and whether they have not asked too often: the one place that decides it, before a
 * route or a body is looked at. What a route needs it declares in its `config`.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errors } from '../errors.ts';
import type { Scope } from '../schemas/scopes.ts';
import type { Db, Engine } from '../store/db.ts';
import { addSpent, type Counts } from '../store/spent.ts';
import { findToken, scopesOf } from '../store/tokens.ts';
import { placeOf, TrustedProxies } from './addresses.ts';
import { type Budget, Budgets, DEFAULT_LIMITS, type Limits, type Standing } from './budgets.ts';
import { hashOf, isToken } from './token-text.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a caller must be allowed to do; empty if any token will do. A route says this or that it is public. */
    scopes?: readonly Scope[];
    public?: true;
    /** What a request is counted as: a read or a write by its method, unless it says otherwise; false for not at all. */
    budget?: Budget | false;
    /** A client may also name itself by its id and secret, in ways that only the route can read: it asks for them. */
    credentials?: true;
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
}

const CHALLENGE = 'Bearer realm="quaestor"';
/** How often processes that share a bank compare their counts. */
const SHARE_EVERY = 1_000;
const MOST_KNOWN = 1000;

export interface GuardOptions {
  engine: Engine;
  limits?: Limits | undefined;
  /** Addresses and CIDR blocks of proxies whose X-Forwarded-For is believed. */
  trustedProxies?: string[] | undefined;
}

export class Guard {
  readonly #db: Db;
  readonly #proxies: TrustedProxies;
  readonly #budgets: Budgets;
  readonly #known = new Map<string, Caller>();
  #version: number | undefined;
  readonly #sharing: NodeJS.Timeout | undefined;

  constructor({ engine, limits = DEFAULT_LIMITS, trustedProxies = [] }: GuardOptions) {
    this.#db = engine.db;
    this.#proxies = new TrustedProxies(trustedProxies);
    const share = engine.shared ? (counts: Counts) => engine.write(addSpent, counts) : undefined;
    this.#budgets = new Budgets(limits, { share });
    if (share) this.#sharing = setInterval(() => this.#sync(), SHARE_EVERY).unref();
  }

  /** Lets a request in, or throws what it is answered with. */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { scopes, budget, credentials } = request.routeOptions.config;
    const { authorization } = request.headers;
    const caller = scopes ? await this.#callerOf(authorization) : undefined;
    request.caller = caller ?? null;
    await this.#count(request, reply, budget ?? byMethod(request.method));
    if (!scopes) return;
    if (!caller) {
      if (credentials && !/^Bearer /i.test(authorization ?? '')) return;
      throw refused(authorization);
    }
    const missing = scopes.filter((scope) => !caller.scopes.has(scope));
    if (missing.length > 0) throw errors.insufficientScope(missing);
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
    const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    if (!token || !isToken(token)) return undefined;
    const row = await findToken(this.#db, hashOf(token), now);
    if (!row || row.kind === 'refresh') return undefined;
    const { kind, id, created_at, expires_at } = row;
    const caller = {
      client: row.client_id,
      scopes: scopesOf(row),
      token: { kind, id, created_at, expires_at },
    };
    if (version !== undefined) this.#known.set(authorization, caller);
    return caller;
  }

  /** Counts the request; throws if it is one too many. */
  async #count(request: FastifyRequest, reply: FastifyReply, budget: Budget | false): Promise<void> {
    // What is not counted is told how reading stands.
    const name = budget || 'read';
    if (this.#budgets.limits[name] === 0) return;
    const who = request.caller ? `client ${request.caller.client}` : `address ${this.placeOf(request)}`;
    let standing = this.#budgets.spend(name, who, budget ? 1 : 0)!;
    if (budget === 'token') {
      // Guessing is worth spreading over several nodes: here they compare their counts at once.
      await this.#sync();
      standing = this.#budgets.spend(name, who, 0)!;
    }
    this.#tell(reply, name, standing);
    if (budget && standing.over) throw this.#tooMany(name, standing);
  }

  #tell(reply: FastifyReply, budget: Budget, { remaining, reset }: Standing): void {
    reply.header('ratelimit-policy', `"${budget}";q=${this.#budgets.limits[budget]};w=60`);
    reply.header('ratelimit', `"${budget}";r=${remaining};t=${reset}`);
  }

  #tooMany = (budget: Budget, { reset }: Standing) =>
    errors.tooManyRequests(budget, this.#budgets.limits[budget], reset);

  /** Where a request comes from, as it is counted. */
  placeOf(request: FastifyRequest): string {
    const forwarded = request.headers['x-forwarded-for'] as string | undefined;
    return placeOf(this.#proxies.clientOf(request.raw.socket.remoteAddress ?? '', forwarded));
  }

  /**
   * Before a secret is checked: when a client's name has been guessed at too often, places that have guessed wrong are
   * turned away. Its owner, who comes from elsewhere, is not locked out.
   */
  refuseGuesser(client: string, request: FastifyRequest): void {
    const name = this.#budgets.spend('token', failuresOf(client), 0);
    const here = this.#budgets.spend('token', failuresFrom(client, this.placeOf(request)), 0);
    const failedHere = here !== undefined && here.remaining < this.#budgets.limits.token;
    if (name?.remaining === 0 && failedHere) throw this.#tooMany('token', name);
  }

  /** After one was wrong. */
  countGuess(client: string, request: FastifyRequest): void {
    this.#budgets.spend('token', failuresFrom(client, this.placeOf(request)));
    const name = this.#budgets.spend('token', failuresOf(client));
    if (name?.over) throw this.#tooMany('token', name);
  }

  /** The database may be away: then each process counts for itself for a while. */
  async #sync(): Promise<void> {
    await this.#budgets.sync().catch(() => {});
  }

  close(): void {
    clearInterval(this.#sharing);
  }
}

const failuresOf = (client: string) => `failures ${client.slice(0, 100)}`;
const failuresFrom = (client: string, place: string) => `${failuresOf(client)} from ${place}`;

const byMethod = (method: string): Budget => (method === 'GET' || method === 'HEAD' ? 'read' : 'write');

/** The same for every token that is not good, whatever is wrong with it. */
export function refused(authorization: string | undefined) {
  if (authorization === undefined) {
    return errors.unauthorized('A token is needed: send it as Authorization: Bearer …', CHALLENGE);
  }
  const detail =
    'The token in Authorization is unknown, expired or revoked. Take a new one from /auth/token.';
  return errors.unauthorized(detail, `${CHALLENGE}, error="invalid_token"`);
}
