/** The interface described by itself: for programs at /openapi.json, for people at /docs. */
import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import Type from 'typebox';
import { sendTagged } from '../../http/preconditions.ts';
import { openApiDocument } from './openapi.ts';
import { renderDocs, SERVER } from './page.ts';
import { STYLE } from './style.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route there is, as it was registered. */
    routes: RouteOptions[];
  }
}

const Document = Type.Object(
  {
    openapi: Type.String(),
    info: Type.Object({ title: Type.String(), version: Type.String() }),
    paths: Type.Object({}),
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
  const documentation = once(() => {
    const document = openApiDocument(routes);
    const json = JSON.stringify(document);
    return { json, etag: `"${hash('sha256', json, 'base64url').slice(0, 22)}"`, page: renderDocs(document) };
  });

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
      const { json, etag } = documentation();
      return sendTagged(request, reply.header('cache-control', 'no-cache'), etag, json);
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
        .send(documentation().page.replaceAll(SERVER, serverOf(request))),
  );
}

/** Where the reader has found us, so that what they copy works. A token is never sent to another machine in the clear. */
function serverOf({ headers: { host = '' } }: FastifyRequest): string {
  if (!/^[\w.-]+(?::\d+)?$|^\[[0-9a-f:]+\](?::\d+)?$/i.test(host)) return SERVER;
  return `${/^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::|$)/i.test(host) ? 'http' : 'https'}://${host}`;
}

/** Made when it is first asked for: by then every route is known. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
