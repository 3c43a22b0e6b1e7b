/**
 * Serves the console. Its pages are `/` and below `/console/`; every page is the same document, and
 * the address is its state. The API does not depend on the console.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Bundle, buildConsole, renderShell } from '../../console/build.ts';
import { errors } from '../errors.ts';

/** Charts are images, so neither their style sheets nor their markup enter the page. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const UNAVAILABLE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Quaestor</title>
<p>The console cannot be built on this machine: esbuild does not start. Install it with its optional
dependencies, on a file system that allows programs to be executed. The API is not affected; see
<a href="/docs">/docs</a>.</p></html>`;

const ASSET_CACHE = 'public, max-age=31536000, immutable';

/** Without an encoding that the request excludes by `q=0`. */
const acceptsGzip = ({ headers }: FastifyRequest) =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(String(headers['accept-encoding'] ?? ''));

export function consoleRoutes(app: FastifyInstance): void {
  async function sendShell(request: FastifyRequest, reply: FastifyReply) {
    reply.type('text/html; charset=utf-8').headers({
      'cache-control': 'no-cache',
      'content-security-policy': POLICY,
      'cross-origin-opener-policy': 'same-origin',
    });
    let bundle: Bundle;
    try {
      bundle = await buildConsole();
    } catch (error) {
      request.log.error({ err: error }, 'console not built');
      return reply.code(503).send(UNAVAILABLE);
    }
    const { html, etag } = renderShell(bundle);
    reply.header('etag', etag);
    return request.headers['if-none-match'] === etag ? reply.code(304).send() : reply.send(html);
  }

  const config = { public: true, unlisted: true, rateLimit: false, compression: 'never' } as const;
  for (const path of ['/', '/console/:page', '/console/:page/:id'])
    app.get(path, { config, handler: sendShell });

  app.get<{ Params: { name: string } }>('/console/assets/:name', { config }, async (request, reply) => {
    const asset = (await buildConsole()).assets.get(request.params.name);
    if (!asset) throw errors.noSuchRoute(request.url);
    const isCompressed = acceptsGzip(request);
    if (isCompressed) reply.header('content-encoding', 'gzip');
    return reply
      .headers({ 'cache-control': ASSET_CACHE, vary: 'Accept-Encoding' })
      .type(asset.type)
      .send(Buffer.from(isCompressed ? asset.gzip : asset.bytes));
  });
}
