import type { FastifyInstance } from 'fastify';
import { type Analysis as AnyAnalysis, analyses } from '../../analyses/index.ts';
import { renderFigure } from '../../charts/render.ts';
import { readIfMatch, sendJson, sendWithEtag } from '../../http/preconditions.ts';
import { getBasePath } from '../../http/url.ts';
import type { Runner } from '../../jobs/runner.ts';
import {
  AnalysisItemsQuery,
  AnalysisListQuery,
  AnalysisPlotQuery,
  AnalysisRequest,
  AnalysisRowsQuery,
  AnalysisTypes,
  buildParametersInput,
  MAX_ITEMS_PER_PAGE,
} from '../../schemas/analysis.ts';
import { Analysis, AnalysisList, buildResultSchema } from '../../schemas/analysis-run.ts';
import { FigureData } from '../../schemas/figure.ts';
import { RespondentList } from '../../schemas/response.ts';
import { Type } from '../../schemas/type.ts';
import { createAnalysis, endAnalysis, getStatus, listAnalyses } from '../../store/analyses/analyses.ts';
import type { Engine } from '../../store/db.ts';
import { MAX_WHOLE_PAGE_BYTES } from '../../store/page-bytes.ts';
import { buildLinkHeader, isCut, type ListDeps, renderPage } from '../paging.ts';
import {
  getCallOptions,
  getReader,
  getWriteOptions,
  storeFirstStatus,
  writeIdempotently,
} from '../requests.ts';
import { listHiddenTypes } from './guesses.ts';
import { parsePreferredWait } from './prefer.ts';
import { parseRunRequest } from './request.ts';
import { findFigure, listAbilities, renderRun } from './results.ts';

const READ = ['analysis:read'] as const;
const RUN = ['analysis:run'] as const;
/** Holds 100,000 ids. */
const MAX_REQUEST_BYTES = 10 * 1024 * 1024;

/** Abilities are personal data, like responses. */
const READ_ABILITIES = ['analysis:read', 'responses:write', 'answers:read'] as const;

const IdPath = Type.Object({ id: Type.String({ description: "The run's id." }) });
type ById = { Params: { id: string } };
type ItemsPage = { limit?: number; offset?: number };

const AnalysisRecord = Analysis(analyses);
const Svg = { content: { 'image/svg+xml': { schema: Type.String() } } };
/** An SVG opened as a document may only apply its own styles. */
const SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox";

export function analysisRoutes(
  app: FastifyInstance,
  { engine, maxPageBytes, largePages, quotas, runner }: ListDeps & { runner: Runner },
): void {
  app.get<{ Querystring: AnalysisListQuery }>(
    '/analysis',
    {
      config: { scopes: READ, views: true },
      schema: {
        operationId: 'listAnalyses',
        summary: 'List analyses',
        description: 'Newest first. /analysis/{id} has the parameters and the result of each.',
        querystring: AnalysisListQuery(analyses),
        response: { 200: AnalysisList(analyses) },
      },
    },
    async (request, reply) => {
      const { limit = 20, offset = 0, ...filter } = request.query;
      const query = { ...filter, limit, offset, ...getReader(request), without: listHiddenTypes(request) };
      return largePages.send(reply, maxPageBytes, async (maxBytes) => {
        const page = await engine.search(listAnalyses, { ...query, maxBytes }, getCallOptions(request));
        return {
          cut: isCut(limit, page),
          send: () => sendJson(reply, renderPage(request, reply, { limit }, page)),
        };
      });
    },
  );

  app.post<{ Body: AnalysisRequest }>(
    '/analysis/run',
    {
      config: {
        scopes: RUN,
        views: true,
        rateLimit: 'analysis',
        maxObjectBytes: MAX_REQUEST_BYTES,
        longRunning: true,
      },
      bodyLimit: MAX_REQUEST_BYTES,
      attachValidation: true,
      schema: {
        operationId: 'runAnalysis',
        summary: 'Run an analysis',
        description:
          'Analyses the listed questions, those that match a filter, or the whole bank, as of the start of the run. Responds with 201 when the ' +
          'run has finished or, after 5 seconds, with 202: then poll `Location` or follow /events. `Prefer: respond-async` responds at once; ' +
          '`Prefer: wait=n` waits up to n seconds, at most 30. The result has up to 1 MiB of rows; `Location` has the others.',
        body: AnalysisRequest(analyses),
        creates: '/analysis/:id',
        takes: ['Prefer'],
        response: { 201: AnalysisRecord, 202: AnalysisRecord },
      },
    },
    async (request, reply) => {
      const created = await writeIdempotently(engine, request, createAnalysis, async () => {
        await quotas.check(request, 0);
        return parseRunRequest(request, engine);
      });
      const { id } = created;
      const { seconds, applied } = parsePreferredWait(request);
      if (applied) reply.header('preference-applied', applied);
      const wait = async () =>
        (await waitForEnd(engine, runner, { id, ...getReader(request) }, seconds * 1000)) ? 201 : 202;
      // A repeated request gets the status of the first response, and does not wait.
      const status = created.status ?? (await storeFirstStatus(engine, request, await wait()));
      reply.header('location', `${getBasePath(request)}/analysis/${id}`).code(status);
      if (status === 202) reply.header('retry-after', '1');
      const { etag, body } = await renderRun(engine, request, {
        id,
        limit: MAX_ITEMS_PER_PAGE,
        offset: 0,
        // A larger page could be refused, but the run has been created.
        maxBytes: Math.min(MAX_WHOLE_PAGE_BYTES, maxPageBytes),
      });
      return sendJson(reply.header('etag', etag), body);
    },
  );

  app.get(
    '/analysis/types',
    {
      config: { scopes: READ },
      schema: {
        operationId: 'listAnalysisTypes',
        summary: 'List analysis types',
        description: 'Each with its description, parameters, result schema and an example.',
        response: { 200: AnalysisTypes(analyses) },
      },
    },
    async () => ({ data: analyses.map(describeType) }),
  );

  app.get<ById & { Querystring: AnalysisRowsQuery }>(
    '/analysis/:id',
    {
      config: { scopes: READ, views: true },
      schema: {
        operationId: 'getAnalysis',
        summary: 'Get an analysis',
        description:
          'A run with its result. Rows are filtered, sorted and paged by `limit` and `offset`; `Link` has the other pages. `total` is exact. ' +
          'Filters apply to the rows alone: the summary is that of the whole run. A page of rows that are far apart in the result may have ' +
          'fewer rows than `limit`; the next page starts at `offset` plus the number of rows.',
        params: IdPath,
        querystring: AnalysisRowsQuery,
        response: { 200: AnalysisRecord },
      },
    },
    async (request, reply) => {
      const { limit = MAX_ITEMS_PER_PAGE, offset = 0, ...selection } = request.query;
      const { id } = request.params;
      return largePages.send(reply, maxPageBytes, async (maxBytes) => {
        const rows = { id, limit, offset, maxBytes, selection };
        const { etag, body, page } = await renderRun(engine, request, rows);
        if (page) reply.header('link', buildLinkHeader(request, page.pagination, page.n));
        return {
          cut: page !== undefined && isCut(limit, page),
          send: () => sendWithEtag(request, reply, etag, body),
        };
      });
    },
  );

  app.get<ById & { Querystring: AnalysisPlotQuery }>(
    '/analysis/:id/plot.svg',
    {
      config: { scopes: READ, views: true },
      schema: {
        operationId: 'getAnalysisPlot',
        summary: 'Plot a result',
        description:
          'An SVG for light and dark backgrounds, with a text alternative. By default, the main figure of the result; `figure` selects another ' +
          'one, `question_id` that of a single question.',
        params: IdPath,
        querystring: AnalysisPlotQuery(analyses),
        response: { 200: Svg },
      },
    },
    async (request, reply) => {
      const figure = await findFigure(engine, request, request.params.id, request.query);
      reply.header('content-security-policy', SVG_POLICY).type('image/svg+xml; charset=utf-8');
      return reply.send(renderFigure(figure));
    },
  );

  app.get<ById & { Querystring: AnalysisPlotQuery }>(
    '/analysis/:id/plot.json',
    {
      config: { scopes: READ, views: true },
      schema: {
        operationId: 'getAnalysisFigure',
        summary: 'Get the data of a figure',
        description:
          'What /analysis/{id}/plot.svg draws, for programs that draw it themselves: titles, axes, series and marks, with the `question_id` of ' +
          'each mark that is a question. `chart` determines the form. Figures of results stored before have no ids.',
        params: IdPath,
        querystring: AnalysisPlotQuery(analyses),
        response: { 200: FigureData },
      },
    },
    async (request) => findFigure(engine, request, request.params.id, request.query),
  );

  app.get<ById & { Querystring: ItemsPage }>(
    '/analysis/:id/respondents',
    {
      config: { scopes: READ_ABILITIES },
      schema: {
        operationId: 'listRespondents',
        summary: 'List abilities of respondents',
        description:
          'The ability estimates of an analysis that provides them. Respondents deleted since are left out, so a page may have fewer rows than ' +
          '`limit`; `total` counts all cases of the run.',
        params: IdPath,
        querystring: AnalysisItemsQuery,
        response: { 200: RespondentList },
      },
    },
    async (request, reply) => {
      const { limit = MAX_ITEMS_PER_PAGE, offset = 0 } = request.query;
      const query = { id: request.params.id, ...getReader(request), limit, offset };
      return largePages.send(reply, maxPageBytes, async (maxBytes) => {
        const page = await listAbilities(engine, { ...query, maxBytes });
        return {
          cut: isCut(limit, page),
          send: () => sendJson(reply, renderPage(request, reply, { limit }, page)),
        };
      });
    },
  );

  app.delete<ById>(
    '/analysis/:id',
    {
      config: { scopes: RUN },
      schema: {
        operationId: 'endAnalysis',
        summary: 'Cancel or delete an analysis',
        description: 'A queued or running analysis is cancelled; a finished one is deleted.',
        params: IdPath,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      await engine.write(
        endAnalysis,
        { id, ...getReader(request), ifMatch: readIfMatch(request) },
        getWriteOptions(request),
      );
      return reply.code(204).send();
    },
  );
}

function describeType(analysis: AnyAnalysis) {
  const { type, version, title, description, readsAnswers, readsResponses, plots, example } = analysis;
  return {
    analysis_type: type,
    version,
    title,
    description,
    reads_answers: readsAnswers,
    reads_responses: readsResponses ?? false,
    parameters: buildParametersInput(analysis),
    result: buildResultSchema(analysis),
    findings: analysis.findings,
    sort_keys: Object.keys(analysis.sortKeys ?? {}),
    figures: Object.keys(plots ?? {}),
    question_figure: analysis.plotQuestion !== undefined,
    example,
  };
}

/** The status is polled as well, in case a notification is lost. */
const POLL_INTERVAL_MS = 1_000;

/** Whether the run finishes within the given time. */
async function waitForEnd(
  { db, notifications }: Engine,
  { draining }: Runner,
  run: Parameters<typeof getStatus>[1],
  maxWaitMs: number,
): Promise<boolean> {
  const deadline = performance.now() + maxWaitMs;
  for (;;) {
    // Subscribed before the query, so that no notification is missed in between.
    const waitMs = Math.ceil(Math.min(POLL_INTERVAL_MS, deadline - performance.now()));
    const end = waitMs > 0 ? notifications.waitFor('ended', waitMs, draining) : undefined;
    const status = await getStatus(db, run);
    if (status !== 'queued' && status !== 'running') return true;
    if (!end || draining.aborted) return false;
    await end;
  }
}
