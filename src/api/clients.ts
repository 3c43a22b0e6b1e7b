/** Clients and their keys: who may use the bank. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { DAY, type Lifetimes, newKey, newSecret } from '../access/sessions.ts';
import { errors } from '../errors.ts';
import { ifMatch, sendJson, sendTagged } from '../http/preconditions.ts';
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
import { asPage } from './paging.ts';
import { basePath, callerOf, writeOnce } from './requests.ts';

const MANAGE = ['clients:manage'] as const;
const DEFAULT_DAYS = 90;

const ClientPath = Type.Object({ id: Type.String({ description: "The client's id." }) });
const KeyPath = Type.Object({ id: Type.String({ description: "The key's id." }) });
type ById = { Params: { id: string } };

/** Whoever asks, to be looked at again when it is done. */
const by = (request: FastifyRequest): Actor => {
  const { client, scopes, token } = callerOf(request);
  return { client, token: token.id, manages: scopes.has('clients:manage'), now: Date.now() };
};

/** Who has changed who may do what belongs in the log. */
const note = (request: FastifyRequest, what: string, about: object) =>
  request.log.info({ request_id: request.id, by: request.caller?.client, ...about }, what);

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
      return sendJson(reply, asPage(request, reply, { limit }, { ...page, offset, last: undefined }));
    },
  );

  app.post<{ Body: ClientInput }>(
    '/auth/clients',
    {
      config: { scopes: MANAGE },
      schema: {
        summary: 'Add a client',
        description: 'The answer holds its secret, which is shown this once.',
        body: ClientInput,
        response: { 201: ClientWithSecret },
      },
    },
    async (request, reply) => {
      const secret = await newSecret();
      const at = Date.now();
      const id = uuidv7(at);
      const { name, role } = request.body;
      const made = { id, name, role, secret: secret.hash, by: by(request), at };
      const { etag, client } = await writeOnce(engine, request, createClient, made);
      if (client.id === id) note(request, 'client added', { client: id, role });
      return reply
        .code(201)
        .headers({ location: `${basePath(request)}/auth/clients/${client.id}`, etag })
        .send({ ...client, secret: client.id === id ? secret.text : null });
    },
  );

  app.get<ById>(
    '/auth/clients/:id',
    {
      config: { scopes: MANAGE },
      schema: { summary: 'Fetch a client', params: ClientPath, response: { 200: Client } },
    },
    async (request, reply) => {
      const { etag, client } = await getClient(engine.db, request.params.id);
      return sendTagged(request, reply, etag, JSON.stringify(client));
    },
  );

  app.put<ById & { Body: ClientChange }>(
    '/auth/clients/:id',
    {
      config: { scopes: MANAGE },
      schema: {
        summary: 'Rename a client or give it another role',
        description: 'A role takes effect at the next request, on tokens it has already, too.',
        params: ClientPath,
        body: ClientChange,
        response: { 200: Client },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const update = { id, change: request.body, by: by(request), at: Date.now(), ifMatch: ifMatch(request) };
      const { etag, client } = await engine.write(updateClient, update);
      note(request, 'client changed', { client: id, role: client.role });
      return reply.header('etag', etag).send(client);
    },
  );

  app.delete<ById>(
    '/auth/clients/:id',
    {
      config: { scopes: MANAGE },
      schema: {
        summary: 'Remove a client',
        description: 'Its tokens and keys end with it.',
        params: ClientPath,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      await engine.write(deleteClient, { id, by: by(request), ifMatch: ifMatch(request) });
      note(request, 'client removed', { client: id });
      return reply.code(204).send();
    },
  );

  app.post<ById>(
    '/auth/clients/:id/secret',
    {
      config: { scopes: MANAGE },
      schema: {
        operationId: 'rotateClientSecret',
        summary: 'Give a client a new secret',
        description:
          'The old one is good no more, nor are the tokens it got. Its keys stay; delete those that may have leaked. The ' +
          'new secret is shown this once.',
        params: ClientPath,
        response: { 200: ClientWithSecret },
      },
    },
    async (request) => {
      const { id } = request.params;
      const secret = await newSecret();
      const at = Date.now();
      const mine = uuidv7(at);
      const change = { id, secret: secret.hash, by: by(request), at, nonce: mine };
      const { client, nonce } = await writeOnce(engine, request, changeSecret, change);
      if (nonce === mine) note(request, 'secret changed', { client: id });
      return { ...client, secret: nonce === mine ? secret.text : null };
    },
  );
}

export function keyRoutes(app: FastifyInstance, engine: Engine, lifetimes: Lifetimes): void {
  /** Which keys a request may see and end: a key only itself, a token its client's, a manager all. */
  const reach = (request: FastifyRequest): KeyFilter => {
    const { client, scopes, token } = callerOf(request);
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
          'With a token, those of your client; with a key, that key alone; with the scope `clients:manage`, those of every client.',
        querystring: KeyQuery,
        response: { 200: KeyList },
      },
    },
    async (request, reply) => {
      const { limit = 20, offset = 0, client_id } = request.query;
      const own = reach(request);
      if (own.client !== undefined && client_id !== undefined && client_id !== own.client)
        throw errors.insufficientScope(MANAGE, "Listing another client's keys");
      const filter = { client: client_id, ...own };
      const page = await listKeys(engine.db, { ...filter, now: Date.now(), limit, offset });
      return sendJson(reply, asPage(request, reply, { limit }, { ...page, offset, last: undefined }));
    },
  );

  app.post<{ Body: KeyInput }>(
    '/auth/tokens',
    {
      config: { scopes: [] },
      schema: {
        operationId: 'createKey',
        summary: 'Make a key',
        description:
          'A token with a name and a longer life, for a program. The answer holds it, and it is shown this once. A key cannot ' +
          'make keys, unless it has the scope `clients:manage`.',
        body: KeyInput,
        response: { 201: KeyWithToken },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const { name, scopes, client_id = caller.client, expires_in_days = DEFAULT_DAYS } = request.body;
      const manages = caller.scopes.has('clients:manage');
      if (!manages) {
        if (client_id !== caller.client) throw errors.insufficientScope(MANAGE, 'A key for another client');
        if (caller.token.kind === 'key') throw errors.keysMakeNoKeys();
        const more = (scopes ?? []).filter((scope) => !caller.scopes.has(scope));
        if (more.length > 0) throw errors.insufficientScope(more, 'A key with them');
      }
      const lifetime = Math.min(expires_in_days * DAY, lifetimes.key);
      const { text, row } = newKey({ client_id, family: caller.family, name, at: Date.now(), lifetime });
      const mine = client_id === caller.client ? [...caller.scopes] : undefined;
      const key = await writeOnce(engine, request, createKey, {
        token: row,
        scopes: scopes ?? mine,
        by: by(request),
      });
      const fresh = key.id === row.id;
      if (fresh) note(request, 'key made', { client: client_id, key: key.id, scopes: key.scopes });
      return reply.code(201).send({ ...key, token: fresh ? text : null });
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
          'Your own; that of any client with the scope `clients:manage`. It holds from the next request on.',
        params: KeyPath,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await engine.write(deleteKey, { id: request.params.id, reach: reach(request), by: by(request) });
      note(request, 'key revoked', { key: request.params.id });
      return reply.code(204).send();
    },
  );
}
