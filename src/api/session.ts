/** Sessions of the console, by a cookie that scripts cannot read. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authenticateClient } from '../access/authentication.ts';
import { formatCookie, generateLink, generateSession, isCrossOrigin } from '../access/browser-sessions.ts';
import type { Guard } from '../access/guard.ts';
import { hashToken, isToken } from '../access/token-text.ts';
import { errors } from '../errors.ts';
import { ROLES } from '../schemas/scopes.ts';
import { CurrentSession, Session, SessionRequest, SignInLink } from '../schemas/session.ts';
import { Type } from '../schemas/type.ts';
import { createLink, endSession, redeemLink } from '../store/access/browser-sessions.ts';
import { getClient } from '../store/access/clients.ts';
import { issueTokens } from '../store/access/tokens.ts';
import type { Engine } from '../store/db.ts';
import { formatTime } from '../store/time.ts';
import { getActor } from './clients.ts';
import { getCaller, getWriteOptions, writeIdempotently } from './requests.ts';

const ClientPath = Type.Object({ id: Type.String({ description: "The client's id." }) });

export function sessionRoutes(
  app: FastifyInstance,
  { engine, guard }: { engine: Engine; guard: Guard },
): void {
  /** The id of the client for which a session was stored. */
  async function signIn(
    request: FastifyRequest,
    { client_id: id, client_secret, link }: SessionRequest,
    { row }: ReturnType<typeof generateSession>,
  ): Promise<string> {
    const options = getWriteOptions(request);
    if (link !== undefined) {
      const redeemed = isToken(link)
        ? await engine.write(
            redeemLink,
            { hash: hashToken(link), now: row.created_at, session: row },
            options,
          )
        : undefined;
      if (!redeemed) throw errors.invalidLink();
      return redeemed.client;
    }
    const credentials = { id: id!, secrets: [client_secret!] };
    const client = await authenticateClient(request, { engine, guard }, credentials);
    if (!client) throw errors.invalidCredentials();
    const token = { ...row, client_id: client.id, scope: ROLES[client.role].join(' ') };
    if (!(await engine.write(issueTokens, { tokens: [token], secret: client.secret }, options)))
      throw errors.invalidCredentials();
    return client.id;
  }

  function setCookie(request: FastifyRequest, reply: FastifyReply, text: string, maxAgeMs: number): void {
    reply.header('set-cookie', formatCookie(request, guard.isSecure(request), { text, maxAgeMs }));
  }

  async function describe(id: string, expiresAt: number) {
    const { client } = await getClient(engine.db, id);
    const { name, role } = client;
    return { client: { id, name, role }, scopes: [...ROLES[role]], expires_at: formatTime(expiresAt) };
  }

  app.post<{ Body: SessionRequest }>(
    '/session',
    {
      config: { public: true },
      schema: {
        operationId: 'createSession',
        summary: 'Sign in to the console',
        description:
          'With a client id and secret, or with a sign-in link, which is valid once. Sets a cookie for this origin. Requests ' +
          'of other sites are refused. Programs use `/auth/token` instead.',
        repeatable: true,
        body: SessionRequest,
        response: { 201: Session },
      },
    },
    async (request, reply) => {
      if (isCrossOrigin(request)) throw errors.crossOrigin();
      refuseAmbiguous(request.body);
      const session = generateSession(Date.now());
      const client = await signIn(request, request.body, session);
      request.log.info({ request_id: request.id, client, link: 'link' in request.body }, 'session started');
      setCookie(request, reply, session.text, session.row.ends_at - session.row.created_at);
      return reply.code(201).send(await describe(client, session.row.expires_at));
    },
  );

  app.get(
    '/session',
    {
      config: { public: true },
      schema: {
        operationId: 'getSession',
        summary: 'Get the session',
        description:
          'The client that a cookie or token belongs to, and its scopes; `client` is null without one.',
        response: { 200: CurrentSession },
      },
    },
    async (request) => {
      const caller = await guard.findCaller(request);
      if (!caller || caller.bound) return { client: null };
      const { client, scopes, token } = caller;
      return { ...(await describe(client, token.expires_at)), scopes: [...scopes] };
    },
  );

  app.delete(
    '/session',
    {
      config: { scopes: [] },
      schema: {
        operationId: 'deleteSession',
        summary: 'Sign out',
        description: 'The session is invalid from the next request on. A token in a header is not revoked.',
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { token, client } = getCaller(request);
      if (token.kind === 'session') {
        await engine.write(endSession, { id: token.id }, getWriteOptions(request));
        request.log.info({ request_id: request.id, client }, 'session ended');
      }
      setCookie(request, reply, '', 0);
      return reply.header('clear-site-data', '"cache"').code(204).send();
    },
  );

  app.post<{ Params: { id: string } }>(
    '/auth/clients/:id/link',
    {
      config: { scopes: ['clients:manage'] },
      schema: {
        operationId: 'createSignInLink',
        summary: 'Create a sign-in link',
        description:
          'With it, the client signs in to the console without its secret: once, within 30 minutes. A new link replaces the previous one.',
        params: ClientPath,
        response: { 201: SignInLink },
      },
    },
    async (request, reply) => {
      const link = generateLink(request.params.id, Date.now());
      const args = { link: link.row, by: getActor(request) };
      const stored = await writeIdempotently(engine, request, createLink, args);
      const isNew = stored.id === link.row.id;
      if (isNew)
        request.log.info(
          { request_id: request.id, by: request.caller?.client, client: request.params.id },
          'sign-in link created',
        );
      return reply
        .code(201)
        .send({ link: isNew ? link.text : null, expires_at: formatTime(stored.expires_at) });
    },
  );
}

/** Either a link, or a client id with its secret. */
function refuseAmbiguous({ client_id, client_secret, link }: SessionRequest): void {
  const hasBoth = client_id !== undefined && client_secret !== undefined;
  const isValid = link === undefined ? hasBoth : client_id === undefined && client_secret === undefined;
  if (isValid) return;
  const detail = 'must have either link, or client_id and client_secret';
  throw errors.invalidBody([{ pointer: '', code: 'invalid_combination', detail }]);
}
