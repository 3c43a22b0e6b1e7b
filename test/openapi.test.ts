/**
 * The OpenAPI document describes the service, the documentation page shows it, and its examples
 * work.
 */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { buildOpenApi, isOffered } from '../src/api/docs/openapi.ts';
import type { OpenApi, Schema } from '../src/api/docs/openapi-types.ts';
import { type ApiError, errors } from '../src/errors.ts';
import { PROBLEMS } from '../src/schemas/problems.ts';
import { changeErrors } from '../src/store/changes/errors.ts';
import { drawErrors } from '../src/store/draws/errors.ts';
import { reviewErrors } from '../src/store/review/errors.ts';
import { assertConforms, ResponseContract } from './support/conformance.ts';
import { type Answer, openService, type Service, sample } from './support/engines.ts';
import { until } from './support/until.ts';

let service: Service;
let document: OpenApi;
let page: string;

before(async () => {
  service = await openService('sqlite');
  document = (await service.call('GET', '/openapi.json')).body;
  page = (await service.call('GET', '/docs')).text;
});
after(() => service.close());

/** Every object in the document, with the pointer to it. */
function* objects(value: unknown, at = ''): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [at, value as Record<string, unknown>];
  for (const [key, inner] of Object.entries(value)) {
    yield* objects(inner, `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  }
}

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

describe('the OpenAPI document', () => {
  it('passes the strictest recommended rules', async () => {
    const config = await createConfig({ extends: ['recommended-strict'] });
    const found = await lintFromString({ source: JSON.stringify(document), config });
    assert.deepEqual(
      found.map(({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer}: ${message}`),
      [],
    );
  });

  it('is generated from the routes, and has an ETag', async () => {
    assert.deepEqual(JSON.parse(JSON.stringify(buildOpenApi(service.app.routes))), document);
    const { headers } = await service.call('GET', '/openapi.json');
    assert.equal(headers['cache-control'], 'no-cache');
    const again = await service.call('GET', '/openapi.json', { headers: { 'if-none-match': headers.etag! } });
    assert.equal(again.status, 304);
    assert.equal((await service.call('HEAD', '/v1/openapi.json')).headers.etag, headers.etag);
  });

  it('has every route and no other', () => {
    const routes = service.app.routes
      .filter(isOffered)
      .map(({ method, url }) => `${String(method)} ${url.replace(/:(\w+)/g, '{$1}')}`);
    const declared = operations().map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    assert.deepEqual(declared.sort(), routes.sort());
  });

  it('names the scopes of each route, or that it is public', () => {
    for (const { method, url, config } of service.app.routes.filter(isOffered)) {
      const { security } = document.paths[url.replace(/:(\w+)/g, '{$1}')]![String(method).toLowerCase()]!;
      const { scopes } = config ?? {};
      assert.deepEqual(
        security,
        scopes ? [{ oauth: scopes }, { bearer: scopes }, { session: [] }] : [],
        `${method} ${url}`,
      );
    }
  });

  it('has no broken reference', () => {
    const pointers = new Map(objects(document));
    for (const [at, { $ref }] of pointers) {
      if ($ref !== undefined) assert.ok(pointers.has(String($ref).slice(1)), `${at} refers to ${$ref}`);
    }
  });

  it('has no $id in any schema', () => {
    for (const [at, object] of objects(document)) assert.ok(!('$id' in object), at);
  });

  it('has examples that match their schemas', () => {
    const promised = new ResponseContract(document);
    let checked = 0;
    const check = (pointer: string, example: unknown) => {
      checked++;
      const validate = promised.validator(pointer);
      assert.ok(validate(example), `${pointer}: ${JSON.stringify(validate.errors)}`);
    };
    for (const [at, object] of objects(document)) {
      if (at.includes('/examples/') || at.includes('/example/')) continue;
      const { examples, example, schema } = object as {
        examples?: unknown[];
        example?: unknown;
        schema?: Schema;
      };
      for (const each of Array.isArray(examples) ? examples : []) check(at, each);
      if (schema && example !== undefined) check(`${at}/schema`, example);
    }
    assert.ok(checked > 50, `${checked} were found`);
  });

  it('has an example of every body', () => {
    for (const { operation } of operations()) {
      for (const { example } of Object.values(operation.requestBody?.content ?? {})) {
        assert.ok(example, operation.operationId);
      }
    }
  });
});

describe('the list of problems', () => {
  it('has every error with its status', () => {
    const made = Object.values({ ...errors, ...changeErrors, ...drawErrors, ...reviewErrors }).map((make) =>
      (make as (...args: unknown[]) => ApiError)([], []),
    );
    assert.deepEqual(
      Object.entries(PROBLEMS)
        .map(([code, { status }]) => `${status} ${code}`)
        .sort(),
      made.map(({ status, code }) => `${status} ${code}`).sort(),
    );
  });

  it('is in the document, each where it can occur', () => {
    const described = Object.values(document.components.responses)
      .map(({ description }) => description)
      .join('\n');
    for (const code of Object.keys(PROBLEMS)) assert.ok(described.includes(`\`${code}\``), code);
  });

  it('names existing routes', () => {
    const traits = ['any', 'write', 'scoped', 'limited', 'body', 'condition', 'keyed', 'matched'];
    for (const { method, url } of service.app.routes) traits.push(url, `${String(method)} ${url}`);
    for (const [code, { on }] of Object.entries(PROBLEMS)) {
      for (const trait of on) assert.ok(traits.includes(trait), `${code}: ${trait}`);
    }
  });
});

const noShell = ['sh', 'curl'].some((tool) => spawnSync(tool, ['--version']).error);

describe('the documentation page', () => {
  it('has an anchor for every problem, operation and schema', () => {
    const ids = [
      ...Object.keys(PROBLEMS).map((code) => `problem-${code}`),
      ...operations().map(({ operation }) => operation.operationId),
      ...Object.keys(document.components.schemas).map((name) => `schema-${name}`),
      'conventions',
      'paging',
      'authentication',
      'rate-limits',
      'errors',
    ];
    for (const id of ids) assert.equal(page.split(`id="${id}"`).length, 2, id);
  });

  it('has no broken link', () => {
    for (const [, id] of page.matchAll(/href="#([^"]+)"/g)) assert.ok(page.includes(`id="${id}"`), `#${id}`);
    const elsewhere = [...page.matchAll(/(?:href|src|action)="([^#"][^"]*)"/g)].map(([, address]) => address);
    assert.deepEqual([...new Set(elsewhere)], ['data:,', 'openapi.json']);
  });

  it('runs no script and fetches nothing', async () => {
    assert.doesNotMatch(page, /<script|javascript:|\son\w+=|@import|url\(|\sstyle=/i);
    const policy = (await service.call('GET', '/docs')).headers['content-security-policy']!;
    assert.match(policy, /^default-src 'none'; style-src 'sha256-/);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
  });

  it('shows the URL of the server as requested', async () => {
    for (const [host, server] of [
      ['127.0.0.1:4000', 'http://127.0.0.1:4000'],
      ['[::1]:4000', 'http://[::1]:4000'],
      ['bank.example', 'https://bank.example'],
      ['x"><script>', 'http://127.0.0.1:3000'],
    ] as const) {
      const { text } = await service.call('GET', '/docs', { headers: { host } });
      assert.ok(text.includes(`curl -i ${server}/health`), host);
    }
  });

  it('shows commands that work', { skip: noShell && 'needs sh and curl' }, async () => {
    await service.app.listen({ port: 0, host: '127.0.0.1' });
    await service.call('POST', '/questions', { body: sample() });
    const { port } = service.app.server.address() as { port: number };
    let tried = 0;
    for (const [, id, escaped] of page.matchAll(
      /<h3 id="(\w+)">.*?<pre class="command"><code>(.*?)<\/code>/gs,
    )) {
      const { body: spare } = await service.call('POST', '/auth/tokens', { body: { name: 'Spare' } });
      const env = {
        ...process.env,
        QUAESTOR_KEY: service.admin.key,
        QUAESTOR_ADMIN_SECRET: service.admin.secret,
        TOKEN: spare.token,
      };
      const command = unescapeHtml(escaped!).replaceAll('http://localhost:80', `http://127.0.0.1:${port}`);
      await until('the end of imports', async () => {
        const { data } = (await service.call('GET', '/imports')).body;
        return data.every(({ status }: { status: string }) => !['queued', 'running'].includes(status));
      });
      // An endless stream is read for one second.
      const limited = command.startsWith('curl -iN') ? `${command} --max-time 1 || true` : command;
      const { stdout } = await promisify(execFile)('sh', ['-c', limited], { env, maxBuffer: 2 ** 24 });
      const status = /^HTTP\/1.1 (\d+)/.exec(stdout)?.[1];
      const { operation } = operations().find(({ operation }) => operation.operationId === id)!;
      assert.ok(Number(status) < 400 && operation.responses[status!], `${command}\n${stdout}`);
      tried++;
    }
    assert.equal(tried, operations().length);
    // The commands have revoked neither the key nor the secret.
    assert.equal((await service.call('GET', '/auth/me')).status, 200);
    const { secret } = service.admin;
    const body = { grant_type: 'client_credentials', client_id: 'admin', client_secret: secret };
    assert.equal((await service.call('POST', '/auth/token', { token: null, body })).status, 200);
  });
});

const unescapeHtml = (text: string) =>
  text
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

describe('assertConforms', () => {
  const violations: [string, string, string, (answer: Answer) => Partial<Answer>, RegExp][] = [
    ['a status that is not declared', 'GET', '/questions', () => ({ status: 203 }), /not declared/],
    ['an additional field', 'GET', '/health', () => ({ body: { status: 'ok', more: 1 } }), /additional/],
    [
      'another media type',
      'GET',
      '/docs',
      ({ headers }) => ({ headers: { ...headers, 'content-type': 'text/plain' } }),
      /text.plain is not/,
    ],
    [
      'a missing header',
      'GET',
      '/questions',
      ({ headers }) => ({ headers: { ...headers, link: undefined } }),
      /Link/,
    ],
    [
      'a problem of other routes',
      'GET',
      '/questions/x',
      ({ body }) => ({ body: { ...body, code: 'precondition_failed' } }),
      /precondition_failed/,
    ],
    ['a method that is not declared', 'PATCH', '/questions', () => ({ status: 200 }), /no such method/],
    [
      '405 without Allow',
      'PATCH',
      '/docs',
      ({ headers }) => ({ headers: { ...headers, allow: undefined } }),
      /Allow/,
    ],
    ['a path that is not declared', 'GET', '/nowhere', () => ({ status: 200 }), /no such path/],
  ];
  for (const [title, method, url, change, message] of violations) {
    it(`rejects ${title}`, async () => {
      const answer = await service.call(method, url);
      assert.throws(
        () => assertConforms(service.app, method, url, { ...answer, ...change(answer) }),
        message,
      );
    });
  }
});
