/** OAuth 2.0: tokens (RFC 6749), revocation (RFC 7009) and introspection (RFC 7662). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authenticateClient } from '../access/authentication.ts';
import { buildUnauthorizedError, type Guard } from '../access/guard.ts';
import { type Credentials, OAuthError, parseForm, readCredentials, readFormFields } from '../access/oauth.ts';
import { type Lifetimes, refresh, resolveScope, signIn } from '../access/sessions.ts';
import { hashToken, isToken } from '../access/token-text.ts';
import { toApiError } from '../http/problem.ts';
import {
  CurrentClient,
  Introspection,
  IntrospectRequest,
  OAuthProblem,
  Revoked,
  RevokeRequest,
  TokenRequest,
  TokenResponse,
} from '../schemas/auth.ts';
import { ROLES, type Scope } from '../schemas/scopes.ts';
import { getClient } from '../store/access/clients.ts';
import { effectiveScopes, findToken, revokeToken } from '../store/access/tokens.ts';
import type { Engine } from '../store/db.ts';
import { formatTime } from '../store/time.ts';
import { getCaller, getWriteOptions } from './requests.ts';

const MAX_FORM_BYTES = 16 * 1024;
const OAUTH_ERRORS = { 400: OAuthProblem, 401: OAuthProblem };

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

  async function authenticate(request: FastifyRequest, credentials: Credentials) {
    const client = await authenticateClient(request, { engine, guard }, credentials);
    if (!client) throw new OAuthError('invalid_client');
    return client;
  }

  /** Authenticates the caller of introspection, by token or by client credentials. */
  async function authenticateIntrospection(request: FastifyRequest, form: Record<string, string>) {
    if (request.caller) return request.caller;
    const credentials = readCredentials(request.headers.authorization, form);
    if (!credentials?.secrets.length) throw buildUnauthorizedError(request.headers.authorization);
    const { id, role } = await authenticate(request, credentials);
    return { client: id, scopes: new Set<Scope>(ROLES[role]) };
  }

  /**
   * Finds the client, if one is named. A secret is optional, for the token is the proof; if sent,
   * it must be correct.
   */
  async function findNamedClient(
    request: FastifyRequest,
    form: Record<string, string>,
  ): Promise<string | undefined> {
    const credentials = readCredentials(request.headers.authorization, form);
    if (!credentials) return undefined;
    return credentials.secrets.length > 0 ? (await authenticate(request, credentials)).id : credentials.id;
  }

  app.post(
    '/auth/token',
    {
      config: { public: true, rateLimit: 'token' },
      bodyLimit: MAX_FORM_BYTES,
      errorHandler: sendOAuthError,
      schema: {
        operationId: 'createToken',
        summary: 'Create or refresh a token',
        description:
          'OAuth 2.0 (RFC 6749): `client_credentials`, with the client id and secret in HTTP Basic or in the body, or ' +
          '`refresh_token`. Each use of a refresh token replaces it. If a response is lost, the same request within 10 seconds gets ' +
          'the same response. Later reuse, or reuse after its successor was used, revokes the whole token family.',
        form: TokenRequest,
        response: { 200: TokenResponse, ...OAUTH_ERRORS },
      },
    },
    async (request, reply): Promise<TokenResponse> => {
      reply.header('pragma', 'no-cache');
      const form = readFormFields(request.body);
      switch (form.grant_type) {
        case 'client_credentials': {
          const credentials = readCredentials(request.headers.authorization, form);
          if (!credentials || credentials.secrets.length === 0)
            throw new OAuthError('invalid_client', 'client_id and client_secret are missing.');
          const client = await authenticate(request, credentials);
          const scope = resolveScope(form.scope, client.role);
          const tokens = await signIn(engine, lifetimes, { ...client, scope });
          request.log.info({ request_id: request.id, client: client.id, scope }, 'tokens issued');
          return tokens;
        }
        case 'refresh_token': {
          if (form.refresh_token === undefined)
            throw new OAuthError('invalid_request', 'refresh_token is missing.');
          const client = await findNamedClient(request, form);
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
      config: { public: true, rateLimit: 'token' },
      bodyLimit: MAX_FORM_BYTES,
      errorHandler: sendOAuthError,
      schema: {
        operationId: 'revokeToken',
        summary: 'Revoke a token',
        description:
          'RFC 7009. The holder of a token may revoke it. A refresh token is revoked together with its family. Takes effect at ' +
          'the next request. The response is the same for an unknown token.',
        form: RevokeRequest,
        response: { 200: Revoked, ...OAUTH_ERRORS },
      },
    },
    async (request) => {
      const form = readFormFields(request.body);
      if (form.token === undefined) throw new OAuthError('invalid_request', 'token is missing.');
      const client = await findNamedClient(request, form);
      if (!isToken(form.token)) return {};
      const done = await engine.write(
        revokeToken,
        { hash: hashToken(form.token), client, now: Date.now() },
        getWriteOptions(request),
      );
      if (done.outcome === 'not yours')
        throw new OAuthError('invalid_grant', 'The token belongs to another client.');
      if (done.outcome === 'reused') logTokenReuse(request, done.client_id);
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
      config: { scopes: [], clientCredentials: true, rateLimit: 'read' },
      bodyLimit: MAX_FORM_BYTES,
      errorHandler: sendOAuthError,
      schema: {
        operationId: 'introspectToken',
        summary: 'Introspect a token',
        description:
          'RFC 7662. For tokens of your own client; with the scope `clients:manage`, for all tokens. Instead of a token, a client ' +
          'may send its id and secret as for `/auth/token`.',
        form: IntrospectRequest,
        response: { 200: Introspection, ...OAUTH_ERRORS },
      },
    },
    async (request) => {
      const form = readFormFields(request.body);
      const { client, scopes } = await authenticateIntrospection(request, form);
      const { token } = form;
      if (token === undefined) throw new OAuthError('invalid_request', 'token is missing.');
      const row = isToken(token) ? await findToken(engine.db, hashToken(token), Date.now()) : undefined;
      if (!row || (row.client_id !== client && !scopes.has('clients:manage'))) return { active: false };
      return {
        active: true,
        client_id: row.client_id,
        sub: row.client_id,
        scope: [...effectiveScopes(row)].join(' '),
        ...((row.kind === 'access' || row.kind === 'key') && { token_type: 'Bearer' }),
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
        operationId: 'getCurrentClient',
        summary: 'Get the current client',
        response: { 200: CurrentClient },
      },
    },
    async (request) => {
      const { client: id, scopes, token } = getCaller(request);
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

const logTokenReuse = (request: FastifyRequest, client: string) =>
  request.log.warn({ request_id: request.id, client }, 'refresh token reused, token family revoked');

/** Sends OAuth's own errors as RFC 6749 specifies; other errors become problem documents. */
function sendOAuthError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const oauthError = toOAuthError(error);
  if (!oauthError) throw error;
  if (oauthError.compromisedClient !== undefined) logTokenReuse(request, oauthError.compromisedClient);
  if (oauthError.status === 401) reply.header('www-authenticate', 'Basic realm="quaestor", charset="UTF-8"');
  reply.code(oauthError.status).send({ error: oauthError.code, error_description: oauthError.message });
}

function toOAuthError(error: unknown): OAuthError | undefined {
  if (error instanceof OAuthError) return error;
  const { status, message, errors: faults } = toApiError(error);
  if (status !== 400) return undefined;
  const detail = faults?.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ');
  return new OAuthError('invalid_request', detail ?? message);
}
