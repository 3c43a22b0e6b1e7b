/** The OpenAPI document, made from the very route definitions and schemas that the service runs on. */
import { readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import type { FastifySchema, RouteOptions } from 'fastify';
import { Problem } from '../../schemas/common.ts';
import { PROBLEMS } from '../../schemas/problems.ts';
import { CONDITIONS, GUIDE, HEADERS, SECURITY, TAGS } from './openapi-parts.ts';
import type { Content, OpenApi, Operation, Parameter, Ref, Response, Schema } from './openapi-types.ts';

export const manifest = JSON.parse(
  readFileSync(`${import.meta.dirname}/../../../package.json`, 'utf8'),
) as Record<'version' | 'license', string>;

/** A schema, or schemas by content type where the answer is not JSON. */
type Answer = Schema & { content?: Content };

interface Route {
  method: string;
  url: string;
  schema: FastifySchema & { response: Record<string, Answer> };
  scopes: readonly string[] | undefined;
  limited: boolean;
}

type Schemas = Record<string, Schema>;

export function openApiDocument(routes: RouteOptions[]): OpenApi {
  const offered = routes.filter(isOffered).map(asRoute);
  const schemas: Schemas = {};
  const paths: OpenApi['paths'] = {};
  for (const route of offered) {
    const path = route.url.replace(/:(\w+)/g, '{$1}');
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = operation(route, offered, schemas);
  }
  const responses = problemResponses(offered, schemas);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Quaestor',
      version: manifest.version,
      summary:
        'A bank of questions: kept with all their revisions, found by filter or by word, served as JSON, and examined for what is wrong with them.',
      description: GUIDE,
      license: { name: 'Apache License 2.0', identifier: manifest.license },
    },
    servers: [
      { url: '/', description: 'The current version, which is 1.' },
      { url: '/v1', description: 'Version 1 by its name.' },
    ],
    tags: TAGS.map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
      headers: HEADERS,
      parameters: CONDITIONS,
      responses,
      securitySchemes: SECURITY,
    },
  };
}

/** Routes with several methods at once are those that refuse what a path does not offer. */
export const isOffered = ({ method }: RouteOptions): boolean => typeof method === 'string';

const asRoute = ({ method, url, schema, config }: RouteOptions): Route => ({
  method: String(method),
  url,
  schema: schema as Route['schema'],
  scopes: config?.scopes,
  limited: config?.budget !== false,
});

function operation(route: Route, offered: Route[], schemas: Schemas): Operation {
  const { schema, url, scopes } = route;
  const tag = TAGS.find(({ of }) => of.includes(url.split('/')[1]!));
  if (!tag) throw new Error(`No tag is described for ${url}.`);
  const body = schema.body
    ? jsonContent(schema.body, schemas)
    : schema.form && formContent(schema.form, schemas);
  return {
    operationId: operationId(route, offered),
    tags: [tag.name],
    summary: schema.summary ?? '',
    ...(schema.description && { description: schema.description }),
    security: scopes ? [{ oauth: scopes }, { bearer: scopes }] : [],
    parameters: [
      ...parameters('path', schema.params as Schema, schemas),
      ...parameters('query', schema.querystring as Schema, schemas),
      ...[...conditions(route, offered), ...(schema.takes ?? [])].map((name) => ({
        $ref: `#/components/parameters/${name}`,
      })),
    ],
    ...(body && { requestBody: { required: true, content: body } }),
    responses: answers(route, offered, schemas),
  };
}

/** Such as listQuestions, createQuestions, getQuestion, listQuestionRevisions, restoreQuestion. */
function operationId(route: Route, offered: Route[]): string {
  const { method, url, schema } = route;
  if (schema.operationId) return schema.operationId;
  const words = url.split('/').filter((word) => word && !word.startsWith(':'));
  const last = words.pop()!.replace(/\.\w+$/, '');
  const collection = offered.some((other) => other.method === 'GET' && other.url === url);
  const name = (verb: string, ...nouns: string[]) =>
    verb + nouns.map((noun) => noun[0]!.toUpperCase() + noun.slice(1)).join('');
  const owners = words.map(singular);
  if (method === 'POST' && !collection) return name(last, ...owners);
  const one = url.endsWith('/:id') || (method === 'POST' && !takesMany(schema.body));
  const list = schema.response[200]?.properties?.data !== undefined;
  const verbs: Record<string, string> = {
    GET: list ? 'list' : 'get',
    POST: 'create',
    PUT: 'update',
    DELETE: 'delete',
  };
  return name(verbs[method] ?? method.toLowerCase(), ...owners, one ? singular(last) : last);
}

const singular = (noun: string) => noun.replace(/ies$/, 'y').replace(/([^is])s$/, '$1');

const takesMany = (body: unknown) => (body as Schema)?.anyOf?.some(({ type }) => type === 'array') ?? false;

function parameters(where: 'path' | 'query', fields: Schema | undefined, schemas: Schemas): Parameter[] {
  return Object.entries(fields?.properties ?? {}).map(([name, { description, ...schema }]) => ({
    name,
    in: where,
    ...(description && { description }),
    required: fields?.required?.includes(name) ?? false,
    ...(schema.type === 'array' && { style: 'form', explode: true }),
    schema: asJson(schema, schemas) as Schema,
  }));
}

/** A GET that tells what it answers by an ETag. */
const isTagged = ({ method, url, schema }: Route) =>
  method === 'GET' && (url.endsWith('/:id') || schema.response[304] !== undefined);

function conditions(route: Route, offered: Route[]): (keyof typeof CONDITIONS)[] {
  const { method, url, schema } = route;
  if (method === 'POST') return schema.form || schema.repeatable ? [] : ['IdempotencyKey'];
  if (method !== 'GET')
    return offered.some((other) => other.url === url && isTagged(other)) ? ['IfMatch'] : [];
  return isTagged(route) ? ['IfNoneMatch'] : [];
}

/** A route's own answers, and every refusal it may give. A status may have both, told apart by their content type. */
function answers(route: Route, offered: Route[], schemas: Schemas): Operation['responses'] {
  const own = successes(route, offered, schemas);
  const refused = refusals(route, offered);
  for (const [status, answer] of Object.entries(own)) {
    const problem = refused[status];
    if (!problem) continue;
    const content = { ...answer.content, ...problemContent(schemas) };
    own[status] = { ...answer, description: `${answer.description}\n${problem.description}`, content };
  }
  return { ...refused, ...own };
}

function successes(route: Route, offered: Route[], schemas: Schemas): Record<string, Response> {
  const tagged = offered
    .filter(isTagged)
    .flatMap(({ schema }) => [schema.response[200]!, ...(schema.response[200]!.anyOf ?? [])]);
  const member = offered.some((other) => other.url === `${route.url}/:id` && isTagged(other));
  const answers = Object.entries(route.schema.response).map(([status, answer]): [string, Response] => {
    const empty = answer.type === 'null';
    const content = answer.content ?? jsonContent(answer, schemas);
    const one = takesMany(route.schema.body) ? 'OfOne' : '';
    const sides = [answer, ...(answer.anyOf ?? [])];
    const made = route.schema.creates !== undefined;
    const named: Record<string, Ref> = {
      ...(((status === '201' && member) || made) && { Location: header(`Location${one}`) }),
      ...(status === '202' && { 'Retry-After': header('Retry-After') }),
      ...(status === '401' && { 'WWW-Authenticate': header('WWW-Authenticate') }),
      ...((status === '201' && member) || sides.some((side) => tagged.includes(side))
        ? { ETag: header(`ETag${one}`) }
        : {}),
      ...(answer.properties?.pagination && { Link: header('Link') }),
    };
    return [
      status,
      {
        description: (!empty && answer.description) || STATUS_CODES[status]!,
        headers: { ...named, ...common, ...limitHeaders(route) },
        ...(!empty && { content }),
      },
    ];
  });
  if (isTagged(route)) {
    const description = 'You have it already: its ETag is in `If-None-Match`.';
    answers.push([
      '304',
      { description, headers: { ETag: header('ETag'), ...common, ...limitHeaders(route) } },
    ]);
  }
  return Object.fromEntries(answers);
}

const header = (name: string): Ref => ({ $ref: `#/components/headers/${name}` });
const common = { 'API-Version': header('API-Version'), 'X-Request-Id': header('X-Request-Id') };

/** Absent where a limit is switched off. */
const limitHeaders = ({ limited }: Route): Record<string, Ref> =>
  limited ? { RateLimit: header('RateLimit'), 'RateLimit-Policy': header('RateLimit-Policy') } : {};

type Kinds = [code: string, kind: (typeof PROBLEMS)[string]][];
const kinds: Kinds = Object.entries(PROBLEMS);

function kindsOn(route: Route, offered: Route[]): Kinds {
  const { method, url, schema, scopes, limited } = route;
  const traits = new Set(['any', method, url, `${method} ${url}`]);
  if (method !== 'GET') traits.add('write');
  if (scopes) traits.add('scoped');
  if (limited) traits.add('limited');
  if (schema.body) traits.add('body');
  if (conditions(route, offered).length > 0) traits.add('condition');
  if (conditions(route, offered).includes('IdempotencyKey')) traits.add('keyed');
  if (conditions(route, offered).includes('IfMatch')) traits.add('matched');
  return kinds.filter(([, { on }]) => on.some((trait) => traits.has(trait)));
}

const listed = (some: Kinds) => some.map(([code, { meaning }]) => `- \`${code}\`: ${meaning}`).join('\n');
const byStatus = (some: Kinds) => Object.entries(Object.groupBy(some, ([, { status }]) => status));
const responseName = (status: string) => STATUS_CODES[status]!.replace(/\W/g, '');

/** Each refers to what all routes share, and lists the codes that are its own. */
function refusals(route: Route, offered: Route[]): Record<string, Ref> {
  const own = byStatus(kindsOn(route, offered)).map(([status, some]): [string, Ref] => [
    status,
    { $ref: `#/components/responses/${responseName(status)}`, description: listed(some!) },
  ]);
  return { ...Object.fromEntries(own), default: { $ref: '#/components/responses/Problem' } };
}

function problemResponses(offered: Route[], schemas: Schemas): Record<string, Response> {
  const used = new Set(offered.flatMap((route) => kindsOn(route, offered)).map(([code]) => code));
  const content = problemContent(schemas);
  const answers = byStatus(kinds.filter(([code]) => used.has(code))).map(
    ([status, some]): [string, Response] => {
      const wait = { 409: 'RetryAfterConflict', 429: 'Retry-After', 503: 'Retry-After' }[status];
      const headers = {
        ...(wait && { 'Retry-After': header(wait) }),
        ...(status === '401' && { 'WWW-Authenticate': header('WWW-Authenticate') }),
        ...common,
      };
      return [responseName(status), { description: listed(some!), headers, content }];
    },
  );
  const anywhere = listed(kinds.filter(([, { on }]) => on.length === 0));
  const description = `What any request may be answered with:\n\n${anywhere}`;
  return { ...Object.fromEntries(answers), Problem: { description, headers: common, content } };
}

const problemContent = (schemas: Schemas): Content => ({
  'application/problem+json': jsonContent(Problem, schemas)['application/json']!,
});

/** As a form or as JSON: the fields are the same. */
function formContent(schema: unknown, schemas: Schemas): Content {
  const content = jsonContent(schema, schemas);
  return { 'application/x-www-form-urlencoded': content['application/json']!, ...content };
}

function jsonContent(schema: unknown, schemas: Schemas): Content {
  return {
    'application/json': { schema: asJson(schema, schemas) as Schema, example: exampleOf(schema as Schema) },
  };
}

/** The schema as plain JSON; each with a name of its own goes to the components and is referred to. */
function asJson(value: unknown, schemas: Schemas): unknown {
  if (Array.isArray(value)) return value.map((each) => asJson(each, schemas));
  if (typeof value !== 'object' || value === null) return value;
  const { $id, ...rest } = value as Record<string, unknown>;
  const plain = Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, asJson(inner, schemas)]));
  if (typeof $id !== 'string') return plain;
  schemas[$id] = plain;
  return { $ref: `#/components/schemas/${$id}` };
}

/** The schema's own example, or one made of the examples of its parts. */
function exampleOf(schema: Schema): unknown {
  const given = schema.examples?.[0] ?? schema.const ?? schema.enum?.[0] ?? schema.default;
  if (given !== undefined) return given;
  if (schema.anyOf) return exampleOf(schema.anyOf[0]!);
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, field]) => [name, exampleOf(field)]),
      );
    case 'array':
      return [exampleOf(schema.items!)];
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
