/** Tokens for pages that show draws to a respondent. */
import type { FastifyInstance } from 'fastify';
import { generateDrawToken } from '../access/sessions.ts';
import { errors, type Fault } from '../errors.ts';
import { DrawToken, DrawTokenInput } from '../schemas/draw.ts';
import { Type } from '../schemas/type.ts';
import { createDrawToken, revokeDrawTokens } from '../store/access/draw-tokens.ts';
import type { Engine } from '../store/db.ts';
import { getDraw } from '../store/draws/draws.ts';
import { formatTime } from '../store/time.ts';
import { getActor } from './clients.ts';
import { getDrawReader, getRespondent } from './draw-access.ts';
import { getCaller, getWriteOptions, writeIdempotently } from './requests.ts';

/** What the token may do, its creator must be allowed to do. */
const RECORD = ['questions:read', 'responses:write', 'answers:check'] as const;
const DEFAULT_SECONDS = 3600;

const DrawPath = Type.Object({ id: Type.String({ description: "The draw's id." }) });

export function drawTokenRoutes(app: FastifyInstance, engine: Engine): void {
  app.post<{ Params: { id: string }; Body: DrawTokenInput }>(
    '/draws/:id/tokens',
    {
      config: { scopes: RECORD },
      schema: {
        operationId: 'createDrawToken',
        summary: 'Create a token for a draw',
        description:
          'For a page in the browser of a respondent: the token reads the draw, without answers, checks answers to its questions and records ' +
          'responses, for this respondent alone. It does nothing else. Its requests count towards rate limits of its own.',
        params: DrawPath,
        body: DrawTokenInput,
        response: { 201: DrawToken },
      },
    },
    async (request, reply) => {
      const { expires_in_seconds = DEFAULT_SECONDS, draws: others = [] } = request.body;
      const reader = getDrawReader(request);
      const first = await getDraw(engine.db, request.params.id, reader);
      const rows = [first];
      const faults: Fault[] = [];
      const respondent = getRespondent(request, first, request.body.respondent);
      for (const [i, id] of others.entries()) {
        const row = await getDraw(engine.db, id, reader);
        if (row.respondent !== null && row.respondent !== respondent)
          faults.push({
            pointer: `/draws/${i}`,
            code: 'conflict',
            detail: 'is a draw for another respondent',
          });
        rows.push(row);
      }
      if (faults.length > 0) throw errors.invalidBody(faults);
      const { client, family } = getCaller(request);
      const draws = [...new Set(rows.map(({ id }) => id))];
      const at = Date.now();
      const lifetime = expires_in_seconds * 1000;
      const { text, row } = generateDrawToken({ client_id: client, family, respondent, draws, at, lifetime });
      const { id, created_at, expires_at } = await writeIdempotently(engine, request, createDrawToken, {
        token: row,
        by: getActor(request),
      });
      const isNew = id === row.id;
      if (isNew)
        request.log.info({ request_id: request.id, by: client, token: id }, 'token for draws created');
      return reply.code(201).send({
        ...{ id, token: isNew ? text : null, respondent, draws },
        created_at: formatTime(created_at),
        expires_at: formatTime(expires_at),
      });
    },
  );

  app.delete<{ Params: { id: string } }>(
    '/draws/:id/tokens',
    {
      config: { scopes: RECORD },
      schema: {
        operationId: 'revokeDrawTokens',
        summary: 'Revoke the tokens for a draw',
        description:
          'Those that your client created or, with `responses:write` and `answers:read`, all. Takes effect at the next request. Also `POST ' +
          '/auth/revoke` revokes a single one.',
        params: DrawPath,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const reader = getDrawReader(request);
      const { id } = await getDraw(engine.db, request.params.id, reader);
      const revocation = {
        draw: id,
        client: reader.readsAll ? undefined : reader.client,
        by: getActor(request),
      };
      await engine.write(revokeDrawTokens, revocation, getWriteOptions(request));
      request.log.info({ request_id: request.id, by: reader.client, draw: id }, 'tokens for a draw revoked');
      return reply.code(204).send();
    },
  );
}
