import type { FastifyInstance, FastifyRequest } from 'fastify';
import { hash32 } from '../bits/hash.ts';
import { errors, MAX_FAULTS } from '../errors.ts';
import { sendJson } from '../http/preconditions.ts';
import { countFaults, readSchemaFaults } from '../http/request-checks.ts';
import {
  DeleteRespondentQuery,
  RespondentDeleted,
  Response,
  ResponseAccepted,
  type ResponseInput,
  ResponseList,
  ResponseQuery,
  ResponsesInput,
  ResponsesRecorded,
} from '../schemas/response.ts';
import { findResponseFaults } from '../schemas/response-rules.ts';
import { Type } from '../schemas/type.ts';
import { canonicalId } from '../store/ids.ts';
import { listResponses } from '../store/responses/list.ts';
import { toRecord } from '../store/responses/record.ts';
import { deleteRespondent, parseResponse, recordResponses } from '../store/responses/responses.ts';
import { isCut, type ListDeps, parsePageStart, renderPage } from './paging.ts';
import { getCallOptions, getView, getVisibility, getWriteOptions, writeIdempotently } from './requests.ts';

const MAX_ARRAY_BYTES = 10 * 1024 * 1024;
const RECORD = ['responses:write'] as const;
/** Scored responses disclose the correct answers. */
const READ = ['responses:write', 'answers:read'] as const;

export function responseRoutes(
  app: FastifyInstance,
  { engine, cursors, maxPageBytes, largePages, quotas }: ListDeps,
): void {
  app.post(
    '/responses',
    {
      config: { scopes: RECORD, views: true },
      bodyLimit: MAX_ARRAY_BYTES,
      attachValidation: true,
      schema: {
        summary: 'Record responses',
        description:
          'There is one response per question, respondent and session; a repeated one replaces it. An array is stored completely or not at ' +
          'all, and the result is the number of responses. For a single response the result is the response itself (201, or 200 if it replaced ' +
          'another one), without `answers:read` unscored.',
        body: ResponsesInput,
        response: {
          201: Type.Union([Response, ResponseAccepted, ResponsesRecorded]),
          200: Type.Union([Response, ResponseAccepted]),
        },
      },
    },
    async (request, reply) => {
      const { inputs, many } = parseResponses(request);
      const recording = { inputs, many, at: Date.now(), visibility: getVisibility(request) };
      const { created, one } = await writeIdempotently(engine, request, recordResponses, async () => {
        await quotas.check(request, 0);
        return recording;
      });
      const received = inputs.length;
      if (!one) return reply.code(201).send({ received, created, replaced: received - created });
      const { question_id, respondent, session } = inputs[0]!;
      const { group, at, correct } = one;
      const subject = { question_id, respondent, session: session ?? '', group };
      const record = toRecord(subject, { ...parseResponse(inputs[0]!), at });
      reply.code(created === 1 ? 201 : 200);
      return getView(request) === 'with_answers' ? { ...record, correct } : record;
    },
  );

  app.get<{ Querystring: ResponseQuery }>(
    '/responses',
    {
      config: { scopes: READ },
      schema: {
        summary: 'List responses',
        description: 'Ordered by the start of the session, then by question. `total` is exact.',
        querystring: ResponseQuery,
        response: { 200: ResponseList },
      },
    },
    async (request, reply) => {
      const { limit = 20, offset, cursor, ...filter } = request.query;
      const list = hash32(JSON.stringify(['responses', Object.entries(filter).sort()]));
      const start = parsePageStart({ cursor, offset }, (text) => cursors.decodeResponse(text, list));
      return largePages.send(reply, maxPageBytes, async (maxBytes) => {
        const page = await engine.search(
          listResponses,
          { filter, start, limit, maxBytes, visibility: getVisibility(request) },
          getCallOptions(request),
        );
        const next = () => cursors.encodeResponse(page.position!, list);
        return {
          cut: isCut(limit, page),
          send: () => sendJson(reply, renderPage(request, reply, { limit, next }, page)),
        };
      });
    },
  );

  app.delete<{ Querystring: DeleteRespondentQuery }>(
    '/responses',
    {
      config: { scopes: RECORD },
      schema: {
        operationId: 'deleteRespondent',
        summary: 'Delete a respondent',
        description:
          'Permanently deletes all responses, reports and draws of a respondent. Results of analyses keep their statistics about questions, but no longer name ' +
          'the respondent.',
        querystring: DeleteRespondentQuery,
        response: { 200: RespondentDeleted },
      },
    },
    async (request) => ({
      deleted: await engine.write(deleteRespondent, request.query.respondent, getWriteOptions(request)),
    }),
  );
}

function parseResponses(request: FastifyRequest): { inputs: ResponseInput[]; many: boolean } {
  const faults = readSchemaFaults(request);
  const many = Array.isArray(request.body);
  const inputs = (many ? request.body : [request.body]) as ResponseInput[];
  const reported = new Set(faults.map(({ pointer }) => pointer));
  for (const [i, input] of inputs.entries())
    for (const fault of findResponseFaults(input, many ? `/${i}` : ''))
      if (faults.length <= MAX_FAULTS && !reported.has(fault.pointer)) faults.push(fault);
  if (faults.length > 0) throw errors.invalidBody(faults, countFaults(faults));
  for (const input of inputs) input.question_id = canonicalId(input.question_id)!;
  return { inputs, many };
}
