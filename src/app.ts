/** Assembles the service from its dependencies. Production and tests build the same app. */
import Fastify, { type FastifyInstance, LogController } from 'fastify';
import type { TSchema } from 'typebox';
import { Guard } from './access/guard.ts';
import { type QuotaLimits, Quotas } from './access/quotas.ts';
import type { RateLimits } from './access/rate-limiter.ts';
import { DEFAULT_LIFETIMES, type Lifetimes } from './access/sessions.ts';
import { attentionRoutes } from './api/analysis/attention.ts';
import { findingRoutes } from './api/analysis/findings.ts';
import { analysisRoutes } from './api/analysis/routes.ts';
import { authRoutes } from './api/auth.ts';
import { categoryRoutes } from './api/categories.ts';
import { changeRoutes } from './api/changes/routes.ts';
import { clientRoutes, keyRoutes } from './api/clients.ts';
import { consoleRoutes } from './api/console.ts';
import { Cursors } from './api/cursors.ts';
import { docsRoutes } from './api/docs/routes.ts';
import { drawTokenRoutes } from './api/draw-tokens.ts';
import { drawRoutes } from './api/draws.ts';
import { eventRoutes } from './api/events/routes.ts';
import { exportRoutes } from './api/exports.ts';
import { facetRoutes } from './api/facets.ts';
import { importRoutes } from './api/imports/routes.ts';
import { LargePages } from './api/large-pages.ts';
import { opentdbRoutes } from './api/opentdb/routes.ts';
import { operationsRoutes } from './api/operations/routes.ts';
import { RunMetrics } from './api/operations/run-metrics.ts';
import { questionRoutes } from './api/questions.ts';
import { reportRoutes } from './api/reports.ts';
import { responseRoutes } from './api/responses.ts';
import { reviewRoutes } from './api/review.ts';
import { sessionRoutes } from './api/session.ts';
import { type ConnectionLimits, Connections, DEFAULT_CONNECTION_LIMITS } from './http/connections.ts';
import { addRequestHooks } from './http/hooks.ts';
import { buildLoggerOptions, type LogOptions } from './http/logging.ts';
import { registerMethodNotAllowed } from './http/method-not-allowed.ts';
import { RequestMetrics } from './http/metrics.ts';
import { Overload } from './http/overload.ts';
import { sendProblem } from './http/problem.ts';
import {
  buildBodyValidator,
  buildQueryValidator,
  MAX_BODY_BYTES,
  MERGE_PATCH_TYPE,
  parseJsonBody,
} from './http/request-checks.ts';
import { addRouteCheck } from './http/route-config.ts';
import { createServer, handleClientError } from './http/server.ts';
import { DEFAULT_HTTP_TIMINGS, type HttpTimings } from './http/timings.ts';
import { MAX_URL_CHARS, rewriteUrl } from './http/url.ts';
import { ChangeRunner } from './jobs/change-runner.ts';
import { Runner } from './jobs/runner.ts';
import type { JobTimings } from './jobs/timings.ts';
import { DEFAULT_MAX_PAGE_BYTES } from './schemas/paging-rules.ts';
import type { QuestionFilter } from './schemas/question-filter.ts';
import { DEFAULT_MAX_IMPORT_BYTES } from './schemas/transfer.ts';
import type { Engine } from './store/db.ts';
import { uuidv7 } from './store/ids.ts';
import { readCursorKey } from './store/questions/pages.ts';
import { readRequiredReviews, setRequiredReviews } from './store/review-policy.ts';
import { Verifier } from './verification/verifier.ts';

export interface Deps {
  engine: Engine;
  /** Serve requests, run analyses, or both. */
  role?: 'all' | 'api' | 'worker';
  /** Without it, nothing is logged. */
  log?: LogOptions;
  limits?: RateLimits;
  connectionLimits?: ConnectionLimits;
  quotas?: QuotaLimits;
  lifetimes?: Lifetimes;
  /** The number of reviews that a question requires; 0, the default, while review is off. */
  requiredReviews?: number;
  /** The questions that the Open Trivia DB's API serves to anyone, with answers; without it, none. */
  opentdb?: QuestionFilter | undefined;
  /** Addresses and CIDR blocks of proxies whose X-Forwarded-For is trusted. */
  trustedProxies?: string[];
  /** The origins whose pages may call the API. */
  origins?: string[];
  /** Aborted when the process is about to stop: `/ready` responds with 503 from then on. */
  leaving?: AbortSignal;
  /** The maximum length of the items of a page, in bytes. */
  maxPageBytes?: number;
  /** The maximum size of a file to import, in bytes. */
  maxImportBytes?: number;
  /** How many analyses run at once; by default, one per core. */
  workers?: number;
  /** The time limit of an analysis, in milliseconds. */
  analysisTimeout?: number;
  /** Shorter intervals and time limits for tests. */
  timings?: Partial<JobTimings & HttpTimings>;
}

export type App = FastifyInstance;

/** Replaces Ajv and fast-json-stringify, which are then not loaded either. */
const COMPILERS = {
  buildValidator:
    () =>
    ({ schema, httpPart }: { schema: TSchema; httpPart?: string }) =>
      (httpPart === 'querystring' ? buildQueryValidator : buildBodyValidator)(schema),
  // Response schemas document and are verified by tests; they do not filter at run time.
  buildSerializer: () => () => JSON.stringify,
};

export async function buildApp(deps: Deps): Promise<App> {
  const { engine, role = 'all', log, limits, trustedProxies, workers, analysisTimeout } = deps;
  const timings = { ...DEFAULT_HTTP_TIMINGS, ...deps.timings };
  const closing = new AbortController();
  const connections = new Connections({
    log: { warn: (details, message) => app.log.warn(details, message) },
    limits: deps.connectionLimits ?? DEFAULT_CONNECTION_LIMITS,
    isLimited: (address) => guard.isDirect(address) && !isLoopback(address),
    isScreened: (address) => overload.isScreened(address),
    findRefusal: (head, address) => overload.findRefusal(head, address),
  });
  const app = Fastify({
    serverFactory: (handler) => {
      const server = createServer(handler, timings);
      connections.watch(server);
      return server;
    },
    logger: log ? buildLoggerOptions(log) : false,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => uuidv7(Date.now()),
    // No child logger per request: log lines carry the request id themselves.
    childLoggerFactory: (logger) => logger,
    bodyLimit: MAX_BODY_BYTES,
    rewriteUrl: ({ url = '/' }) => rewriteUrl(url),
    routerOptions: {
      // The query validator parses the raw string by the schema of the route.
      querystringParser: (raw: string) => ({ raw }),
      // An id of any length is not found rather than malformed.
      maxParamLength: MAX_URL_CHARS,
    },
    frameworkErrors: (error, request, reply) => {
      guard.countRequest(request, reply).then(
        () => sendProblem(error, request, reply),
        (refusal) => sendProblem(refusal, request, reply),
      );
    },
    clientErrorHandler: (error, socket) => handleClientError(error, socket, uuidv7(Date.now())),
    return503OnClosing: false,
    // Fastify's types admit only the compilers of Ajv.
    schemaController: { compilersFactory: COMPILERS as never },
  });
  const guard = new Guard({ engine, limits, trustedProxies, log: app.log });
  const metrics = new RequestMetrics();
  const runMetrics = new RunMetrics();
  const runner = new Runner({
    engine,
    workers: role === 'api' ? 0 : workers,
    timings: { ...deps.timings, ...(analysisTimeout !== undefined && { maxRunMs: analysisTimeout }) },
    log: app.log,
    onEnd: (end) => runMetrics.observe(end),
  });

  const changeRunner = new ChangeRunner({ engine, timings: deps.timings, log: app.log });
  const importRunner = new ChangeRunner({ engine, of: 'imports', timings: deps.timings, log: app.log });
  const overload = new Overload({ guard, metrics, engine });

  app.decorate('timings', timings);
  app.decorate('origins', new Set(deps.origins));
  app.decorate('overload', overload);
  app.decorate('connections', connections);
  app.decorateRequest('caller', null);
  app.decorateRequest('deadlineAt', Number.POSITIVE_INFINITY);
  app.decorateRequest('bodyBytes', 0);
  app.setErrorHandler(sendProblem);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(['application/json', MERGE_PATCH_TYPE], { parseAs: 'buffer' }, parseJsonBody);

  addRequestHooks(app, { guard, metrics, overload });
  addRouteCheck(app);
  const verifier = new Verifier(engine.reader, app.log);
  // Nodes that only serve requests leave the verification to the others.
  if (role !== 'api') app.addHook('onReady', async () => verifier.start());
  app.addHook('onReady', () => runner.start());
  if (role !== 'api')
    app.addHook('onReady', async () => {
      changeRunner.start();
      importRunner.start();
    });
  app.addHook('preClose', async () => {
    closing.abort();
    runner.drain();
  });
  app.addHook('onClose', async () => {
    guard.close();
    await Promise.all([runner.stop(), changeRunner.stop(), importRunner.stop(), verifier.stop()]);
  });
  engine.notifications.subscribe('unavailable', () => app.log.error('database unavailable'));
  engine.notifications.subscribe('damaged', () =>
    app.log.error('database file damaged, refusing writes: restore a backup'),
  );
  engine.notifications.subscribe('available', () => app.log.warn('database available again'));

  const stopping = AbortSignal.any([closing.signal, ...(deps.leaving ? [deps.leaving] : [])]);
  await app.register(async (scope) =>
    operationsRoutes(scope, { engine, metrics, runMetrics, runner, verifier, connections, stopping }),
  );
  if (role !== 'worker') await registerApi(app, deps, { guard, runner });
  await app.register(async (scope) => registerMethodNotAllowed(scope, app.routes));
  // Registered last, so that it runs after the hooks that end event streams and waiting requests.
  await app.register(async (scope) => {
    scope.addHook('preClose', async () => {
      const { aborted } = await connections.drain(timings);
      if (aborted > 0)
        app.log.warn({ connections: aborted }, 'requests did not finish in time, connections closed');
    });
  });
  return app;
}

const isLoopback = (address: string) => /^(?:127\.|::1$|::ffff:127\.)/.test(address);

async function registerApi(
  app: App,
  deps: Deps,
  { guard, runner }: { guard: Guard; runner: Runner },
): Promise<void> {
  const { engine, quotas: limits, lifetimes = DEFAULT_LIFETIMES, requiredReviews = 0, opentdb } = deps;
  const { maxPageBytes = DEFAULT_MAX_PAGE_BYTES, maxImportBytes = DEFAULT_MAX_IMPORT_BYTES } = deps;
  if ((await readRequiredReviews(engine.db)) !== requiredReviews)
    await engine.write(setRequiredReviews, requiredReviews);
  const cursors = new Cursors(await readCursorKey(engine.db));
  const quotas = new Quotas(engine, limits);
  const lists = { engine, cursors, quotas, maxPageBytes, largePages: new LargePages() };
  await app.register(async (scope) => {
    questionRoutes(scope, { ...lists, guard });
    facetRoutes(scope, engine);
    exportRoutes(scope, engine);
    categoryRoutes(scope, engine);
    reportRoutes(scope, lists);
    reviewRoutes(scope, lists);
    responseRoutes(scope, lists);
    drawRoutes(scope, lists);
    drawTokenRoutes(scope, engine);
    analysisRoutes(scope, { ...lists, runner });
    findingRoutes(scope, lists);
    attentionRoutes(scope, lists);
    changeRoutes(scope, lists);
    eventRoutes(scope, { engine, guard, cursors });
  });
  // In a scope of its own, for it takes bodies of any type.
  await app.register(async (scope) => importRoutes(scope, { ...lists, maxImportBytes }));
  // In a scope of its own, for its errors have another form.
  if (opentdb) await app.register(async (scope) => opentdbRoutes(scope, { engine, filter: opentdb }));
  // In a scope of its own, for it also parses forms.
  await app.register(async (scope) => authRoutes(scope, { engine, guard, lifetimes }));
  await app.register(async (scope) => {
    clientRoutes(scope, engine);
    keyRoutes(scope, engine, lifetimes);
    sessionRoutes(scope, { engine, guard });
    docsRoutes(scope, app.routes);
    consoleRoutes(scope);
  });
}
