/** Validates arguments by the schemas of the API. */
import type { Static, TSchema } from 'typebox';
import { normalizeStrings } from '../http/text.ts';
import { findFaults } from '../http/validation.ts';
import { UsageError } from './command.ts';

export function parseInput<T extends TSchema>(schema: T, input: object): Static<T> {
  const value = normalizeStrings(input);
  const faults = findFaults(schema, value);
  if (faults.length === 0) return value as Static<T>;
  throw new UsageError(
    faults.map(({ pointer, detail }) => `The ${getArgumentName(pointer)} ${detail}.`).join('\n'),
  );
}

const getArgumentName = (pointer: string) =>
  ({ expires_in_days: '--days', client_id: '--client', scopes: '--scope' })[pointer.split('/')[1]!] ??
  pointer.split('/')[1];
