/** Generates the types of the client (src/client) from the OpenAPI document. */
import type { OpenApi, Operation, Parameter, Response, Schema } from '../../src/api/docs/openapi-types.ts';

const HEAD = '// Generated from the OpenAPI document by `npm run client:types`.\n';

type AnySchema = Schema & { patternProperties?: Record<string, Schema> };

const getRefName = (ref: string) => ref.split('/').at(-1)!;

const toUnion = (schemas: Schema[]): string => [...new Set(schemas.map(toType))].join(' | ');

function toType(schema: AnySchema): string {
  const { $ref, type, enum: values, anyOf, oneOf, items } = schema;
  if ($ref) return getRefName($ref);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (anyOf || oneOf) return toUnion((anyOf ?? oneOf)!);
  if (type === 'array') return `(${items ? toType(items) : 'unknown'})[]`;
  if (type === 'object') return toObject(schema);
  if (type === 'integer' || type === 'number') return 'number';
  return type ?? 'unknown';
}

function toObject({
  properties = {},
  required = [],
  patternProperties,
  additionalProperties,
}: AnySchema): string {
  const members = Object.entries(properties).map(
    ([name, schema]) =>
      `${/^\w+$/.test(name) ? name : JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${toType(schema)}`,
  );
  const [others] = Object.values(patternProperties ?? {});
  if (others) members.push(`[name: string]: ${toType(others)}`);
  else if (members.length === 0 && additionalProperties !== false) members.push('[name: string]: unknown');
  return members.length === 0 ? 'object' : `{ ${members.join('; ')} }`;
}

export function renderSchemas({ components }: OpenApi): string {
  const types = Object.entries(components.schemas).map(
    ([name, schema]) => `export type ${name} = ${toType(schema)};\n`,
  );
  return HEAD + types.join('');
}

export function renderOperations({ paths, components }: OpenApi, problems: string[]): string {
  const used = new Set<string>();
  const members = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([verb, operation]) => {
      const text = renderOperation(operation, components);
      for (const [name] of text.matchAll(/\b[A-Z]\w+/g)) if (name in components.schemas) used.add(name);
      return `  /** ${operation.summary.replaceAll('*/', '')} */\n  '${verb.toUpperCase()} ${path}': ${text};\n`;
    }),
  );
  return [
    `${HEAD}import type { ${[...used].sort().join(', ')} } from './api-schemas.ts';\n\n`,
    `export interface Operations {\n${members.join('')}}\n\n`,
    `export type ProblemCode = ${problems.map((code) => `'${code}'`).join(' | ')};\n`,
  ].join('');
}

function renderOperation(
  { parameters, requestBody, responses }: Operation,
  components: OpenApi['components'],
): string {
  const declared = parameters.map((each) =>
    '$ref' in each ? components.parameters[getRefName(each.$ref)]! : (each as Parameter),
  );
  const inputs = (['path', 'query'] as const).flatMap((place) => {
    const some = declared.filter((parameter) => parameter.in === place);
    if (some.length === 0) return [];
    const required = some
      .filter((parameter) => place === 'path' || parameter.required)
      .map(({ name }) => name);
    const properties = Object.fromEntries(some.map(({ name, schema }) => [name, schema]));
    return [`${place}${required.length > 0 ? '' : '?'}: ${toObject({ properties, required })}`];
  });
  const content = requestBody?.content;
  if (content?.['application/json'])
    inputs.push(`body${requestBody!.required ? '' : '?'}: ${toType(content['application/json'].schema)}`);
  else if (content) inputs.push('file: Blob | string');
  const results = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, response]) => toResult(response as Response));
  return `{ in: ${inputs.length > 0 ? `{ ${inputs.join('; ')} }` : 'object'}; out: ${[...new Set(results)].join(' | ')} }`;
}

function toResult({ content }: Response): string {
  const json = content?.['application/json'];
  if (json) return toType(json.schema);
  return content ? 'string' : 'undefined';
}
