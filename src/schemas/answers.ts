/**
 * Marks schemas whose values disclose the correct answer of a question. At the start of the
 * service, a route with a marked response schema must require `answers:read` or render a view per
 * caller. In the OpenAPI document the mark appears as an extension.
 */

/** Spread into the options of a schema. */
export const CONTAINS_ANSWERS = { 'x-contains-answers': true } as const;

/** Whether a schema, or any schema nested in it, is marked. */
export function containsAnswers(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  if ((schema as Record<string, unknown>)['x-contains-answers'] === true) return true;
  return Object.values(schema).some(containsAnswers);
}
