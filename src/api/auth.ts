/** The token flow: RFC 6749 (client credentials, refresh), 7009 (revocation), 7662 (introspection). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Guard, refused } from '../access/guard.ts';
import { type Credentials, credentialsIn, formOf, OAuthError, parseForm } from '../access/oauth.ts';
import { verifySecret } from '../access/secrets.ts';
import { grantedScope, type Lifetimes, refresh, signIn } from '../access/sessions.ts';
import { hashOf, isToken } from '../access/token-text.ts';
import { asApiError } from '../http/problem.ts';
import {
  Introspection,
  IntrospectRequest,
  Me,
  OAuthProblem,
  Revoked,
  RevokeRequest,
  TokenAnswer,
  TokenRequest,
} from '../schemas/auth.ts';
import { ROLES, type Scope } from '../schemas/scopes.ts';
import { credentialsOf, getClient } from '../store/access/clients.ts';
import { findToken, revokeToken, scopesOf } from '../store/access/tokens.ts';
import type { Engine } from '../store/db.ts';
import { formatTime } from '../store/time.ts';
import { callerOf } from './requests.ts';

const LARGEST_FORM = 16 * 1024;
const REFUSALS = { 400: OAuthProblem, 401: OAuthProblem };

export interface AuthDeps {
  engine: Engine;
  guard: Guard;
  lifetimes: Lifetimes;
}

export function authRoutes(app: FastifyInstance, { engine, guard, lifetimes }: AuthDeps): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, body: Buffer) => parseForm(body),
  );

  /** The client that has shown its secret. */
  async function authenticated(request: FastifyRequest, { id, secrets }: Credentials) {
    const wasRight = guard.countGuess(id, request);
    const known = await credentialsOf(engine.db, id);
    for (const secret of secrets) {
      if (!(await verifySecret(secret, known?.secret))) continue;
      wasRight(true);
      return { id, ...known! };
    }
    // What was given for an id may be a secret in the wrong place.
    request.log.warn({ request_id: request.id, client: known && id }, 'wrong client or secret');
    wasRight(false);
    throw new OAuthError('invalid_client');
  }

  /** Whoever has come with a token or, in its place, with a client's secret. */
  async function introspector(request: FastifyRequest, form: Record<string, string>) {
    if (request.caller) return request.caller;
    const credentials = credentialsIn(request.headers.authorization, form);
    if (!credentials?.secrets.length) throw refused(request.headers.authorization);
    const { id, role } = await authenticated(request, credentials);
    return { client: id, scopes: new Set<Scope>(ROLES[role]) };
  }

  /** The client that is named, if one is, where a token speaks for itself: a secret need not be sent, but must be right. */
  async function named(request: FastifyRequest, form: Record<string, string>): Promise<string | undefined> {
    const credentials = credentialsIn(request.headers.authorization, form);
    if (!credentials) return undefined;
    return credentials.secrets.length > 0 ? (await authenticated(request, credentials)).id : credentials.id;
  }

  app.post(
    '/auth/token',
    {
      config: { public: true, budget: 'token' },
      bodyLimit: LARGEST_FORM,
      errorHandler: asOAuth,
      schema: {
        operationId: 'createToken',
        summary: 'Get or refresh a token',
        description:
          'OAuth 2.0 (RFC 6749): `client_credentials` with the client’s id and secret by HTTP Basic or in the body, or ' +
          '`refresh_token`. A refresh token is replaced at each use. Should the answer get lost, the same request within 10 ' +
          'seconds gets the same answer; later, or once the successor was used, it ends all tokens that came of it.',
        form: TokenRequest,
        response: { 200: TokenAnswer, ...REFUSALS },
      },
    },
    async (request, reply): Promise<TokenAnswer> => {
      reply.header('pragma', 'no-cache');
      const form = formOf(request.body);
      switch (form.grant_type) {
        case 'client_credentials': {
          const credentials = credentialsIn(request.headers.authorization, form);
          if (!credentials || credentials.secrets.length === 0)
            throw new OAuthError('invalid_client', 'client_id and client_secret are missing.');
          const client = await authenticated(request, credentials);
          const scope = grantedScope(form.scope, client.role);
          const tokens = await signIn(engine, lifetimes, { ...client, scope });
          request.log.info({ request_id: request.id, client: client.id, scope }, 'signed in');
          return tokens;
        }
        case 'refresh_token': {
          if (form.refresh_token === undefined)
            throw new OAuthError('invalid_request', 'refresh_token is missing.');
          const client = await named(request, form);
          return refresh(engine, lifetimes, { token: form.refresh_token, client, scope: form.scope });
        }
        case undefined:
          throw new OAuthError('invalid_request', 'grant_type is missing.');
        default:
          throw new OAuthError('unsupported_grant_type');
      }
    },
  );

  app.post(
    '/auth/revoke',
    {
      config: { public: true, budget: 'token' },
      bodyLimit: LARGEST_FORM,
      errorHandler: asOAuth,
      schema: {
        operationId: 'revokeToken',
        summary: 'Revoke a token',
        description:
          'RFC 7009. Whoever has a token may end it: an access token or a key alone, a refresh token with all that came of ' +
          'it. It holds from the next request on. A token that is unknown is answered the same.',
        form: RevokeRequest,
        response: { 200: Revoked, ...REFUSALS },
      },
    },
    async (request) => {
      const form = formOf(request.body);
      if (form.token === undefined) throw new OAuthError('invalid_request', 'token is missing.');
      const client = await named(request, form);
      if (!isToken(form.token)) return {};
      const done = await engine.write(revokeToken, { hash: hashOf(form.token), client, now: Date.now() });
      if (done.outcome === 'not yours')
        throw new OAuthError('invalid_grant', 'The token is another client’s.');
      if (done.outcome === 'reused') raiseAlarm(request, done.client_id);
      if (done.outcome === 'revoked') {
        const { client_id, kind } = done;
        request.log.info({ request_id: request.id, client: client_id, kind }, 'token revoked');
      }
      return {};
    },
  );

  app.post(
    '/auth/introspect',
    {
      config: { scopes: [], credentials: true, budget: 'read' },
      bodyLimit: LARGEST_FORM,
      errorHandler: asOAuth,
      schema: {
        operationId: 'introspectToken',
        summary: 'Is this token good, and for what?',
        description:
          'RFC 7662. Of your own tokens; of all with the scope `clients:manage`. In place of a token, a client may send its id ' +
          'and secret as it does to `/auth/token`.',
        form: IntrospectRequest,
        response: { 200: Introspection, ...REFUSALS },
      },
    },
    async (request) => {
      const form = formOf(request.body);
      const { client, scopes } = await introspector(request, form);
      const { token } = form;
      if (token === undefined) throw new OAuthError('invalid_request', 'token is missing.');
      const row = isToken(token) ? await findToken(engine.db, hashOf(token), Date.now()) : undefined;
      if (!row || (row.client_id !== client && !scopes.has('clients:manage'))) return { active: false };
      return {
        active: true,
        client_id: row.client_id,
        sub: row.client_id,
        scope: [...scopesOf(row)].join(' '),
        ...(row.kind !== 'refresh' && { token_type: 'Bearer' }),
        iat: Math.floor(row.created_at / 1000),
        exp: Math.floor(row.expires_at / 1000),
        jti: row.id,
      };
    },
  );

  app.get(
    '/auth/me',
    {
      config: { scopes: [] },
      schema: {
        operationId: 'getMe',
        summary: 'Who am I, and what may I do?',
        response: { 200: Me },
      },
    },
    async (request) => {
      const { client: id, scopes, token } = callerOf(request);
      const { client } = await getClient(engine.db, id);
      return {
        client: { id, name: client.name, role: client.role },
        scopes: [...scopes],
        token: {
          ...token,
          created_at: formatTime(token.created_at),
          expires_at: formatTime(token.expires_at),
        },
      };
    },
  );
}

const raiseAlarm = (request: FastifyRequest, client: string) =>
  request.log.warn({ request_id: request.id, client }, 'refresh token used twice: its family is ended');

/** What OAuth has a word for is said in its words; everything else is a problem document. */
function asOAuth(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = oauthErrorOf(error);
  if (!known) throw error;
  if (known.alarm !== undefined) raiseAlarm(request, known.alarm);
  if (known.status === 401) reply.header('www-authenticate', 'Basic realm="quaestor", charset="UTF-8"');
  reply.code(known.status).send({ error: known.code, error_description: known.message });
}

function oauthErrorOf(error: unknown): OAuthError | undefined {
  if (error instanceof OAuthError) return error;
  const { status, message, errors: faults } = asApiError(error);
  if (status !== 400) return undefined;
  const detail = faults?.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ');
  return new OAuthError('invalid_request', detail ?? message);
}
