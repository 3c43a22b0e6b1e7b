/** Checks that a response conforms to the OpenAPI document. */
import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { buildOpenApi } from '../../src/api/docs/openapi.ts';
import type { Header, OpenApi, Operation, Ref, Response } from '../../src/api/docs/openapi-types.ts';
import type { App } from '../../src/app.ts';
import type { Answer } from './engines.ts';

const PROBLEM = 'application/problem+json';
const CONSOLE_PAGE = /^(?:\/(?:console\/.*)?)?$/;
/** Statuses of requests that are rejected before routing. */
const STATUSES_WITHOUT_ROUTE = [400, 404, 408, 413, 414, 415, 417, 431];

export function assertConforms(app: App, method: string, url: string, answer: Answer): void {
  const contract = byApp.getOrInsertComputed(app, () => {
    const document = buildOpenApi(app.routes);
    return byDocument.getOrInsertComputed(JSON.stringify(document), () => new ResponseContract(document));
  });
  const request = `${method} ${url.length > 200 ? `${url.slice(0, 200)}…` : url}`;
  contract.check(method, url, answer, (error) =>
    assert.fail(`${request} answered ${answer.status}: ${error}\n${answer.text.slice(0, 1000)}`),
  );
}

const byApp = new WeakMap<App, ResponseContract>();
/** Apps with the same document share their validators, which take two seconds to compile. */
const byDocument = new Map<string, ResponseContract>();

type Fail = (error: string) => never;

export class ResponseContract {
  readonly #document: OpenApi;
  readonly #ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });
  readonly #compiled = new Map<string, ValidateFunction>();

  readonly #templates: [template: string, pattern: RegExp][];

  constructor(document: OpenApi) {
    this.#document = document;
    // A path without parameters is matched before one with them, as the router does.
    const paths = Object.keys(document.paths).sort(
      (a, b) => Number(a.includes('{')) - Number(b.includes('{')),
    );
    this.#templates = paths.map((template) => [template, toPattern(template)]);
    formats.default(this.#ajv);
    this.#ajv.addSchema(document, 'document');
  }

  check(method: string, url: string, answer: Answer, fail: Fail): void {
    const path = url.split('?')[0]!.replace(/^\/v1(?=\/|$)/, '');
    // An empty segment is no id: there is no such path.
    if (path !== '/' && /\/(?:\/|$)/.test(path) && answer.body?.code === 'no_such_route') {
      this.#checkResponse('/components/responses/Problem', answer, method === 'HEAD', fail);
      return;
    }
    // A path without parameters takes precedence, as in routing.
    const [template] =
      this.#templates.find(([name]) => name === path) ??
      this.#templates.find(([, pattern]) => pattern.test(path)) ??
      [];
    const operations = template === undefined ? undefined : this.#document.paths[template]!;
    const verb = (method === 'HEAD' ? 'GET' : method).toLowerCase();
    const operation = operations?.[verb];
    const empty = method === 'HEAD';
    if (operation) {
      const at = `/paths/${escapePointer(template!)}/${verb}/responses`;
      this.#checkDeclared(operation, at, answer, empty, fail);
      return;
    }
    // Pages of the console are not part of the API.
    const isPage = CONSOLE_PAGE.test(path);
    if (isPage && answer.status < 400) return;
    const expected =
      operations || isPage
        ? [...STATUSES_WITHOUT_ROUTE.filter((status) => status !== 404 || isPage), 405]
        : STATUSES_WITHOUT_ROUTE;
    if (!expected.includes(answer.status)) fail(`no such ${operations ? 'method' : 'path'} is declared`);
    if (answer.status === 405 && !answer.headers.allow) fail('the header Allow is missing');
    this.#checkResponse('/components/responses/Problem', answer, empty, fail);
  }

  #checkDeclared(operation: Operation, at: string, answer: Answer, empty: boolean, fail: Fail): void {
    const declared = operation.responses[answer.status];
    if (!declared && answer.status < 400) fail('the status is not declared');
    const status = declared ? String(answer.status) : 'default';
    const { $ref, description = '' } = operation.responses[status] as Ref;
    this.#checkResponse($ref ? $ref.slice(1) : `${at}/${status}`, answer, empty, fail);
    if (answer.status < 400 || empty) return;
    const common = this.#document.components.responses.Problem!.description;
    // A problem's code, or the error of RFC 6749.
    const code = `\`${answer.body.code ?? answer.body.error}\``;
    if (!description.includes(code) && !common.includes(code)) fail(`${code} is not declared here`);
  }

  #checkResponse(at: string, answer: Answer, empty: boolean, fail: Fail): void {
    const response = this.#at<Response>(at);
    for (const [name, { $ref }] of Object.entries(response.headers ?? {})) {
      const { required, schema } = this.#at<Header>($ref.slice(1));
      const text = answer.headers[name.toLowerCase()];
      if (text === undefined && required) fail(`the header ${name} is missing`);
      const value = schema.type === 'integer' ? Number(text) : text;
      if (text !== undefined) this.#checkValue(`${$ref.slice(1)}/schema`, value, `header ${name}`, fail);
    }
    const type = answer.headers['content-type']?.split(';')[0];
    const declared = Object.keys(response.content ?? {});
    if (declared.length === 0) {
      if (answer.text !== '') fail('no body is declared');
      return;
    }
    if (!type || !declared.includes(type)) fail(`${type} is not ${declared.join(' or ')}`);
    if (empty) return;
    const value = type!.endsWith('json') ? answer.body : answer.text;
    this.#checkValue(`${at}/content/${escapePointer(type!)}/schema`, value, 'body', fail);
    if (type === PROBLEM && answer.body.status !== answer.status)
      fail('`status` in the body differs from the status of the response');
  }

  #checkValue(pointer: string, value: unknown, label: string, fail: Fail): void {
    const validate = this.validator(pointer);
    if (!validate(value)) fail(this.#ajv.errorsText(validate.errors, { dataVar: label }));
  }

  validator(pointer: string): ValidateFunction {
    const $ref = `document#${pointer.split('/').map(encodeURIComponent).join('/')}`;
    return this.#compiled.getOrInsertComputed(pointer, () => this.#ajv.compile({ $ref }));
  }

  #at<T>(pointer: string): T {
    let found: unknown = this.#document;
    for (const step of pointer.split('/').slice(1))
      found = (found as Record<string, unknown>)[unescapePointer(step)];
    return found as T;
  }
}

/** As in the router, a path parameter may be empty. */
const toPattern = (template: string) =>
  new RegExp(`^${template.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]*')}$`);

const escapePointer = (step: string) => step.replaceAll('~', '~0').replaceAll('/', '~1');
const unescapePointer = (step: string) => step.replaceAll('~1', '/').replaceAll('~0', '~');
