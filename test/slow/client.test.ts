/**
 * A client that is generated from the OpenAPI document: requests and responses of every analysis
 * have types, and a wrong request does not compile.
 */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { analyses } from '../../src/analyses/index.ts';
import type { OpenApi, Schema } from '../../src/api/docs/openapi-types.ts';
import { toSchemaName } from '../../src/schemas/analysis.ts';
import { compile, generateTypes } from '../support/client-types.ts';
import { openService } from '../support/engines.ts';
import { removeFolder, tempFolder } from '../support/folders.ts';

const HEAD = `import type { components, paths } from './api.ts';
type Schemas = components['schemas'];
type Body = paths['/analysis/run']['post']['requestBody']['content']['application/json'];
type Run = paths['/analysis/{id}']['get']['responses'][200]['content']['application/json'];
type Created = paths['/analysis/run']['post']['responses'][201]['content']['application/json'];
type Listed = paths['/analysis']['get']['responses'][200]['content']['application/json']['data'][number];
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
export declare function send(body: Body): Created;
export declare function expect<T extends true>(): T;
`;

const EXPECT_ERROR = '// @ts-expect-error';

/** A request with one parameter, on one line, so that an expected error applies to all of it. */
const formatCall = (type: string, name: string, value: unknown) =>
  `send({ analysis_type: '${type}', parameters: { ${name}: ${JSON.stringify(value)} } });`;

type Parameter = Schema & { type?: string };

/** The schema of a value other than null. */
const getValueSchema = (schema: Parameter): Parameter =>
  schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;

/** A value of another type than any parameter of this schema has. */
const buildWrongValue = (schema: Parameter) =>
  ['number', 'integer'].includes(getValueSchema(schema).type ?? '') ? 'text' : 7;

function buildValue(schema: Parameter): unknown {
  const { default: given, type, enum: values, minimum = 0 } = { ...schema, ...getValueSchema(schema) };
  if (given !== null && given !== undefined) return given;
  return values?.[0] ?? (type === 'string' ? 'text' : minimum);
}

function formatCalls(analysis: (typeof analyses)[number]): string {
  const { type } = analysis;
  const parameters = Object.entries(analysis.parameters.properties as Record<string, Parameter>);
  const lines = parameters.flatMap(([name, schema]) => [
    formatCall(type, name, buildValue(schema)),
    ...(schema.anyOf ? [formatCall(type, name, null)] : []),
    EXPECT_ERROR,
    formatCall(type, name, buildWrongValue(schema)),
  ]);
  const foreign = analyses
    .flatMap((other) => Object.keys(other.parameters.properties))
    .find((name) => !Object.hasOwn(analysis.parameters.properties, name))!;
  return [
    ...[HEAD, `send({ analysis_type: '${type}' });`, `send({ analysis_type: '${type}', parameters: {} });`],
    ...lines,
    ...[EXPECT_ERROR, formatCall(type, foreign, 1), EXPECT_ERROR, formatCall(type, 'no_such_parameter', 1)],
  ].join('\n');
}

/** `analysis_type` narrows parameters and result; `status` decides whether there is a result. */
function formatNarrowing(type: string): string {
  const name = (suffix: string) => `Schemas['${toSchemaName(type, suffix)}']`;
  return `${HEAD}
export function read(run: Run): void {
  if (run.analysis_type === '${type}') {
    expect<Equal<typeof run.parameters, ${name('Parameters')}>>();
    expect<Equal<typeof run.result, ${name('Result')} | null>>();
    ${EXPECT_ERROR}
    run.result.items;
  }
  if (run.result?.analysis_type === '${type}') expect<Equal<typeof run.result, ${name('Result')}>>();
  if (run.status === 'succeeded' && run.analysis_type === '${type}') {
    expect<Equal<typeof run.result.items, ${name('Item')}[]>>();
    expect<Equal<typeof run.result.summary, ${name('Summary')}>>();
    expect<Equal<typeof run.finished_at, string>>();
  }
}
`;
}

const STATUSES = `${HEAD}
export function read(run: Run, listed: Listed): void {
  expect<Equal<Run, Created>>();
  expect<Equal<Run['status'], 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled'>>();
  expect<Equal<Run['analysis_type'], Listed['analysis_type']>>();
  expect<Equal<Body['analysis_type'], Listed['analysis_type']>>();
  if (run.status === 'failed') {
    expect<Equal<typeof run.error, Schemas['AnalysisError']>>();
    expect<Equal<typeof run.result, null>>();
  }
  if (run.status === 'queued') expect<Equal<typeof run.result, null>>();
  ${EXPECT_ERROR}
  listed.result;
  ${EXPECT_ERROR}
  send({ analysis_type: 'astrology' });
  ${EXPECT_ERROR}
  send({ parameters: {} });
}
`;

/** The example of each request body, and the same with its required fields only. */
function formatBodies({ paths, components }: OpenApi): string {
  const resolve = (schema: Schema) =>
    schema.$ref ? components.schemas[schema.$ref.split('/').at(-1)!]! : schema;
  const lines = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) => {
      const { schema, example } = requestBody?.content['application/json'] ?? {};
      if (!schema) return [];
      const type = `paths['${path}']['${method}']['requestBody']['content']['application/json']`;
      const [one] = [resolve(schema)].map(({ anyOf }) => (anyOf ? resolve(anyOf[0]!) : resolve(schema)));
      const required = Object.entries(example as object).filter(([name]) => one!.required?.includes(name));
      const bodies = one!.required ? [example, Object.fromEntries(required)] : [example];
      return bodies.map((body) => `check<${type}>(${JSON.stringify(body)});`);
    }),
  );
  return [HEAD, 'declare function check<T>(body: T): void;', ...lines].join('\n');
}

describe('a client generated by openapi-typescript', () => {
  let document: OpenApi;
  let types: string;
  let errors: Record<string, string[]>;
  before(async () => {
    const service = await openService('sqlite');
    document = (await service.call('GET', '/openapi.json')).body;
    await service.close();
    types = await generateTypes(document);
    const folder = tempFolder();
    errors = await compile(folder, {
      'api.ts': types,
      ...Object.fromEntries(
        analyses.flatMap((analysis) => [
          [`${analysis.type}-calls.ts`, formatCalls(analysis)],
          [`${analysis.type}-result.ts`, formatNarrowing(analysis.type)],
        ]),
      ),
      'statuses.ts': STATUSES,
      'bodies.ts': formatBodies(document),
    });
    removeFolder(folder);
  });

  it('compiles', () => assert.deepEqual(errors['api.ts'], []));

  for (const { type } of analyses) {
    it(`takes each parameter of ${type}, and no other name or type`, () =>
      assert.deepEqual(errors[`${type}-calls.ts`], []));

    it(`narrows parameters and result by the type ${type}`, () =>
      assert.deepEqual(errors[`${type}-result.ts`], []));
  }

  it('narrows a run by its status', () => assert.deepEqual(errors['statuses.ts'], []));

  it('takes the example of every body, and its required fields alone', () =>
    assert.deepEqual(errors['bodies.ts'], []));

  it('has a type for every value', () => {
    const vague = types
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => /Record<string, never>|\bunknown;|\bany\b;/.test(line))
      // Response headers, and parts that the document does not have.
      .filter((line) => line !== '[name: string]: unknown;' && !line.startsWith('export type'));
    assert.deepEqual([...new Set(vague)].sort(), [
      // The empty object of a revocation (RFC 7009).
      '"application/json": Record<string, never>;',
      // JSON Schemas, example parameters and parts of an OpenAPI document.
      '[key: string]: unknown;',
    ]);
  });
});
