/** The whole service as one function of what it depends on: production and tests build the same one. */
import { METHODS } from 'node:http';
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type RouteOptions,
} from 'fastify';
import Type, { type TSchema } from 'typebox';
import { Guard } from './access/guard.ts';
import type { Limits } from './access/rate-limiter.ts';
import { DEFAULT_LIFETIMES, type Lifetimes } from './access/sessions.ts';
import { withoutTokens } from './access/token-text.ts';
import { analysisRoutes } from './api/analysis/routes.ts';
import { authRoutes } from './api/auth.ts';
import { categoryRoutes } from './api/categories.ts';
import { clientRoutes, keyRoutes } from './api/clients.ts';
import { Cursors } from './api/cursors.ts';
import type { CONDITIONS } from './api/docs/openapi-parts.ts';
import { docsRoutes } from './api/docs/routes.ts';
import { eventRoutes } from './api/events/routes.ts';
import { operationsRoutes } from './api/operations/routes.ts';
import { questionRoutes } from './api/questions.ts';
import { responseRoutes } from './api/responses.ts';
import { errors } from './errors.ts';
import { limitTime } from './http/deadline.ts';
import { SAFE_HEADERS } from './http/headers.ts';
import { Traffic } from './http/metrics.ts';
import { asApiError, PROBLEM_TYPE, problemOf } from './http/problem.ts';
import { checkBody, checkQuery, LARGEST_BODY, readJson, requireBody } from './http/request-checks.ts';
import { refuseBrokenRequest, refuseExpectation, serverOptions } from './http/server.ts';
import { DEFAULT_HTTP_TIMINGS, type HttpTimings } from './http/timings.ts';
import { Runner } from './jobs/runner.ts';
import type { JobTimings } from './jobs/timings.ts';
import type { Engine } from './store/db.ts';
import { uuidv7 } from './store/ids.ts';
import { cursorKey } from './store/questions/pages.ts';

export interface Deps {
  engine: Engine;
  /** Serve requests, run analyses, or both. */
  role?: 'all' | 'api' | 'worker';
  /** Where log lines go; nowhere if left out. */
  log?: { level: string; stream?: { write(line: string): void } };
  /** What a caller may ask for in a minute. */
  limits?: Limits;
  /** How long tokens are good for. */
  lifetimes?: Lifetimes;
  /** Addresses and CIDR blocks of proxies whose X-Forwarded-For is believed. */
  trustedProxies?: string[];
  /** How many analyses run at once; as many as there are cores if left out. */
  workers?: number;
  /** How long an analysis may take, in milliseconds. */
  analysisTimeout?: number;
  /** Shorter intervals and time limits for tests. */
  timings?: Partial<JobTimings & HttpTimings>;
}

export type App = FastifyInstance;

declare module 'fastify' {
  interface FastifySchema {
    operationId?: string;
    summary?: string;
    description?: string;
    /** A body that the route reads by itself, as a form or as JSON. */
    form?: TSchema;
    /** The path of what a request makes; its address is in Location. */
    creates?: string;
    /** Headers it takes, by their names in the OpenAPI document's components. */
    takes?: (keyof typeof CONDITIONS)[];
    /** A POST that may be sent again as it is, and so takes no Idempotency-Key. */
    repeatable?: true;
  }
}

const LONGEST_URL = 8 * 1024;
/** Requests under way at once; whoever comes on top is told to come again, before anything is done for them. */
const MOST_UNDER_WAY = 1000;

export async function buildApp({
  engine,
  role = 'all',
  log,
  limits,
  lifetimes = DEFAULT_LIFETIMES,
  trustedProxies,
  workers,
  analysisTimeout,
  timings,
}: Deps): Promise<App> {
  const httpTimings = { ...DEFAULT_HTTP_TIMINGS, ...timings };
  const app = Fastify({
    ...serverOptions(httpTimings),
    logger: log
      ? {
          level: log.level,
          base: null,
          serializers: { err: brief },
          ...(log.stream && { stream: log.stream }),
        }
      : false,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => uuidv7(Date.now()),
    // One logger for all: a request's id is told where its lines are written.
    childLoggerFactory: (logger) => logger,
    bodyLimit: LARGEST_BODY,
    rewriteUrl: ({ url = '/' }) => routed(url),
    routerOptions: {
      // Kept as it came: parseQuery reads it by the route's schema.
      querystringParser: (raw: string) => ({ raw }),
      // An id of any length is simply not found.
      maxParamLength: LONGEST_URL,
    },
    frameworkErrors: (error, request, reply) => {
      guard.count(request, reply).then(
        () => sendProblem(error, request, reply),
        (refusal) => sendProblem(refusal, request, reply),
      );
    },
    clientErrorHandler: (fault, socket) => refuseBrokenRequest(fault, socket, uuidv7(Date.now())),
    return503OnClosing: false,
  });

  const guard = new Guard({ engine, limits, trustedProxies, log: app.log });
  app.server.on('checkExpectation', refuseExpectation);
  // Whoever has said all they have to say still gets the answer.
  Object.assign(app.server, { httpAllowHalfOpen: true });
  app.decorateRequest('caller', null);
  app.decorate('timings', httpTimings);
  const runner = new Runner({
    engine,
    workers: role === 'api' ? 0 : workers,
    timings: { ...timings, ...(analysisTimeout !== undefined && { maxRunMs: analysisTimeout }) },
    log: app.log,
  });
  app.addHook('onReady', () => runner.start());
  engine.notifications.subscribe('unavailable', () => app.log.error('the database does not answer'));
  engine.notifications.subscribe('available', () => app.log.warn('the database answers again'));
  app.addHook('preClose', async () => runner.drain());
  app.addHook('onClose', async () => {
    guard.close();
    await runner.stop();
  });
  app.setErrorHandler(sendProblem);
  app.setNotFoundHandler((request) => {
    throw errors.noSuchRoute(request.url.split('?')[0]!);
  });
  // Schemas describe answers; what they describe is proved by the tests, not filtered on the way out.
  app.setSerializerCompiler(() => JSON.stringify);
  app.setValidatorCompiler(
    ({ schema, httpPart }) =>
      // Its types know promises of Fastify's own alone; it takes any.
      (httpPart === 'querystring' ? checkQuery : checkBody)(schema as TSchema) as never,
  );
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, readJson);

  const traffic = new Traffic();
  app.addHook('onRequest', (request, reply, done) => {
    stamp(request, reply);
    const busy = traffic.underWay >= MOST_UNDER_WAY;
    traffic.watch(request, reply, busy);
    if (busy) {
      done(errors.overloaded());
      return;
    }
    limitTime(request, reply);
    const fault = malformed(request, reply);
    (fault ? guard.count(request, reply) : guard.admit(request, reply)).then(() => done(fault), done);
  });
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.body === undefined) done();
    else guard.admitAgain(request).then(() => done(), done);
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { id, method, url, log, caller } = request;
    const path = withoutTokens(url.split('?', 1)[0]!);
    const ms = Math.round(reply.elapsedTime);
    const who = caller
      ? { client: caller.client, token: caller.token.id }
      : { address: guard.placeOf(request) };
    log.info({ request_id: id, ...who, method, path, status: reply.statusCode, ms }, 'request');
    done();
  });

  const routes: RouteOptions[] = [];
  app.decorate('routes', routes);
  app.addHook('onRoute', (route) => {
    const { scopes, public: open } = route.config ?? {};
    if (!scopes === !open)
      throw new Error(`${route.method} ${route.url} has to declare either its scopes or that it is public.`);
    if (tellsAnswers(route) && !scopes?.includes('answers:read') && !route.config?.views)
      throw new Error(
        `${route.method} ${route.url} shows answers: it has to need answers:read or show views.`,
      );
    route.schema = { querystring: Type.Object({}, { additionalProperties: false }), ...route.schema };
    if (route.schema.body) route.preValidation = requireBody;
    if (route.method !== 'HEAD') routes.push({ ...route });
  });

  await app.register(async (resources) => operationsRoutes(resources, { engine, traffic, runner }));
  if (role !== 'worker') await registerApi(app, { engine, guard, runner, lifetimes, routes });
  await app.register(async (rest) => refuseOtherMethods(rest, routes));
  return app;
}

interface Parts {
  engine: Engine;
  guard: Guard;
  runner: Runner;
  lifetimes: Lifetimes;
  routes: RouteOptions[];
}

async function registerApi(app: App, { engine, guard, runner, lifetimes, routes }: Parts): Promise<void> {
  await app.register(async (resources) => {
    const cursors = new Cursors(await cursorKey(engine.db));
    questionRoutes(resources, engine, cursors);
    categoryRoutes(resources, engine);
    responseRoutes(resources, engine, cursors);
    analysisRoutes(resources, engine, runner);
    eventRoutes(resources, { engine, guard, cursors });
  });
  // Apart, for they take forms as well.
  await app.register(async (auth) => authRoutes(auth, { engine, guard, lifetimes }));
  await app.register(async (resources) => {
    clientRoutes(resources, engine);
    keyRoutes(resources, engine, lifetimes);
    docsRoutes(resources, routes);
  });
}

interface Brief {
  type: string;
  message: string;
  stack: string;
  [more: string]: unknown;
}

/** What a database says about an error beyond its message may quote what was stored. */
const brief = (error: Error & { code?: string }): Brief => ({
  type: error.name,
  code: error.code,
  message: error.message,
  stack: error.stack ?? '',
  ...(error.cause instanceof Error && { cause: brief(error.cause) }),
});

/** The path that is routed. Version 1 is the root; the same routes answer under /v1. */
function routed(url: string): string {
  const path = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '');
  return path.startsWith('/v1') ? path.replace(/^\/v1(?=[/?]|$)/, '') || '/' : path || '/';
}

/** What is wrong with a request whatever it is for. */
function malformed(request: FastifyRequest, reply: FastifyReply): Error | undefined {
  if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
    reply.header('connection', 'close');
    return errors.malformedRequest('A Host header is missing.');
  }
  // Node takes the first and drops the others; a proxy before us may have taken another one.
  if (givenTwice(request.raw.rawHeaders, 'host', 'authorization')) {
    reply.header('connection', 'close');
    return errors.malformedRequest('Host or Authorization is given twice.');
  }
  if (request.url.length > LONGEST_URL)
    return errors.urlTooLong(`The URL is longer than ${LONGEST_URL} characters.`);
  return undefined;
}

/** Raw headers are names and values in turns. */
function givenTwice(rawHeaders: string[], ...names: string[]): boolean {
  let seen = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const at = names.findIndex(
      (name) => name.length === rawHeaders[i]!.length && name === rawHeaders[i]!.toLowerCase(),
    );
    if (at < 0) continue;
    if (seen & (1 << at)) return true;
    seen |= 1 << at;
  }
  return false;
}

const tellsAnswers = ({ schema }: RouteOptions) =>
  JSON.stringify(schema?.response ?? {}).includes('"correct_answer"');

/** What every answer carries. */
function stamp(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(SAFE_HEADERS);
  reply.header('x-request-id', request.id);
}

function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const problem = asApiError(error);
  // Being busy is no fault; it is what was not foreseen that needs its stack.
  if (problem.status === 503 && !problem.cause)
    request.log.warn({ request_id: request.id, code: problem.code }, 'refused');
  else if (problem.status >= 500)
    request.log.error(
      { request_id: request.id, err: problem.cause ?? problem, code: problem.code },
      'problem',
    );
  stamp(request, reply);
  // Closing at once would reset the connection before a client that is still sending has read why.
  if (problem.status === 413) reply.removeHeader('connection');
  reply.code(problem.status).headers(problem.headers).type(PROBLEM_TYPE);
  void reply.send(JSON.stringify(problemOf(problem, request.originalUrl.split('?')[0]!, request.id)));
}

/** 405 with Allow, for every method a known path does not offer. */
function refuseOtherMethods(app: App, routes: RouteOptions[]): void {
  const offered = Map.groupBy(routes, ({ url }) => url);
  for (const method of METHODS) {
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  for (const [url, known] of [...offered]) {
    const methods = known.map(({ method }) => String(method));
    const allow = methods.includes('GET')
      ? ['GET', 'HEAD', ...methods.filter((each) => each !== 'GET')]
      : methods;
    app.route({
      method: app.supportedMethods.filter((method) => !allow.includes(method)),
      url,
      config: { public: true },
      // Before a body is read.
      onRequest: async (request) => {
        throw errors.methodNotAllowed(request.method, allow);
      },
      handler: () => {},
    });
  }
}
