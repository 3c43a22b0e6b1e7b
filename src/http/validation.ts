/** Checks values against the schemas that also describe them, and tells every fault at once in plain words. */
import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/schema';
import Settings from 'typebox/system';
import type { Fault } from '../errors.ts';
import { NO_CONTROL_CHARACTERS } from '../schemas/common.ts';

// Enough for an array of a thousand questions with several faults each; the answer lists fewer.
Settings.Settings.Set({ maxErrors: 10_000 });

const compiled = new WeakMap<object, Validator>();

const validatorOf = (schema: TSchema) =>
  compiled.getOrInsertComputed(schema, () => Compile(schema as never) as unknown as Validator);

/** Items that take long to look through. */
const LONG = 10_000;

/**
 * Arrays that are too long by far: told before anything looks at their items, whose number would be how long that takes.
 * What is a little too long is told together with all other faults.
 */
export function tooMany(schema: TSchema, value: unknown, pointer = ''): Fault[] {
  const branch = oneOrMany(schema, value) as ListSchema;
  if (Array.isArray(value)) {
    const most = listIn(branch)?.maxItems;
    if (most !== undefined && value.length > Math.max(most, Math.min(10 * most, LONG)))
      return [{ pointer, code: 'too_many', detail: `must have at most ${most} items` }];
    const { items } = listIn(branch) ?? {};
    if (!items || !hasLists(items)) return [];
    return value.flatMap((item, i) => tooMany(items, item, `${pointer}/${i}`));
  }
  if (typeof value !== 'object' || value === null || !branch.properties) return [];
  return Object.entries(branch.properties).flatMap(([name, inner]) =>
    tooMany(inner, (value as Record<string, unknown>)[name], `${pointer}/${name}`),
  );
}

type ListSchema = TSchema & {
  items?: TSchema;
  maxItems?: number;
  anyOf?: ListSchema[];
  properties?: Record<string, TSchema>;
};

const withLists = new WeakMap<object, boolean>();

/** Whether there is an array anywhere in it: where there is none, ten thousand items need not be looked through. */
const hasLists = (schema: TSchema): boolean =>
  withLists.getOrInsertComputed(schema, () => JSON.stringify(schema).includes('"items":'));

/** The schema of an array, also of one that may be null instead. */
const listIn = (schema: ListSchema): ListSchema | undefined =>
  schema.items ? schema : schema.anyOf?.find(({ items }) => items);

/** Everything wrong with the value; empty if it is as the schema says. */
export function faultsIn(schema: TSchema, value: unknown): Fault[] {
  const branch = oneOrMany(schema, value);
  const validator = validatorOf(branch);
  if (validator.Check(value)) return [];
  const faults = new Map<string, Fault>();
  for (const error of validator.Errors(value)[1]) {
    for (const fault of faultsOf(error as SchemaError)) {
      // A union reports each of its sides; the first says enough.
      if (!faults.has(fault.pointer)) faults.set(fault.pointer, fault);
    }
  }
  return [...faults.values()];
}

/** A body that may be one or many is judged as what it is, so that faults do not speak of the other. */
function oneOrMany(schema: TSchema, value: unknown): TSchema {
  const sides = (schema as { anyOf?: TSchema[] }).anyOf;
  const many = sides?.find((side) => (side as { type?: string }).type === 'array');
  if (!sides || !many) return schema;
  return Array.isArray(value) ? many : sides.find((side) => side !== many)!;
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

function faultsOf({ keyword, instancePath: pointer, params, message, schemaPath }: SchemaError): Fault[] {
  const fault = (code: string, detail: string): Fault[] => [{ pointer, code, detail }];
  const { limit } = params;
  switch (keyword) {
    case 'required':
      return (params.requiredProperties as string[]).map((name) => ({
        pointer: `${pointer}/${escapePointer(name)}`,
        code: 'required',
        detail: 'is required',
      }));
    case 'boolean':
      return fault('unknown_field', 'is not a field of this');
    case 'additionalProperties':
    case 'anyOf':
      // Each has been told by its own error before.
      return [];
    case 'type':
      // A field that may be null is told by what else it may be.
      if (params.type === 'null') return [];
      return fault('wrong_type', `must be ${ARTICLES[String(params.type)] ?? `a ${params.type}`}`);
    case 'minLength':
      return fault('too_short', limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`);
    case 'maxLength':
      return fault('too_long', `must have at most ${limit} characters`);
    case 'minItems':
      return fault('too_few', `must have at least ${limit} item${limit === 1 ? '' : 's'}`);
    case 'maxItems':
      return fault('too_many', `must have at most ${limit} items`);
    case 'uniqueItems':
      return fault('duplicate', 'must not name anything twice');
    case 'minimum':
    case 'maximum':
      return fault('out_of_range', `must be ${keyword === 'minimum' ? 'at least' : 'at most'} ${limit}`);
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
