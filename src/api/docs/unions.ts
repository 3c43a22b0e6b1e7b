/**
 * Objects that are distinguished by a property (`oneOf` with a discriminator). The page shows the
 * fields that all branches share with the union, and with each branch only its own.
 */
import { resolveRef } from './fields.ts';
import type { OpenApi, Schema } from './openapi-types.ts';

/** The branches of a union, or undefined if the schema is none. */
function listBranches(document: OpenApi, { oneOf, discriminator }: Schema): Schema[] | undefined {
  return discriminator && oneOf?.map((branch) => resolveRef(document, branch));
}

const isShared = (name: string, branches: Schema[]) =>
  new Set(branches.map(({ properties }) => JSON.stringify(properties?.[name]))).size === 1;

/**
 * An object with the fields of all branches. A field that differs is of any of the types it has in
 * the branches; an object that is described only in its branch refers to it.
 */
export function mergeBranches(document: OpenApi, schema: Schema): Schema {
  const branches = listBranches(document, schema);
  if (!branches) return schema;
  const fields = Object.entries(branches[0]!.properties ?? {}).map(([name, first]): [string, Schema] => {
    if (isShared(name, branches)) return [name, first];
    const { description } = first;
    const own = branches.map(({ properties }) => properties![name]!);
    if (own.every((field) => field.const !== undefined))
      return [name, { description, enum: own.map((field) => field.const) }];
    if (own.every(({ $ref }) => $ref)) return [name, { description, oneOf: own }];
    return [name, { description: `${description} See its fields in each schema.`, oneOf: schema.oneOf! }];
  });
  return { ...branches[0], properties: Object.fromEntries(fields) };
}

interface Branch {
  /** The name of the union. */
  union: string;
  /** The fields that differ between the branches. */
  own: Schema;
}

/** The branches of all unions, by the name of their schema. */
export function findBranches(document: OpenApi): Map<string, Branch> {
  const found = new Map<string, Branch>();
  for (const [union, schema] of Object.entries(document.components.schemas)) {
    const branches = listBranches(document, schema) ?? [];
    for (const [i, branch] of branches.entries()) {
      const fields = Object.entries(branch.properties ?? {}).filter(([name]) => !isShared(name, branches));
      const own = { ...branch, properties: Object.fromEntries(fields) };
      found.set(schema.oneOf![i]!.$ref!.split('/').at(-1)!, { union, own });
    }
  }
  return found;
}
