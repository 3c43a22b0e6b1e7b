import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { hash32 } from '../bits/hash.ts';
import { errors, type Fault, MOST_FAULTS } from '../errors.ts';
import { sendJson } from '../http/preconditions.ts';
import { faultCount, schemaFaults } from '../http/request-checks.ts';
import {
  ForgetQuery,
  RespondentDeleted,
  Response,
  ResponseAccepted,
  type ResponseInput,
  ResponseList,
  ResponseQuery,
  ResponsesInput,
  ResponsesRecorded,
} from '../schemas/response.ts';
import type { Engine } from '../store/db.ts';
import { canonicalId } from '../store/ids.ts';
import { listResponses } from '../store/responses/list.ts';
import { responseRecord } from '../store/responses/record.ts';
import { deleteRespondent, parseResponse, recordResponses } from '../store/responses/responses.ts';
import type { Cursors } from './cursors.ts';
import { asPage, startOf } from './paging.ts';
import { viewOf, writeOnce } from './requests.ts';

const LARGEST_ARRAY = 10 * 1024 * 1024;
const RECORD = ['responses:write'] as const;
/** What people answered and whether it was right tells the answers. */
const READ = ['responses:write', 'answers:read'] as const;

export function responseRoutes(app: FastifyInstance, engine: Engine, cursors: Cursors): void {
  app.post(
    '/responses',
    {
      config: { scopes: RECORD, views: true },
      bodyLimit: LARGEST_ARRAY,
      attachValidation: true,
      schema: {
        summary: 'Record one response or many',
        description:
          'There is one response for each question, respondent and session; a repeated one takes the place of the one before. An array is stored ' +
          'all or none and answered with how many there were. A single one is answered with the response (201, or 200 if it replaced another); ' +
          'without `answers:read`, it does not say whether the answer is right.',
        body: ResponsesInput,
        response: {
          201: Type.Union([Response, ResponseAccepted, ResponsesRecorded]),
          200: Type.Union([Response, ResponseAccepted]),
        },
      },
    },
    async (request, reply) => {
      const { inputs, many } = accepted(request);
      const recording = { inputs, many, at: Date.now() };
      const { created, one } = await writeOnce(engine, request, recordResponses, recording);
      const received = inputs.length;
      if (!one) return reply.code(201).send({ received, created, replaced: received - created });
      const { question_id, respondent, session } = inputs[0]!;
      const { group, at, correct } = one;
      const whose = { question_id, respondent, session: session ?? '', group };
      const record = responseRecord(whose, { ...parseResponse(inputs[0]!), at });
      reply.code(created === 1 ? 201 : 200);
      return viewOf(request) === 'with_answers' ? { ...record, correct } : record;
    },
  );

  app.get<{ Querystring: ResponseQuery }>(
    '/responses',
    {
      config: { scopes: READ },
      schema: {
        summary: 'List responses',
        description:
          'In the order in which respondents began their sessions, and within a session in the order of the questions. `total` is exact.',
        querystring: ResponseQuery,
        response: { 200: ResponseList },
      },
    },
    async (request, reply) => {
      const { limit = 20, offset, cursor, ...filter } = request.query;
      const list = hash32(JSON.stringify(['responses', Object.entries(filter).sort()]));
      const start = startOf({ cursor, offset }, (text) => cursors.readResponse(text, list));
      const page = await engine.search(listResponses, { filter, start, limit });
      const next = () => cursors.writeResponse(page.position!, list);
      return sendJson(reply, asPage(request, reply, { limit, next }, page));
    },
  );

  app.delete<{ Querystring: ForgetQuery }>(
    '/responses',
    {
      config: { scopes: RECORD },
      schema: {
        operationId: 'forgetRespondent',
        summary: 'Forget a respondent',
        description:
          'Deletes everything the respondent answered, in all sessions, for good. Results of analyses keep their figures about questions, but no ' +
          'longer name the respondent.',
        querystring: ForgetQuery,
        response: { 200: RespondentDeleted },
      },
    },
    async (request) => ({ deleted: await engine.write(deleteRespondent, request.query.respondent) }),
  );
}

/** The responses of a request, or every fault they have. */
function accepted(request: FastifyRequest): { inputs: ResponseInput[]; many: boolean } {
  const faults = schemaFaults(request);
  const many = Array.isArray(request.body);
  const inputs = (many ? request.body : [request.body]) as ResponseInput[];
  const told = new Set(faults.map(({ pointer }) => pointer));
  for (const [i, input] of inputs.entries())
    for (const fault of faultsOf(input, many ? `/${i}` : ''))
      if (faults.length <= MOST_FAULTS && !told.has(fault.pointer)) faults.push(fault);
  if (faults.length > 0) throw errors.invalidBody(faults, faultCount(faults));
  for (const input of inputs) input.question_id = canonicalId(input.question_id)!;
  return { inputs, many };
}

/** What a schema cannot say: that there is exactly one outcome, and a moment that clocks have. */
function faultsOf(input: unknown, at: string): Fault[] {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return [];
  const { answer, correct, missing, answered_at } = input as Record<string, unknown>;
  const faults: Fault[] = [];
  const given = [answer, correct, missing].filter((each) => each !== undefined).length;
  if (given === 0)
    faults.push({
      pointer: `${at}/answer`,
      code: 'required',
      detail: 'is required, or correct, or missing in its place: what came of the question?',
    });
  if (given > 1)
    faults.push({
      pointer: at,
      code: 'conflict',
      detail: 'says more than once what came of the question: give one of answer, correct and missing',
    });
  // A leap second is a valid moment, but none that a computer's clock has; and a year has four digits, in UTC too.
  if (typeof answered_at === 'string' && !isMoment(Date.parse(answered_at)))
    faults.push({
      pointer: `${at}/answered_at`,
      code: 'invalid_format',
      detail: 'must be a moment such as 2026-03-01T09:30:00.000Z',
    });
  return faults;
}

const [FIRST, LAST] = [Date.parse('0000-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')];
const isMoment = (at: number) => at >= FIRST && at <= LAST;
