/** Builds the OpenAPI document from the registered routes and their schemas. */
import { readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import type { FastifySchema, RouteOptions } from 'fastify';
import { MERGE_PATCH_TYPE } from '../../http/request-checks.ts';
import type { HeaderParameter } from '../../http/route-config.ts';
import { Problem } from '../../schemas/common.ts';
import { PROBLEMS } from '../../schemas/problems.ts';
import { GUIDE, HEADER_PARAMETERS, HEADERS, SECURITY, TAGS } from './openapi-parts.ts';
import type { Content, OpenApi, Operation, Parameter, Ref, Response, Schema } from './openapi-types.ts';

export const manifest = JSON.parse(
  readFileSync(`${import.meta.dirname}/../../../package.json`, 'utf8'),
) as Record<'version' | 'license', string>;

/** A schema, or schemas by content type if the response is not JSON. */
type ResponseSchema = Schema & { content?: Content };

interface Route {
  method: string;
  url: string;
  schema: FastifySchema & { response: Record<string, ResponseSchema> };
  scopes: readonly string[] | undefined;
  limited: boolean;
}

type Schemas = Record<string, Schema>;

export function buildOpenApi(routes: RouteOptions[]): OpenApi {
  const offered = routes.filter(isOffered).map(toRoute);
  const schemas: Schemas = {};
  const paths: OpenApi['paths'] = {};
  for (const route of offered) {
    const path = route.url.replace(/:(\w+)/g, '{$1}');
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = buildOperation(route, offered, schemas);
  }
  const responses = buildProblemResponses(offered, schemas);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Quaestor',
      version: manifest.version,
      summary: 'A question bank with revisions, full-text search and item analysis.',
      description: GUIDE,
      license: { name: 'Apache License 2.0', identifier: manifest.license },
    },
    servers: [
      { url: '/', description: 'The current version (1).' },
      { url: '/v1', description: 'Version 1.' },
    ],
    tags: TAGS.map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
      headers: HEADERS,
      parameters: HEADER_PARAMETERS,
      responses,
      securitySchemes: SECURITY,
    },
  };
}

/** Operations of the API. Routes with several methods are those that respond 405. */
export const isOffered = ({ method, config }: RouteOptions): boolean =>
  typeof method === 'string' && !config?.unlisted;

const toRoute = ({ method, url, schema, config }: RouteOptions): Route => ({
  method: String(method),
  url,
  schema: schema as Route['schema'],
  scopes: config?.scopes,
  limited: config?.rateLimit !== false,
});

function buildOperation(route: Route, offered: Route[], schemas: Schemas): Operation {
  const { schema, url, scopes } = route;
  const tag = TAGS.find(({ segments }) => segments.includes(url.split('/')[1]!));
  if (!tag) throw new Error(`No tag is defined for ${url}.`);
  const body = schema.body
    ? buildBodyContent(route.method, schema.body, schemas)
    : schema.file
      ? buildFileContent(schema.file)
      : schema.form && buildFormContent(schema.form, schemas);
  return {
    operationId: buildOperationId(route, offered),
    tags: [tag.name],
    summary: schema.summary ?? '',
    ...(schema.description && { description: schema.description }),
    security: scopes ? [{ oauth: scopes }, { bearer: scopes }, { session: [] }] : [],
    parameters: [
      ...buildParameters('path', schema.params as Schema, schemas),
      ...buildParameters('query', schema.querystring as Schema, schemas),
      ...[...listHeaderParameters(route, offered), ...(schema.takes ?? [])].map((name) => ({
        $ref: `#/components/parameters/${name}`,
      })),
    ],
    ...(body && { requestBody: { required: true, content: body } }),
    responses: buildResponses(route, offered, schemas),
  };
}

/**
 * Derives an id such as listQuestions, createQuestions, getQuestion, listQuestionRevisions or
 * restoreQuestion.
 */
function buildOperationId(route: Route, offered: Route[]): string {
  const { method, url, schema } = route;
  if (schema.operationId) return schema.operationId;
  const words = url.split('/').filter((word) => word && !word.startsWith(':'));
  const last = words.pop()!.replace(/\.\w+$/, '');
  const collection = offered.some((other) => other.method === 'GET' && other.url === url);
  const name = (verb: string, ...nouns: string[]) =>
    verb + nouns.map((noun) => noun[0]!.toUpperCase() + noun.slice(1)).join('');
  const owners = words.map(toSingular);
  if (method === 'POST' && !collection) return name(last, ...owners);
  const one = url.endsWith('/:id') || (method === 'POST' && !takesMany(schema.body));
  const list = schema.response[200]?.properties?.data !== undefined;
  const verbs: Record<string, string> = {
    GET: list ? 'list' : 'get',
    POST: 'create',
    PUT: 'update',
    DELETE: 'delete',
  };
  return name(verbs[method] ?? method.toLowerCase(), ...owners, one ? toSingular(last) : last);
}

const toSingular = (noun: string) => noun.replace(/ies$/, 'y').replace(/([^is])s$/, '$1');

const takesMany = (body: unknown) => (body as Schema)?.anyOf?.some(({ type }) => type === 'array') ?? false;

function buildParameters(where: 'path' | 'query', fields: Schema | undefined, schemas: Schemas): Parameter[] {
  return Object.entries(fields?.properties ?? {}).map(([name, { description, ...schema }]) => ({
    name,
    in: where,
    ...(description && { description }),
    required: fields?.required?.includes(name) ?? false,
    ...(schema.type === 'array' && { style: 'form', explode: true }),
    schema: toJson(schema, schemas) as Schema,
  }));
}

/** A GET whose response has an ETag. */
const isTagged = ({ method, url, schema }: Route) =>
  method === 'GET' && (url.endsWith('/:id') || schema.response[304] !== undefined);

function listHeaderParameters(route: Route, offered: Route[]): HeaderParameter[] {
  const { method, url, schema } = route;
  if (method === 'POST') return schema.form || schema.repeatable ? [] : ['IdempotencyKey'];
  if (method !== 'GET')
    return offered.some((other) => other.url === url && isTagged(other)) ? ['IfMatch'] : [];
  return isTagged(route) ? ['IfNoneMatch'] : [];
}

/**
 * The route's own responses and its problems. A status can have both, with different content types.
 */
function buildResponses(route: Route, offered: Route[], schemas: Schemas): Operation['responses'] {
  const own = buildOwnResponses(route, offered, schemas);
  const problems = listProblems(route, offered);
  for (const [status, response] of Object.entries(own)) {
    const problem = problems[status];
    if (!problem) continue;
    const content = { ...response.content, ...buildProblemContent(schemas) };
    own[status] = { ...response, description: `${response.description}\n${problem.description}`, content };
  }
  return { ...problems, ...own };
}

function buildOwnResponses(route: Route, offered: Route[], schemas: Schemas): Record<string, Response> {
  const tagged = offered
    .filter(isTagged)
    .flatMap(({ schema }) => [schema.response[200]!, ...(schema.response[200]!.anyOf ?? [])]);
  const member = offered.some((other) => other.url === `${route.url}/:id` && isTagged(other));
  const responses = Object.entries(route.schema.response).map(([status, response]): [string, Response] => {
    const empty = response.type === 'null';
    const content = response.content
      ? (toJson(response.content, schemas) as Content)
      : buildJsonContent(response, schemas);
    const one = takesMany(route.schema.body) ? 'OfOne' : '';
    const branches = [response, ...(response.anyOf ?? [])];
    const creates = route.schema.creates !== undefined && status !== '200';
    const headers: Record<string, Ref> = {
      ...(((status === '201' && member) || creates) && { Location: refHeader(`Location${one}`) }),
      // A client polls the resource until it is complete.
      ...(status === '202' && creates && { 'Retry-After': refHeader('Retry-After') }),
      ...(status === '401' && { 'WWW-Authenticate': refHeader('WWW-Authenticate') }),
      ...((status === '201' && member) || branches.some((branch) => tagged.includes(branch))
        ? { ETag: refHeader(`ETag${one}`) }
        : {}),
      ...(response.properties?.pagination && { Link: refHeader('Link') }),
    };
    return [
      status,
      {
        description: (!empty && response.description) || STATUS_CODES[status]!,
        headers: { ...headers, ...COMMON_HEADERS, ...listLimitHeaders(route) },
        ...(!empty && { content }),
      },
    ];
  });
  if (isTagged(route)) {
    const description = 'The resource is unchanged: its ETag is in `If-None-Match`.';
    responses.push([
      '304',
      { description, headers: { ETag: refHeader('ETag'), ...COMMON_HEADERS, ...listLimitHeaders(route) } },
    ]);
  }
  return Object.fromEntries(responses);
}

const refHeader = (name: string): Ref => ({ $ref: `#/components/headers/${name}` });
const COMMON_HEADERS = { 'API-Version': refHeader('API-Version'), 'X-Request-Id': refHeader('X-Request-Id') };

const listLimitHeaders = ({ limited }: Route): Record<string, Ref> =>
  limited ? { RateLimit: refHeader('RateLimit'), 'RateLimit-Policy': refHeader('RateLimit-Policy') } : {};

type Kinds = [code: string, kind: (typeof PROBLEMS)[string]][];
const kinds: Kinds = Object.entries(PROBLEMS);

function listKinds(route: Route, offered: Route[]): Kinds {
  const { method, url, schema, scopes, limited } = route;
  const traits = new Set(['any', method, url, `${method} ${url}`]);
  if (method !== 'GET') traits.add('write');
  if (scopes) traits.add('scoped');
  if (limited) traits.add('limited');
  if (schema.body) traits.add('body');
  const headerParameters = listHeaderParameters(route, offered);
  if (headerParameters.length > 0) traits.add('condition');
  if (headerParameters.includes('IdempotencyKey')) traits.add('keyed');
  if (headerParameters.includes('IfMatch')) traits.add('matched');
  return kinds.filter(([, { on }]) => on.some((trait) => traits.has(trait)));
}

const formatKinds = (some: Kinds) =>
  some.map(([code, { meaning }]) => `- \`${code}\`: ${meaning}`).join('\n');
const groupByStatus = (some: Kinds) => Object.entries(Object.groupBy(some, ([, { status }]) => status));
const getResponseName = (status: string) => STATUS_CODES[status]!.replace(/\W/g, '');

/** Each refers to the shared response of its status, and lists the codes of this route. */
function listProblems(route: Route, offered: Route[]): Record<string, Ref> {
  const own = groupByStatus(listKinds(route, offered)).map(([status, some]): [string, Ref] => [
    status,
    { $ref: `#/components/responses/${getResponseName(status)}`, description: formatKinds(some!) },
  ]);
  return { ...Object.fromEntries(own), default: { $ref: '#/components/responses/Problem' } };
}

function buildProblemResponses(offered: Route[], schemas: Schemas): Record<string, Response> {
  const used = new Set(offered.flatMap((route) => listKinds(route, offered)).map(([code]) => code));
  const content = buildProblemContent(schemas);
  const responses = groupByStatus(kinds.filter(([code]) => used.has(code))).map(
    ([status, some]): [string, Response] => {
      const retryHeader = { 409: 'RetryAfterConflict', 429: 'Retry-After', 503: 'Retry-After' }[status];
      const headers = {
        ...(retryHeader && { 'Retry-After': refHeader(retryHeader) }),
        ...(status === '401' && { 'WWW-Authenticate': refHeader('WWW-Authenticate') }),
        ...COMMON_HEADERS,
      };
      return [getResponseName(status), { description: formatKinds(some!), headers, content }];
    },
  );
  const anywhere = formatKinds(kinds.filter(([, { on }]) => on.length === 0));
  const description = `Possible for any request:\n\n${anywhere}`;
  return { ...Object.fromEntries(responses), Problem: { description, headers: COMMON_HEADERS, content } };
}

const buildProblemContent = (schemas: Schemas): Content => ({
  'application/problem+json': buildJsonContent(Problem, schemas)['application/json']!,
});

function buildBodyContent(method: string, schema: unknown, schemas: Schemas): Content {
  const content = buildJsonContent(schema, schemas);
  return method === 'PATCH' ? { ...content, [MERGE_PATCH_TYPE]: content['application/json']! } : content;
}

/** A file of any type. */
const buildFileContent = ({ example }: { example: string }): Content => ({
  '*/*': { schema: { type: 'string' }, example },
});

/** Forms and JSON have the same fields. */
function buildFormContent(schema: unknown, schemas: Schemas): Content {
  const content = buildJsonContent(schema, schemas);
  return { 'application/x-www-form-urlencoded': content['application/json']!, ...content };
}

function buildJsonContent(schema: unknown, schemas: Schemas): Content {
  return {
    'application/json': {
      schema: toJson(schema, schemas) as Schema,
      example: buildExample(schema as Schema),
    },
  };
}

/**
 * Converts a schema to plain JSON. Schemas with an $id move to the components and are referenced.
 */
function toJson(value: unknown, schemas: Schemas): unknown {
  if (Array.isArray(value)) return value.map((item) => toJson(item, schemas));
  if (typeof value !== 'object' || value === null) return value;
  const { $id, ...rest } = value as Record<string, unknown>;
  const plain = Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, toJson(inner, schemas)]));
  if (Array.isArray(plain.enum) && plain.enum.every((each) => typeof each === 'string'))
    plain.type = 'string';
  if (typeof $id !== 'string') return plain;
  schemas[$id] = plain;
  return { $ref: `#/components/schemas/${$id}` };
}

/** Returns the example of a schema, or builds one from the examples of its parts. */
function buildExample(schema: Schema): unknown {
  const given = schema.examples?.[0] ?? schema.const ?? schema.enum?.[0] ?? schema.default;
  if (given !== undefined) return given;
  const [branch] = schema.anyOf ?? schema.oneOf ?? [];
  if (branch) return buildExample(branch);
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, field]) => [name, buildExample(field)]),
      );
    case 'array':
      return [buildExample(schema.items!)];
    case 'string':
      return schema.format === 'uuid' ? '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30' : 'text';
    case 'integer':
    case 'number':
      return schema.minimum ?? 0;
    case 'boolean':
      return false;
    default:
      return null;
  }
}
