import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DAY_MS, generateKey, generateSecret, type Lifetimes } from '../access/sessions.ts';
import { errors } from '../errors.ts';
import { readIfMatch, sendJson, sendWithEtag } from '../http/preconditions.ts';
import { getBasePath } from '../http/url.ts';
import {
  Client,
  ClientChange,
  ClientInput,
  ClientList,
  ClientQuery,
  ClientWithSecret,
  KeyInput,
  KeyList,
  KeyQuery,
  KeyWithToken,
} from '../schemas/client.ts';
import { Type } from '../schemas/type.ts';
import type { Actor } from '../store/access/client-row.ts';
import {
  changeSecret,
  createClient,
  deleteClient,
  getClient,
  listClients,
  updateClient,
} from '../store/access/clients.ts';
import { createKey, deleteKey, type KeyFilter, listKeys } from '../store/access/tokens.ts';
import type { Engine } from '../store/db.ts';
import { uuidv7 } from '../store/ids.ts';
import { addChangeRoutes } from './change-routes.ts';
import { renderPage } from './paging.ts';
import { getCaller, getWriteOptions, writeIdempotently } from './requests.ts';

const MANAGE = ['clients:manage'] as const;
const DEFAULT_KEY_DAYS = 90;

const ClientPath = Type.Object({ id: Type.String({ description: "The client's id." }) });
const KeyPath = Type.Object({ id: Type.String({ description: "The key's id." }) });
type ById = { Params: { id: string } };

/** The caller, who is authorised again in the transaction of the change. */
export const getActor = (request: FastifyRequest): Actor => {
  const { client, scopes, token } = getCaller(request);
  return { client, token: token.id, manages: scopes.has('clients:manage'), now: Date.now() };
};

/** Changes of access rights are logged. */
const audit = (request: FastifyRequest, message: string, details: object) =>
  request.log.info({ request_id: request.id, by: request.caller?.client, ...details }, message);

export function clientRoutes(app: FastifyInstance, engine: Engine): void {
  app.get<{ Querystring: ClientQuery }>(
    '/auth/clients',
    {
      config: { scopes: MANAGE },
      schema: { summary: 'List clients', querystring: ClientQuery, response: { 200: ClientList } },
    },
    async (request, reply) => {
      const { limit = 20, offset = 0 } = request.query;
      const page = await listClients(engine.db, { limit, offset });
      return sendJson(reply, renderPage(request, reply, { limit }, { ...page, offset, last: undefined }));
    },
  );

  app.post<{ Body: ClientInput }>(
    '/auth/clients',
    {
      config: { scopes: MANAGE },
      schema: {
        summary: 'Create a client',
        description: 'The response contains its secret, which is shown only once.',
        body: ClientInput,
        response: { 201: ClientWithSecret },
      },
    },
    async (request, reply) => {
      const secret = await generateSecret();
      const at = Date.now();
      const id = uuidv7(at);
      const { name, role } = request.body;
      const creation = { id, name, role, secret: secret.hash, by: getActor(request), at };
      const { etag, client } = await writeIdempotently(engine, request, createClient, creation);
      if (client.id === id) audit(request, 'client created', { client: id, role });
      return reply
        .code(201)
        .headers({ location: `${getBasePath(request)}/auth/clients/${client.id}`, etag })
        .send({ ...client, secret: client.id === id ? secret.text : null });
    },
  );

  app.get<ById>(
    '/auth/clients/:id',
    {
      config: { scopes: MANAGE },
      schema: { summary: 'Get a client', params: ClientPath, response: { 200: Client } },
    },
    async (request, reply) => {
      const { etag, client } = await getClient(engine.db, request.params.id);
      return sendWithEtag(request, reply, etag, JSON.stringify(client));
    },
  );

  addChangeRoutes<ById & { Body: ClientChange }>(app, {
    url: '/auth/clients/:id',
    config: { scopes: MANAGE },
    schema: {
      summary: 'Update a client',
      description: 'A new role takes effect at the next request, also for existing tokens.',
      params: ClientPath,
      body: ClientChange,
      response: { 200: Client },
    },
    handler: async (request, reply) => {
      const { id } = request.params;
      const update = {
        id,
        change: request.body,
        by: getActor(request),
        at: Date.now(),
        ifMatch: readIfMatch(request),
      };
      const { etag, client } = await engine.write(updateClient, update, getWriteOptions(request));
      audit(request, 'client updated', { client: id, role: client.role });
      return reply.header('etag', etag).send(client);
    },
  });

  app.delete<ById>(
    '/auth/clients/:id',
    {
      config: { scopes: MANAGE },
      schema: {
        summary: 'Delete a client',
        description: 'Its tokens and keys are revoked.',
        params: ClientPath,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      await engine.write(
        deleteClient,
        { id, by: getActor(request), ifMatch: readIfMatch(request) },
        getWriteOptions(request),
      );
      audit(request, 'client deleted', { client: id });
      return reply.code(204).send();
    },
  );

  app.post<ById>(
    '/auth/clients/:id/secret',
    {
      config: { scopes: MANAGE },
      schema: {
        operationId: 'rotateClientSecret',
        summary: 'Rotate a client secret',
        description:
          'The old secret and the tokens issued for it are revoked. Keys stay valid; revoke those that may have leaked. The ' +
          'new secret is shown only once.',
        params: ClientPath,
        response: { 200: ClientWithSecret },
      },
    },
    async (request) => {
      const { id } = request.params;
      const secret = await generateSecret();
      const at = Date.now();
      const ownNonce = uuidv7(at);
      const change = { id, secret: secret.hash, by: getActor(request), at, nonce: ownNonce };
      const { client, nonce } = await writeIdempotently(engine, request, changeSecret, change);
      // Another nonce means that the result of an earlier request is repeated.
      const isNew = nonce === ownNonce;
      if (isNew) audit(request, 'client secret rotated', { client: id });
      return { ...client, secret: isNew ? secret.text : null };
    },
  );
}

export function keyRoutes(app: FastifyInstance, engine: Engine, lifetimes: Lifetimes): void {
  /**
   * The keys a caller may see and revoke: a key only itself, an access token its client's, a
   * manager all.
   */
  const getReach = (request: FastifyRequest): KeyFilter => {
    const { client, scopes, token } = getCaller(request);
    if (scopes.has('clients:manage')) return {};
    return token.kind === 'key' ? { client, id: token.id } : { client };
  };

  app.get<{ Querystring: KeyQuery }>(
    '/auth/tokens',
    {
      config: { scopes: [] },
      schema: {
        operationId: 'listKeys',
        summary: 'List keys',
        description:
          'With an access token, the keys of your client; with a key, only that key; with the scope `clients:manage`, all keys.',
        querystring: KeyQuery,
        response: { 200: KeyList },
      },
    },
    async (request, reply) => {
      const { limit = 20, offset = 0, client_id } = request.query;
      const reach = getReach(request);
      if (reach.client !== undefined && client_id !== undefined && client_id !== reach.client)
        throw errors.insufficientScope(MANAGE, "Listing another client's keys");
      const filter = { client: client_id, ...reach };
      const page = await listKeys(engine.db, { ...filter, now: Date.now(), limit, offset });
      return sendJson(reply, renderPage(request, reply, { limit }, { ...page, offset, last: undefined }));
    },
  );

  app.post<{ Body: KeyInput }>(
    '/auth/tokens',
    {
      config: { scopes: [] },
      schema: {
        operationId: 'createKey',
        summary: 'Create a key',
        description:
          'A key is a long-lived token with a name, for programs. The response contains it; it is shown only once. A key cannot ' +
          'create keys, unless it has the scope `clients:manage`.',
        body: KeyInput,
        response: { 201: KeyWithToken },
      },
    },
    async (request, reply) => {
      const caller = getCaller(request);
      const { name, scopes, client_id = caller.client, expires_in_days = DEFAULT_KEY_DAYS } = request.body;
      const manages = caller.scopes.has('clients:manage');
      if (!manages) {
        if (client_id !== caller.client)
          throw errors.insufficientScope(MANAGE, 'Creating a key for another client');
        if (caller.token.kind === 'key') throw errors.keyCannotCreateKeys();
        const missing = (scopes ?? []).filter((scope) => !caller.scopes.has(scope));
        if (missing.length > 0) throw errors.insufficientScope(missing, 'Creating this key');
      }
      const lifetime = Math.min(expires_in_days * DAY_MS, lifetimes.key);
      const { text, row } = generateKey({ client_id, family: caller.family, name, at: Date.now(), lifetime });
      const defaultScopes = client_id === caller.client ? [...caller.scopes] : undefined;
      const key = await writeIdempotently(engine, request, createKey, {
        token: row,
        scopes: scopes ?? defaultScopes,
        by: getActor(request),
      });
      const isNew = key.id === row.id;
      if (isNew) audit(request, 'key created', { client: client_id, key: key.id, scopes: key.scopes });
      return reply.code(201).send({ ...key, token: isNew ? text : null });
    },
  );

  app.delete<ById>(
    '/auth/tokens/:id',
    {
      config: { scopes: [] },
      schema: {
        operationId: 'deleteKey',
        summary: 'Revoke a key',
        description:
          'A key of your client; with the scope `clients:manage`, of any client. Takes effect at the next request.',
        params: KeyPath,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await engine.write(
        deleteKey,
        { id: request.params.id, reach: getReach(request), by: getActor(request) },
        getWriteOptions(request),
      );
      audit(request, 'key revoked', { key: request.params.id });
      return reply.code(204).send();
    },
  );
}
