/**
 * Builders of JSON Schemas with the signatures of TypeBox, of which only the types are imported:
 * its modules, some 400, would be loaded by every process and every thread of the database.
 */
import type TypeBox from 'typebox';

type Json = Record<string, unknown>;

const optionals = new WeakSet<object>();

/** A copy that is not in `required` of the object it is a property of. */
function markOptional(schema: Json): Json {
  const optional = { ...schema };
  optionals.add(optional);
  return optional;
}

function object(properties: Record<string, Json>, options?: Json): Json {
  const required = Object.keys(properties).filter((name) => !optionals.has(properties[name]!));
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options };
}

const literal = (value: string | number | boolean, options?: Json) => ({
  type: typeof value,
  const: value,
  ...options,
});

const builders = {
  Array: (items: Json, options?: Json) => ({ type: 'array', items, ...options }),
  Boolean: (options?: Json) => ({ type: 'boolean', ...options }),
  Enum: (values: unknown[], options?: Json) => ({ enum: values, ...options }),
  Integer: (options?: Json) => ({ type: 'integer', ...options }),
  Literal: literal,
  Null: (options?: Json) => ({ type: 'null', ...options }),
  Number: (options?: Json) => ({ type: 'number', ...options }),
  Object: object,
  Optional: markOptional,
  /** The keys may be any strings. */
  Record: (_keys: Json, values: Json, options?: Json) => ({
    type: 'object',
    patternProperties: { '^.*$': values },
    ...options,
  }),
  String: (options?: Json) => ({ type: 'string', ...options }),
  Union: (branches: Json[], options?: Json) => ({ anyOf: branches, ...options }),
};

export const Type = builders as unknown as Pick<typeof TypeBox, keyof typeof builders>;
