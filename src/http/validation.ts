/**
 * Validates values against the schemas that also document them, and describes every fault in words.
 */
import type { TObject, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/schema';
import Settings from 'typebox/system';
import type { Fault } from '../errors.ts';
import { NO_CONTROL_CHARACTERS } from '../schemas/common.ts';
import { describeNamedValues, resolveSchema, UnknownFields } from './field-faults.ts';

// Enough for an array of a thousand questions with several faults each; a response lists fewer.
Settings.Settings.Set({ maxErrors: 10_000 });

const validators = new WeakMap<object, Validator>();

const getValidator = (schema: TSchema) =>
  validators.getOrInsertComputed(schema, () => Compile(schema as never) as unknown as Validator);

/** Arrays of this length take long to validate. */
const LONG_ARRAY_ITEMS = 10_000;

/**
 * Finds arrays that exceed their maximum by far. They are reported without validating their items,
 * which would take time in proportion to their number. A slight excess is left to the validator.
 */
export function findOversizedArrays(schema: TSchema, value: unknown, pointer = ''): Fault[] {
  const branch = selectBranch(schema, value) as ListSchema;
  if (Array.isArray(value)) {
    const max = findListSchema(branch)?.maxItems;
    if (max !== undefined && value.length > Math.max(max, Math.min(10 * max, LONG_ARRAY_ITEMS)))
      return [describeExcess(pointer, max)];
    const { items } = findListSchema(branch) ?? {};
    if (!items || !hasLists(items)) return [];
    return value.flatMap((item, i) => findOversizedArrays(items, item, `${pointer}/${i}`));
  }
  if (typeof value !== 'object' || value === null || !branch.properties) return [];
  return Object.entries(branch.properties).flatMap(([name, inner]) =>
    findOversizedArrays(inner, (value as Record<string, unknown>)[name], `${pointer}/${name}`),
  );
}

/** The fault of an array that is longer than its maximum, if it is. */
export function findLengthFault(schema: TSchema, value: unknown[]): Fault[] {
  const max = findListSchema(selectBranch(schema, value))?.maxItems;
  return max !== undefined && value.length > max ? [describeExcess('', max)] : [];
}

const describeExcess = (pointer: string, max: number): Fault => ({
  pointer,
  code: 'too_many',
  detail: `must have at most ${max} items`,
});

type ListSchema = TSchema & {
  items?: TSchema;
  maxItems?: number;
  anyOf?: ListSchema[];
  properties?: Record<string, TSchema>;
};

const schemasWithLists = new WeakMap<object, boolean>();

/** Whether a schema contains an array: if not, its values need not be searched for one. */
const hasLists = (schema: TSchema): boolean =>
  schemasWithLists.getOrInsertComputed(schema, () => JSON.stringify(schema).includes('"items":'));

/** The schema of an array, or of a nullable one. */
const findListSchema = (schema: ListSchema): ListSchema | undefined =>
  schema.items ? schema : schema.anyOf?.find(({ items }) => items);

/** Empty if the value is valid. */
export function findFaults(schema: TSchema, value: unknown): Fault[] {
  const branch = selectBranch(schema, value);
  const validator = getValidator(branch);
  if (validator.Check(value)) return [];
  const faults = new Map<string, Fault>();
  const inUnions = new Set<string>();
  const unknownFields = new UnknownFields();
  for (const error of validator.Errors(value)[1] as SchemaError[]) {
    for (const fault of describeError(error, branch, unknownFields)) {
      faults.set(fault.pointer, mergeFaults(faults.get(fault.pointer), fault));
      if (error.schemaPath.includes('/anyOf/')) inUnions.add(fault.pointer);
    }
  }
  return removeOtherBranches(faults, inUnions);
}

/**
 * A union reports an error per branch. The first is kept, unless it is only that the value is of the
 * type of another branch.
 */
function mergeFaults(first: Fault | undefined, next: Fault): Fault {
  if (first?.code !== 'wrong_type') return first ?? next;
  if (next.code !== 'wrong_type') return next;
  const alternative = next.detail.replace(/^must be /, '');
  return first.detail.includes(alternative)
    ? first
    : { ...first, detail: `${first.detail} or ${alternative}` };
}

/** A value of a union with faults inside it has the type of their branch. */
function removeOtherBranches(faults: ReadonlyMap<string, Fault>, inUnions: ReadonlySet<string>): Fault[] {
  const parents = new Set([...faults.keys()].map((pointer) => pointer.slice(0, pointer.lastIndexOf('/'))));
  return [...faults.values()].filter(
    ({ code, pointer }) => code !== 'wrong_type' || !parents.has(pointer) || !inUnions.has(pointer),
  );
}

/**
 * A value that may be one object or an array, or one of several objects, is validated by its own
 * branch only, for clear faults.
 */
function selectBranch(schema: TSchema, value: unknown): TSchema {
  if (isOneOf(schema)) return selectObject(schema, value);
  const branches = (schema as { anyOf?: TSchema[] }).anyOf;
  const list = branches?.find((branch) => (branch as { type?: string }).type === 'array');
  if (!branches || !list) return schema;
  return Array.isArray(value) ? list : branches.find((branch) => branch !== list)!;
}

interface OneOfSchema extends TSchema {
  oneOf: TObject[];
  discriminator: { propertyName: string };
}

const isOneOf = (schema: TSchema): schema is OneOfSchema => 'discriminator' in schema;

/** The branch that the discriminator selects, or the common part of all if it selects none. */
function selectObject(schema: OneOfSchema, value: unknown): TSchema {
  const { propertyName } = schema.discriminator;
  const given = (value as Record<string, unknown> | null)?.[propertyName];
  const branch = schema.oneOf.find(({ properties }) => getConst(properties[propertyName]) === given);
  return branch ?? commonParts.getOrInsertComputed(schema, () => buildCommonPart(schema));
}

const getConst = (schema: unknown) => (schema as { const?: unknown }).const;

const commonParts = new WeakMap<object, TSchema>();

/** Properties that differ between the branches are validated by their type alone. */
function buildCommonPart({
  oneOf: [first, ...others],
  discriminator: { propertyName },
}: OneOfSchema): TSchema {
  const properties = Object.entries(first!.properties).map(([name, schema]): [string, object] => {
    if (name === propertyName)
      return [name, { enum: [first!, ...others].map((branch) => getConst(branch.properties[name])) }];
    const same = others.every((branch) => branch.properties[name] === schema);
    return [name, same ? schema : { type: (schema as { type?: string }).type }];
  });
  const { $id: _, ...common } = first as TObject & { $id?: string };
  return { ...common, properties: Object.fromEntries(properties) };
}

interface SchemaError {
  keyword: string;
  schemaPath: string;
  instancePath: string;
  params: Record<string, unknown>;
  message: string;
}

const ARTICLES: Record<string, string> = {
  integer: 'an integer',
  object: 'an object',
  array: 'an array',
};

function describeError(
  { keyword, instancePath: pointer, params, message, schemaPath }: SchemaError,
  root: TSchema,
  unknownFields: UnknownFields,
): Fault[] {
  const fault = (code: string, detail: string): Fault[] => [{ pointer, code, detail }];
  const { limit } = params;
  const named = () => describeNamedValues(resolveSchema(root, schemaPath));
  switch (keyword) {
    case 'required':
      return (params.requiredProperties as string[]).map((name) => ({
        pointer: `${pointer}/${escapePointer(name)}`,
        code: 'required',
        detail: 'is required',
      }));
    case 'boolean':
      return [unknownFields.describe(pointer, resolveSchema(root, schemaPath.replace(/\/[^/]+$/, '')))];
    case 'additionalProperties':
    case 'anyOf':
      // Reported by the errors of the properties or branches.
      return [];
    case 'type':
      // A nullable field is described by its other type.
      if (params.type === 'null') return [];
      return fault('wrong_type', named() ?? `must be ${ARTICLES[String(params.type)] ?? `a ${params.type}`}`);
    case 'minLength':
      return fault('too_short', limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`);
    case 'maxLength':
      return fault('too_long', `must have at most ${limit} characters`);
    case 'minItems':
      return fault('too_few', `must have at least ${limit} item${limit === 1 ? '' : 's'}`);
    case 'maxItems':
      return fault('too_many', `must have at most ${limit} items`);
    case 'uniqueItems':
      return fault('duplicate', 'must not contain duplicates');
    case 'minimum':
    case 'maximum':
      return fault(
        'out_of_range',
        named() ?? `must be ${keyword === 'minimum' ? 'at least' : 'at most'} ${limit}`,
      );
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return fault(
        'out_of_range',
        `must be ${keyword === 'exclusiveMinimum' ? 'greater' : 'less'} than ${limit}`,
      );
    case 'enum':
      return fault('unknown_value', `must be one of ${(params.allowedValues as string[]).join(', ')}`);
    case 'pattern':
      return params.pattern === NO_CONTROL_CHARACTERS ||
        String(params.pattern).includes(NO_CONTROL_CHARACTERS)
        ? fault('control_character', 'must not contain control characters other than newline and tab')
        : fault('invalid_format', message);
    case 'format':
      return fault('invalid_format', `must be a valid ${params.format}`);
    default:
      return fault(keyword, `${message} (${schemaPath})`);
  }
}

const escapePointer = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');
