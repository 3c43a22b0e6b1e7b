import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { sendWithEtag } from '../../http/preconditions.ts';
import { Type } from '../../schemas/type.ts';
import { buildOpenApi } from './openapi.ts';
import { renderDocs, SERVER } from './page.ts';
import { STYLE } from './style.ts';

const Document = Type.Object(
  {
    openapi: Type.String(),
    info: Type.Object({ title: Type.String(), version: Type.String() }),
    paths: Type.Object({}, { additionalProperties: Type.Object({}, { additionalProperties: true }) }),
  },
  {
    description: 'An OpenAPI 3.1 document.',
    examples: [{ openapi: '3.1.1', info: { title: 'Quaestor', version: '1.0.0' }, paths: {} }],
  },
);
const Page = { content: { 'text/html': { schema: Type.String() } } };

const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  'img-src data:',
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

export function docsRoutes(app: FastifyInstance, routes: RouteOptions[]): void {
  const getDocumentation = once(() => {
    const document = buildOpenApi(routes);
    const json = Buffer.from(JSON.stringify(document));
    return { json, etag: `"${hash('sha256', json, 'base64url').slice(0, 22)}"`, page: renderDocs(document) };
  });

  let latest: { server: string; page: Buffer } | undefined;
  /** The page with the URL of the service, rendered once for as long as it stays the same. */
  const renderPage = (server: string): Buffer => {
    if (latest?.server !== server)
      latest = { server, page: Buffer.from(getDocumentation().page.replaceAll(SERVER, server)) };
    return latest.page;
  };

  app.get(
    '/openapi.json',
    {
      config: { public: true },
      schema: {
        summary: 'OpenAPI document',
        response: { 200: Document, 304: Type.Null() },
      },
    },
    async (request, reply) => {
      const { json, etag } = getDocumentation();
      return sendWithEtag(request, reply.header('cache-control', 'no-cache'), etag, json);
    },
  );

  app.get(
    '/docs',
    {
      config: { public: true },
      schema: { summary: 'Documentation page', response: { 200: Page } },
    },
    async (request, reply) =>
      reply
        .headers({
          'cache-control': 'no-cache',
          'content-security-policy': PAGE_POLICY,
          'cross-origin-opener-policy': 'same-origin',
        })
        .type('text/html; charset=utf-8')
        .send(renderPage(getServerUrl(request))),
  );
}

/**
 * The URL for the examples, from the Host header. Remote hosts get https, so that no token is sent
 * in the clear.
 */
function getServerUrl({ headers: { host = '' } }: FastifyRequest): string {
  if (!/^[\w.-]+(?::\d+)?$|^\[[0-9a-f:]+\](?::\d+)?$/i.test(host)) return SERVER;
  return `${/^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::|$)/i.test(host) ? 'http' : 'https'}://${host}`;
}

/** Computes a value at first use, when every route is registered. */
function once<T>(compute: () => T): () => T {
  let value: T | undefined;
  return () => {
    value ??= compute();
    return value;
  };
}
