/** Draws: random questions that are handed out together, and repeated as they were. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { errors, type Fault } from '../errors.ts';
import { sendJson, sendWithEtag } from '../http/preconditions.ts';
import { readSchemaFaults } from '../http/request-checks.ts';
import { getBasePath } from '../http/url.ts';
import { Draw, DrawInput, DrawList, DrawQuery, DrawResponses, DrawScore } from '../schemas/draw.ts';
import { findAnswerFaults, findDrawFaults } from '../schemas/draw-rules.ts';
import type { QuestionFilter } from '../schemas/question-filter.ts';
import type { Scope } from '../schemas/scopes.ts';
import { Type } from '../schemas/type.ts';
import { getDraw, listDraws, type NewDraw, renderDraw, storeDraw } from '../store/draws/draws.ts';
import { drawErrors, isDrawConflict } from '../store/draws/errors.ts';
import { recordDraw } from '../store/draws/responses.ts';
import { selectDraw } from '../store/draws/selection.ts';
import { findCategoryFaults } from '../store/questions/criteria.ts';
import { etagOfBody } from '../store/questions/row.ts';
import { getDrawnItems, getDrawReader, getRespondent } from './draw-access.ts';
import { checkFilter, type ListDeps, renderPage } from './paging.ts';
import { drawSeed } from './random-list.ts';
import { getCaller, getCallOptions, getReader, getView, writeIdempotently } from './requests.ts';

const READ = ['questions:read'] as const;
/** A draw is stored. Callers that only read store nothing. */
const DRAW = ['questions:read', 'answers:check'] as const;
/** The result discloses whether answers are correct, as a check does. */
const RECORD = ['questions:read', 'responses:write', 'answers:check'] as const;

/** How often a draw is repeated if the respondent is handed other questions meanwhile. */
const MAX_ATTEMPTS = 5;
/** Excluded ids make a body large. */
const MAX_BYTES = 1024 * 1024;

const DrawPath = Type.Object({ id: Type.String({ description: "The draw's id." }) });

export function drawRoutes(app: FastifyInstance, { engine, quotas, maxPageBytes }: ListDeps): void {
  app.post<{ Body: DrawInput }>(
    '/draws',
    {
      config: { scopes: DRAW, views: true },
      bodyLimit: MAX_BYTES,
      attachValidation: true,
      schema: {
        operationId: 'drawQuestions',
        summary: 'Draw questions',
        description:
          'Draws random questions, uniformly and without repeats, and stores which ones were handed out, with their revisions and the order of ' +
          'their options. `GET /draws/{id}` repeats the response. Draws are kept for a year. Without `answers:read`, questions are shown ' +
          'without answers.',
        creates: '/draws/:id',
        body: DrawInput,
        response: { 201: Draw },
      },
    },
    async (request, reply) => {
      const body = await parseDraw(request);
      const draw = () =>
        writeIdempotently(engine, request, storeDraw, async () => {
          await quotas.check(request, 0);
          return select(request, body);
        });
      const { id } = await retryConflicts(draw);
      const row = await getDraw(engine.db, id, getDrawReader(request));
      reply.code(201).header('location', `${getBasePath(request)}/draws/${id}`);
      const text = await renderDraw(engine.db, row, getView(request));
      return sendJson(reply.header('etag', etagOfBody(text)), text);
    },
  );

  app.get<{ Querystring: DrawQuery }>(
    '/draws',
    {
      config: { scopes: READ },
      schema: {
        summary: 'List draws',
        description:
          'Newest first, without their questions: those of your client or, with `responses:write` and `answers:read`, all.',
        querystring: DrawQuery,
        response: { 200: DrawList },
      },
    },
    async (request, reply) => {
      const { limit = 20, offset = 0, respondent } = request.query;
      const page = await listDraws(engine.db, { ...getDrawReader(request), respondent, limit, offset });
      return sendJson(reply, renderPage(request, reply, { limit }, page));
    },
  );

  app.get<{ Params: { id: string } }>(
    '/draws/:id',
    {
      config: { scopes: READ, views: true, drawTokens: true },
      schema: {
        summary: 'Get a draw',
        description:
          'The questions as they were handed out, byte for byte, also if they have been changed or deleted. For the client that drew, for ' +
          'callers with `responses:write` and `answers:read`, and for tokens for the draw.',
        params: DrawPath,
        response: { 200: Draw },
      },
    },
    async (request, reply) => {
      const row = await getDraw(engine.db, request.params.id, getDrawReader(request));
      const body = await renderDraw(engine.db, row, getView(request));
      return sendWithEtag(request, reply, etagOfBody(body), body);
    },
  );

  app.post<{ Params: { id: string }; Body: DrawResponses }>(
    '/draws/:id/responses',
    {
      // The draw decides whether explanations are shown.
      config: { scopes: RECORD, drawTokens: true, views: true, compression: 'never' },
      bodyLimit: MAX_BYTES,
      schema: {
        operationId: 'recordDraw',
        summary: 'Record and score a draw',
        description:
          'Records responses to questions of the draw, all at once or some at a time, and shows which are correct. They are responses like ' +
          'others; their session is the id of the draw. A respondent answers each question of a draw once (409 `already_answered`), so that ' +
          'answers cannot be guessed by answering again.',
        params: DrawPath,
        body: DrawResponses,
        response: { 201: DrawScore },
      },
    },
    async (request, reply) => {
      const row = await getDraw(engine.db, request.params.id, getDrawReader(request));
      const items = getDrawnItems(row);
      const { group = null, responses } = request.body;
      const respondent = getRespondent(request, row, request.body.respondent);
      const faults = findAnswerFaults(responses, new Set(items.map(({ id }) => id)));
      if (faults.length > 0) throw errors.invalidBody(faults);
      const answers = responses.map((each) => ({ ...each, question_id: each.question_id.toLowerCase() }));
      const { explain } = row;
      const recording = { draw: row.id, respondent, group, explain, answers, at: Date.now() };
      const { results } = await writeIdempotently(engine, request, recordDraw, async () => {
        await quotas.check(request, 0);
        return recording;
      });
      return reply.code(201).send({
        draw_id: row.id,
        respondent,
        asked: items.length,
        recorded: results.filter(({ recorded }) => recorded).length,
        correct: results.filter(({ correct }) => correct).length,
        results,
      });
    },
  );

  async function parseDraw(request: FastifyRequest<{ Body: DrawInput }>): Promise<DrawInput> {
    const faults = readSchemaFaults(request);
    if (faults.length === 0) faults.push(...findDrawFaults(request.body));
    if (faults.length > 0) throw errors.invalidBody(faults);
    const { body } = request;
    const { scopes } = getCaller(request);
    const require = (scope: Scope, subject: string) => {
      if (!scopes.has(scope)) throw errors.insufficientScope([scope], subject);
    };
    if (body.respondent !== undefined || body.exclude?.respondent !== undefined)
      require('responses:write', 'Drawing for a respondent');
    if ((body.explain ?? 'never') !== 'never') require('answers:read', 'Showing explanations');
    if (body.apart_by !== undefined) require('analysis:read', 'Drawing duplicates apart');
    for (const [pointer, filter] of listFilters(body)) {
      const found: Fault[] = [
        ...checkFilter(filter, scopes),
        ...(await findCategoryFaults(engine.db, filter)),
      ];
      faults.push(...found.map((fault) => ({ ...fault, pointer: `${pointer}${fault.pointer}` })));
    }
    if (faults.length > 0) throw errors.invalidBody(faults);
    return body;
  }

  async function select(request: FastifyRequest, body: DrawInput): Promise<NewDraw> {
    const { count, exclude = {}, apart_by, prefer, respondent = null, when_short, filter = {} } = body;
    const { client, readsAll } = getDrawReader(request);
    const seed = body.seed ?? drawSeed();
    const explain = body.explain === undefined || body.explain === 'never' ? null : body.explain;
    const wanted = body.quotas ?? [{ count: count! }];
    const query = {
      ...{ filter, seed, exclude, apart_by, prefer, client, readsAll, ...getReader(request) },
      quotas: wanted.map((quota) => ({ filter: quota.filter ?? {}, count: quota.count })),
    };
    const drawn = await engine.search(selectDraw, query, getCallOptions(request));
    if (drawn.shortages.length > 0 && when_short !== 'fewer') throw drawErrors.shortSupply(drawn.shortages);
    if (drawn.items.reduce((sum, { bytes }) => sum + bytes, 0) > maxPageBytes)
      throw errors.invalidBody([
        {
          pointer: count === undefined ? '/quotas' : '/count',
          code: 'too_large',
          detail: `asks for questions that exceed ${maxPageBytes} bytes together; ask for fewer`,
        },
      ]);
    const excluded =
      exclude.respondent === undefined ? null : { respondent: exclude.respondent, draws: drawn.drawsBefore! };
    return {
      client,
      respondent,
      seed,
      explain,
      quotas: drawn.quotas,
      items: drawn.items,
      excluded,
      at: Date.now(),
    };
  }
}

function listFilters({ filter, quotas = [] }: DrawInput): [pointer: string, filter: QuestionFilter][] {
  const given = quotas.map((quota, i): [string, QuestionFilter | undefined] => [
    `/quotas/${i}/filter`,
    quota.filter,
  ]);
  return [['/filter', filter] as const, ...given].flatMap(([pointer, each]) =>
    each ? [[pointer, each]] : [],
  );
}

async function retryConflicts<R>(draw: () => Promise<R>): Promise<R> {
  for (let attempts = 1; ; attempts++)
    try {
      return await draw();
    } catch (error) {
      if (!isDrawConflict(error) || attempts === MAX_ATTEMPTS) throw error;
    }
}
