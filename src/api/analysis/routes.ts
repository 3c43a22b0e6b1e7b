import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { type Analysis as AnyAnalysis, analyses } from '../../analyses/index.ts';
import { renderFigure } from '../../charts/render.ts';
import { ifMatch, sendJson, sendTagged } from '../../http/preconditions.ts';
import type { Runner } from '../../jobs/runner.ts';
import {
  Analysis,
  AnalysisItemsQuery,
  AnalysisList,
  AnalysisListQuery,
  AnalysisPlotQuery,
  AnalysisRequest,
  AnalysisTypes,
  MOST_ITEMS,
  resultSchema,
} from '../../schemas/analysis.ts';
import { RespondentList } from '../../schemas/response.ts';
import { createAnalysis, endAnalysis, getStatus, listAnalyses } from '../../store/analyses/analyses.ts';
import type { Engine } from '../../store/db.ts';
import { asPage, links, paginated } from '../paging.ts';
import { basePath, viewOf, writeOnce } from '../requests.ts';
import { hiddenTypes } from './guesses.ts';
import { preferredWait } from './prefer.ts';
import { acceptedRun } from './request.ts';
import { abilitiesOf, figureFor, recordOf } from './results.ts';

const READ = ['analysis:read'] as const;
const RUN = ['analysis:run'] as const;
/** A hundred thousand ids. */
const LARGEST_REQUEST = 10 * 1024 * 1024;

/** Abilities are of people: whoever may read responses may read them. */
const READ_PEOPLE = ['analysis:read', 'responses:write', 'answers:read'] as const;

const IdPath = Type.Object({ id: Type.String({ description: "The run's id." }) });
type ById = { Params: { id: string } };
type ItemsPage = { limit?: number; offset?: number };

const AnalysisRecord = Analysis(analyses);
const Picture = { content: { 'image/svg+xml': { schema: Type.String() } } };
/** A picture opened on its own may style itself, and nothing else. */
const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox";

export function analysisRoutes(app: FastifyInstance, engine: Engine, runner: Runner): void {
  app.get<{ Querystring: AnalysisListQuery }>(
    '/analysis',
    {
      config: { scopes: READ, views: true },
      schema: {
        operationId: 'listAnalyses',
        summary: 'List runs of analyses',
        description: 'Newest first, each with the summary of its result.',
        querystring: AnalysisListQuery(analyses),
        response: { 200: AnalysisList(analyses) },
      },
    },
    async (request, reply) => {
      const { limit = 20, offset = 0, ...filter } = request.query;
      const query = { ...filter, limit, offset, view: viewOf(request), without: hiddenTypes(request) };
      const page = await engine.search(listAnalyses, query);
      return sendJson(reply, asPage(request, reply, { limit }, page));
    },
  );

  app.post<{ Body: AnalysisRequest }>(
    '/analysis/run',
    {
      config: { scopes: RUN, views: true, budget: 'analysis', largestObject: LARGEST_REQUEST, lasts: true },
      bodyLimit: LARGEST_REQUEST,
      attachValidation: true,
      schema: {
        operationId: 'runAnalysis',
        summary: 'Run an analysis',
        description:
          'On the questions named, on those that match a filter, or on the whole bank, as they are when the run begins. It is answered when the ' +
          'result is there, or after 5 seconds with 202: then ask at `Location`, or follow /events. With `Prefer: respond-async` it is answered at ' +
          'once; `Prefer: wait=n` waits up to n seconds, 30 at the most.',
        body: AnalysisRequest(analyses),
        creates: '/analysis/:id',
        takes: ['Prefer'],
        response: { 201: AnalysisRecord, 202: AnalysisRecord },
      },
    },
    async (request, reply) => {
      const id = await writeOnce(engine, request, createAnalysis, () => acceptedRun(request, engine));
      const { seconds, applied } = preferredWait(request);
      if (applied) reply.header('preference-applied', applied);
      const ended = await endsWithin(engine, runner, { id, view: viewOf(request) }, seconds * 1000);
      reply.header('location', `${basePath(request)}/analysis/${id}`).code(ended ? 201 : 202);
      if (!ended) reply.header('retry-after', '1');
      const { etag, body } = await recordOf(engine, request, { id, limit: MOST_ITEMS, offset: 0 });
      return sendJson(reply.header('etag', etag), body);
    },
  );

  app.get(
    '/analysis/types',
    {
      config: { scopes: READ },
      schema: {
        operationId: 'listAnalysisTypes',
        summary: 'The analyses there are',
        description:
          'What each finds, what can be set, what its result looks like, and an example to try it on.',
        response: { 200: AnalysisTypes },
      },
    },
    async () => ({ data: analyses.map(described) }),
  );

  app.get<ById & { Querystring: ItemsPage }>(
    '/analysis/:id',
    {
      config: { scopes: READ, views: true },
      schema: {
        operationId: 'getAnalysis',
        summary: 'Fetch a run with its result',
        description: 'The rows of the result are paged by `limit` and `offset`; `Link` has the other pages.',
        params: IdPath,
        querystring: AnalysisItemsQuery,
        response: { 200: AnalysisRecord },
      },
    },
    async (request, reply) => {
      const { limit = MOST_ITEMS, offset = 0 } = request.query;
      const { etag, body, pagination } = await recordOf(engine, request, {
        id: request.params.id,
        limit,
        offset,
      });
      if (pagination) reply.header('link', links(request, pagination));
      return sendTagged(request, reply, etag, body);
    },
  );

  app.get<ById & { Querystring: AnalysisPlotQuery }>(
    '/analysis/:id/plot.svg',
    {
      config: { scopes: READ, views: true },
      schema: {
        operationId: 'getAnalysisPlot',
        summary: "A result's picture",
        description:
          'For light and dark surroundings, with a text alternative. Without parameters it is the main picture of the result; `figure` asks for ' +
          'another one, `question_id` for that of a single question.',
        params: IdPath,
        querystring: AnalysisPlotQuery(analyses),
        response: { 200: Picture },
      },
    },
    async (request, reply) => {
      const figure = await figureFor(engine, request, request.params.id, request.query);
      reply.header('content-security-policy', PICTURE_POLICY).type('image/svg+xml; charset=utf-8');
      return reply.send(renderFigure(figure));
    },
  );

  app.get<ById & { Querystring: ItemsPage }>(
    '/analysis/:id/respondents',
    {
      config: { scopes: READ_PEOPLE },
      schema: {
        operationId: 'listRespondents',
        summary: 'The abilities of respondents',
        description:
          'What an analysis that measures people found about each of them, by name. Who has been forgotten since is left out, so that a page may ' +
          'have fewer rows than asked for; `total` counts all who took part.',
        params: IdPath,
        querystring: AnalysisItemsQuery,
        response: { 200: RespondentList },
      },
    },
    async (request, reply) => {
      const { limit = MOST_ITEMS, offset = 0 } = request.query;
      const page = { id: request.params.id, view: viewOf(request), limit, offset };
      const { total, ...people } = await abilitiesOf(engine, page);
      const pagination = paginated({ limit, offset, n: people.n, total });
      reply.header('link', links(request, pagination));
      return { data: people.data, pagination };
    },
  );

  app.delete<ById>(
    '/analysis/:id',
    {
      config: { scopes: RUN },
      schema: {
        operationId: 'endAnalysis',
        summary: 'Cancel or remove a run',
        description: 'One that waits or is under way is cancelled and stops; one that has ended is removed.',
        params: IdPath,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      await engine.write(endAnalysis, { id, view: viewOf(request), ifMatch: ifMatch(request) });
      return reply.code(204).send();
    },
  );
}

function described(analysis: AnyAnalysis) {
  const { type, version, title, description, readsAnswers, readsResponses, parameters, plots, example } =
    analysis;
  const result = resultSchema(analysis);
  return {
    analysis_type: type,
    version,
    title,
    description,
    reads_answers: readsAnswers,
    reads_responses: readsResponses ?? false,
    // Each has a default, so that none has to be sent.
    parameters: { ...parameters, required: [] },
    result,
    figures: Object.keys(plots ?? {}),
    question_figure: analysis.plotQuestion !== undefined,
    example,
  };
}

/** How often it is asked whether a run has ended, besides when there is news of one. */
const ASK_EVERY = 1_000;

async function endsWithin(
  { db, notifications }: Engine,
  { draining }: Runner,
  of: Parameters<typeof getStatus>[1],
  ms: number,
): Promise<boolean> {
  const until = performance.now() + ms;
  for (;;) {
    // Waiting begins before the look, so that no end comes unnoticed in between.
    const left = Math.ceil(Math.min(ASK_EVERY, until - performance.now()));
    const end = left > 0 ? notifications.waitFor('ended', left, draining) : undefined;
    const status = await getStatus(db, of);
    if (status !== 'queued' && status !== 'running') return true;
    if (!end || draining.aborted) return false;
    await end;
  }
}
