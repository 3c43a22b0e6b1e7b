/**
 * A strict query string parser: no unknown parameters, no duplicates except in lists, numbers as
 * plain decimals.
 */
import type { TObject, TSchema } from 'typebox';
import { errors, type Fault } from '../errors.ts';
import { describeNamedValues } from './field-faults.ts';
import { normalizeText } from './text.ts';
import { findFaults } from './validation.ts';

const DECIMAL = /^(?:0|[1-9]\d{0,15})$/;

type ParameterSchema = { type?: string; items?: TSchema & { type?: string; enum?: unknown[] } };

export function parseQuery(schema: TObject, raw: string): Record<string, unknown> {
  const query: Record<string, unknown> = {};
  const faults: Fault[] = [];
  const addFault = (name: string, code: string, detail: string) =>
    faults.push({ pointer: `?${name}`, code, detail });
  for (const [name, text] of splitPairs(raw)) {
    if (!Object.hasOwn(schema.properties, name)) {
      const known = Object.keys(schema.properties).join(', ');
      const detail = known
        ? `is not a parameter of this route; its parameters are ${known}`
        : 'is not a parameter of this route, which has none';
      addFault(name, 'unknown_parameter', detail);
      continue;
    }
    const { type, items } = schema.properties[name] as ParameterSchema;
    if (type === 'array') {
      query[name] = [...((query[name] as unknown[]) ?? []), ...parseItems(items, text)];
    } else if (name in query) {
      addFault(name, 'duplicate', 'must be given only once');
    } else if (type === 'integer' && !DECIMAL.test(text)) {
      addFault(
        name,
        'wrong_type',
        describeNamedValues(schema.properties[name]) ?? 'must be a decimal integer',
      );
      query[name] = undefined;
    } else if (type === 'boolean' && text !== 'true' && text !== 'false') {
      addFault(name, 'wrong_type', 'must be true or false');
      query[name] = undefined;
    } else {
      // Normalised like stored text, which filters are compared with.
      query[name] =
        type === 'integer' ? Number(text) : type === 'boolean' ? text === 'true' : normalizeText(text);
    }
  }
  const reported = new Set(faults.map(({ pointer }) => pointer));
  for (const { pointer, code, detail } of findFaults(schema, query)) {
    const name = `?${pointer.split('/')[1] ?? ''}`;
    if (!reported.has(name)) faults.push({ pointer: name, code, detail });
    reported.add(name);
  }
  if (faults.length > 0) throw errors.invalidQuery(faults);
  return query;
}

/**
 * Parses the values of a list parameter. Commas separate numbers and names of a fixed list, in which
 * none occurs; other text may contain them. What is no number is left to the validator.
 */
function parseItems(items: ParameterSchema['items'], text: string): unknown[] {
  const isInteger = items?.type === 'integer';
  if (!isInteger && !items?.enum) return [normalizeText(text)];
  return text
    .split(',')
    .map((item) => item.trim())
    .map((item) => (isInteger && DECIMAL.test(item) ? Number(item) : item));
}

function* splitPairs(raw: string): Generator<[name: string, value: string]> {
  if (raw === '') return;
  if (!/^[\x21-\x7e]*$/.test(raw)) {
    throw errors.malformedUrl('The query string contains a character that must be percent-encoded.');
  }
  for (const pair of raw.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    yield equals < 0 ? [decode(pair), ''] : [decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))];
  }
}

function decode(text: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw errors.malformedUrl('The query string contains an invalid percent-encoding.');
  }
  if (decoded.includes('\0')) throw errors.malformedText('The query string contains NUL.');
  return decoded;
}
