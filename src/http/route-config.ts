/**
 * Everything a route may declare: in `config`, what the guard and the hooks need to admit its
 * requests; in `schema`, what the OpenAPI document needs beyond Fastify's own fields. A route with
 * an invalid declaration stops the start of the service.
 */
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import type { TSchema } from 'typebox';
import type { RateLimitName } from '../access/rate-limiter.ts';
import { containsAnswers } from '../schemas/answers.ts';
import type { Scope } from '../schemas/scopes.ts';
import { Type } from '../schemas/type.ts';
import { type Compression, getDefaultCompression } from './compression.ts';
import { requireBody } from './request-checks.ts';

/** Header parameters, by their names in the components of the OpenAPI document. */
export type HeaderParameter = 'IfMatch' | 'IfNoneMatch' | 'Prefer' | 'LastEventId' | 'IdempotencyKey';

/** Read once per request: Fastify's `routeOptions` builds an object at each access. */
export type RouteConfig = FastifyRequest['routeOptions']['config'];

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Required scopes; empty if any valid token suffices. A route has either `scopes` or `public`.
     */
    scopes?: readonly Scope[];
    public?: true;
    /** No operation of the API: a page of the console or a part of one, or a route of another API. */
    unlisted?: true;
    /** Pages of any origin may read the response. */
    anyOrigin?: true;
    /**
     * The route may show answers, but renders them only for callers with `answers:read`, or where a
     * draw shows explanations.
     */
    views?: true;
    /** The rate limit that applies: by default `read` or `write` by method; false for none. */
    rateLimit?: RateLimitName | false;
    /** The route accepts tokens for draws, and limits them to their draws and their respondent. */
    drawTokens?: true;
    /** The route itself authenticates clients that send an id and secret instead of a token. */
    clientCredentials?: true;
    /** The maximum size of a body that is not an array, where it exceeds the default. */
    maxObjectBytes?: number;
    /** The route reads the body as it arrives: only a part of it is in memory. */
    streamsBody?: true;
    /** The route responds under any load: an orchestrator restarts a process that does not. */
    neverRefused?: true;
    /** Whether responses may be compressed, where it differs from the default. */
    compression?: Compression;
    /** The route waits on purpose, and is exempt from the request deadline. */
    longRunning?: true;
  }
  interface FastifySchema {
    operationId?: string;
    summary?: string;
    description?: string;
    /** A body that the route parses itself, sent as a form or as JSON. */
    form?: TSchema;
    /** The body is a file of any type, which the route reads itself. The example is a valid one. */
    file?: { example: string };
    /** The path of the resource that the request creates, which Location names. */
    creates?: string;
    /** Header parameters beyond those that follow from the method. */
    takes?: HeaderParameter[];
    /** A POST that is idempotent by nature and takes no Idempotency-Key. */
    repeatable?: true;
  }
  interface FastifyInstance {
    /** Every registered route, as declared. */
    routes: RouteOptions[];
  }
}

/** Throws if a route's declaration is incomplete or would disclose answers. */
function checkRoute({ method, url, config = {}, schema }: RouteOptions): void {
  const { scopes, views } = config;
  if (!scopes === !config.public) throw new Error(`${method} ${url} must declare either scopes or public.`);
  if (containsAnswers(schema?.response) && !scopes?.includes('answers:read') && !views)
    throw new Error(`${method} ${url} responds with answers: it must require answers:read or declare views.`);
}

/** Checks and completes each route on registration, and collects it in `app.routes`. */
export function addRouteCheck(app: FastifyInstance): void {
  const routes: RouteOptions[] = [];
  app.decorate('routes', routes);
  app.addHook('onRoute', (route) => {
    checkRoute(route);
    route.config = { compression: getDefaultCompression(route), ...route.config };
    // A route without a query schema takes no query parameters. Unlisted ones read their query themselves.
    if (!route.config.unlisted)
      route.schema = { querystring: Type.Object({}, { additionalProperties: false }), ...route.schema };
    if (route.schema?.body) route.preValidation = requireBody;
    if (route.method !== 'HEAD') routes.push({ ...route });
  });
}
