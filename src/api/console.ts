/**
 * Serves the console. Its pages are `/` and below `/console/`; every page is the same document, and
 * the address is its state. The API is not below these paths, and does not depend on the console.
 */
import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { type Bundle, buildConsole, renderShell } from '../../console/build.ts';
import { STYLE } from '../charts/style.ts';
import { errors } from '../errors.ts';

const Page = { content: { 'text/html': { schema: Type.String() } } };
const AssetContent = {
  content: { 'text/javascript': { schema: Type.String() }, 'text/css': { schema: Type.String() } },
};

/** `STYLE` is the style sheet inside charts. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types quaestor-chart',
].join('; ');

const UNAVAILABLE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Quaestor</title>
<p>The console cannot be built on this machine: esbuild does not start. Install it with its optional
dependencies, on a file system that allows programs to be executed. The API is not affected; see <a href="/docs">/docs</a>.</p></html>`;

export function consoleRoutes(app: FastifyInstance): void {
  let building: Promise<Bundle> | undefined;
  const getBundle = (): Promise<Bundle> => {
    building ??= buildConsole().catch((error) => {
      building = undefined;
      throw error;
    });
    return building;
  };

  async function sendShell(request: FastifyRequest, reply: FastifyReply) {
    reply.headers({
      'cache-control': 'no-cache',
      'content-security-policy': PAGE_POLICY,
      'cross-origin-opener-policy': 'same-origin',
    });
    let bundle: Bundle;
    try {
      bundle = await getBundle();
    } catch (error) {
      request.log.error({ err: error }, 'console not built');
      return reply.type('text/html; charset=utf-8').send(UNAVAILABLE);
    }
    const { html, etag } = renderShell(bundle);
    reply.header('etag', etag);
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    return reply.type('text/html; charset=utf-8').send(html);
  }

  const page = { config: { public: true as const, rateLimit: false as const }, handler: sendShell };
  const schema = (summary: string) => ({ summary, response: { 200: Page, 304: Type.Null() } });
  app.get('/', { ...page, schema: { ...schema('Console'), operationId: 'getConsole' } });
  app.get('/console/:page', {
    ...page,
    schema: {
      ...schema('Page of the console'),
      operationId: 'getConsolePage',
      params: Type.Object({ page: Type.String() }),
    },
  });
  app.get('/console/:page/:id', {
    ...page,
    schema: {
      ...schema('Page of one object in the console'),
      operationId: 'getConsoleObject',
      params: Type.Object({ page: Type.String(), id: Type.String() }),
    },
  });

  app.get<{ Params: { name: string } }>(
    '/console/assets/:name',
    {
      config: { public: true, rateLimit: false },
      schema: {
        operationId: 'getConsoleAsset',
        summary: 'Script or style sheet of the console',
        params: Type.Object({ name: Type.String() }),
        response: { 200: AssetContent },
      },
    },
    async (request, reply) => {
      const asset = (await getBundle()).assets.get(request.params.name);
      if (!asset) throw errors.noSuchRoute(`/console/assets/${request.params.name}`);
      const compresses = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(
        String(request.headers['accept-encoding'] ?? ''),
      );
      if (compresses) reply.header('content-encoding', 'gzip');
      return reply
        .headers({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'Accept-Encoding' })
        .type(asset.type)
        .send(Buffer.from(compresses ? asset.gzip : asset.bytes));
    },
  );
}
