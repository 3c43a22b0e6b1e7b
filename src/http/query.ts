/** Query strings, strictly: each parameter once unless it is a list, numbers as plain decimals, nothing unknown. */
import type { TObject, TSchema } from 'typebox';
import { errors, type Fault } from '../errors.ts';
import { tidyText } from './text.ts';
import { faultsIn } from './validation.ts';

const DECIMAL = /^(?:0|[1-9]\d{0,15})$/;

type Kind = { type?: string; items?: TSchema };

export function parseQuery(schema: TObject, raw: string): Record<string, unknown> {
  const query: Record<string, unknown> = {};
  const faults: Fault[] = [];
  const tell = (name: string, code: string, detail: string) =>
    faults.push({ pointer: `?${name}`, code, detail });
  for (const [name, text] of pairs(raw)) {
    if (!Object.hasOwn(schema.properties, name)) {
      tell(
        name,
        'unknown_parameter',
        `is not a parameter here; there are ${Object.keys(schema.properties).join(', ') || 'none'}`,
      );
      continue;
    }
    const { type } = schema.properties[name] as Kind;
    if (type === 'array') {
      query[name] = [...((query[name] as string[]) ?? []), tidyText(text)];
    } else if (name in query) {
      tell(name, 'repeated', 'may be given once');
    } else if (type === 'integer' && !DECIMAL.test(text)) {
      tell(name, 'wrong_type', 'must be a plain decimal number');
      query[name] = undefined;
    } else if (type === 'boolean' && text !== 'true' && text !== 'false') {
      tell(name, 'wrong_type', 'must be true or false');
      query[name] = undefined;
    } else {
      // Filters are compared with text that was tidied when it was stored.
      query[name] = type === 'integer' ? Number(text) : type === 'boolean' ? text === 'true' : tidyText(text);
    }
  }
  const told = new Set(faults.map(({ pointer }) => pointer));
  for (const { pointer, code, detail } of faultsIn(schema, query)) {
    const name = `?${pointer.split('/')[1] ?? ''}`;
    if (!told.has(name)) faults.push({ pointer: name, code, detail });
    told.add(name);
  }
  if (faults.length > 0) throw errors.invalidQuery(faults);
  return query;
}

function* pairs(raw: string): Generator<[string, string]> {
  if (raw === '') return;
  if (!/^[\x21-\x7e]*$/.test(raw)) {
    throw errors.malformedUrl('The query string has a character that must be percent-encoded.');
  }
  for (const part of raw.split('&')) {
    if (part === '') continue;
    const cut = part.indexOf('=');
    yield cut < 0 ? [decode(part), ''] : [decode(part.slice(0, cut)), decode(part.slice(cut + 1))];
  }
}

function decode(text: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw errors.malformedUrl('The query string has a % that is not followed by valid UTF-8 in hexadecimal.');
  }
  if (decoded.includes('\0')) throw errors.malformedText('The query string contains NUL.');
  return decoded;
}
