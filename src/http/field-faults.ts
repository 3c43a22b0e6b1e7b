/** Faults that are described by the schema of the field: unknown names and named values. */
import type { TSchema } from 'typebox';
import { findNearestName } from '../bits/nearest-name.ts';
import type { Fault } from '../errors.ts';

/** The values of an integer field have these names, from its minimum on. In OpenAPI, an extension. */
const VALUE_NAMES = 'x-value-names';

type Described = TSchema & {
  minimum?: number;
  properties?: Record<string, TSchema>;
  [VALUE_NAMES]?: readonly string[];
};

/** Describes the values of a field whose values have names; undefined for another field. */
export function describeNamedValues(schema: TSchema | undefined): string | undefined {
  const { minimum = 0, [VALUE_NAMES]: names } = (schema ?? {}) as Described;
  if (!names) return undefined;
  const values = names.map((name, i) => `${minimum + i} (${name})`);
  return `must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
}

/** Bounds the response to a body with many unknown fields, and the time to find similar names. */
const MAX_DESCRIBED_FIELDS = 20;

/** Describes fields that an object does not have: the first ones with the fields it has. */
export class UnknownFields {
  #described = 0;

  describe(pointer: string, parent: TSchema | undefined): Fault {
    const fault = { pointer, code: 'unknown_field', detail: 'is not a known field' };
    const known = Object.keys((parent as Described | undefined)?.properties ?? {});
    if (known.length === 0 || ++this.#described > MAX_DESCRIBED_FIELDS) return fault;
    const detail = `${fault.detail}; known are ${known.join(', ')}`;
    const suggestion = findNearestName(pointer.slice(pointer.lastIndexOf('/') + 1), known);
    return { ...fault, detail, ...(suggestion !== undefined && { suggestion }) };
  }
}

/** The schema at a path such as `#/items/properties/difficulty`, if it is one. */
export function resolveSchema(root: TSchema, path: string): TSchema | undefined {
  let value: unknown = root;
  for (const part of path.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    value = (value as Record<string, unknown> | undefined)?.[key];
  }
  return value as TSchema | undefined;
}
