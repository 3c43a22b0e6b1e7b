/** Hostile values, and values drawn from the schemas of the OpenAPI document. */
import type { OpenApi, Schema } from '../../src/api/docs/openapi-types.ts';
import type { Random } from '../../test/support/random.ts';

// biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
export type Json = any;

export const HOSTILE_TEXTS = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udc00x',
  '\ufeffbom',
  '\u202etfel-ot-thgir',
  '\u200b',
  'zero\u200d\u200bwidth',
  'e\u0301',
  'é',
  'ﬁ',
  'İıßẞ',
  '👩‍👩‍👧‍👦',
  '\u0007bell',
  '\u0085',
  '\r\nX-Injected: 1',
  "' OR 1=1 --",
  '"; DROP TABLE questions; --',
  '$ne',
  '%',
  '_',
  '\\',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '{{7*7}}',
  '=1+1',
  '(a+)+$',
  '*',
  '**',
  '"',
  'NEAR(a b)',
  'a:*',
  '-',
  '!',
  '__proto__',
  'constructor',
  'true',
  'null',
  'NaN',
  '9007199254740993',
  'x'.repeat(10_001),
  '😀'.repeat(2_001),
];

const HOSTILE_VALUES: Json[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e21,
  -1e308,
  2 ** 53,
  2147483648,
  [],
  {},
  [[]],
  [null],
  { __proto__: null, a: 1 },
];

/** As text in a body: not every number and string survives JSON.stringify. */
const HOSTILE_LITERALS = ['1e999', '-0', '1e-400', '9007199254740993', '"\\ud800"', '"\\u0000"', '01', '+1'];

const HOSTILE_BODIES: (string | Buffer)[] = [
  '',
  ' ',
  '{',
  '[',
  'null',
  'true',
  '7',
  '"text"',
  '[[]]',
  '{"a":1}x',
  '{"a":1,}',
  "{'a':1}",
  '{"__proto__":{"x":1}}',
  '{"constructor":{"prototype":{"x":1}}}',
  '\ufeff{}',
  '['.repeat(10_000),
  `${'['.repeat(33)}${']'.repeat(33)}`,
  `{${Array.from({ length: 2000 }, (_, i) => `"k${i}":0`).join()}}`,
  Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from('{"a":1}', 'utf16le'),
];

/** Draws values that a schema allows, with a preference for its boundaries. */
export class SchemaValues {
  readonly #document: OpenApi;
  /** Real ids, by kind. */
  readonly #pickId: (random: Random) => string;

  constructor(document: OpenApi, pickId: (random: Random) => string) {
    this.#document = document;
    this.#pickId = pickId;
  }

  resolve(schema: Schema): Schema {
    if (!schema.$ref) return schema;
    let found: Json = this.#document;
    for (const step of schema.$ref.split('/').slice(1)) found = found[step];
    return this.resolve(found);
  }

  draw(given: Schema, random: Random, depth = 0): Json {
    const schema = this.resolve(given);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return random.pick(schema.enum);
    if (schema.anyOf) return this.draw(random.pick(schema.anyOf), random, depth);
    if (depth === 0 && schema.examples && random.maybe(0.4))
      return structuredClone(random.pick(schema.examples));
    switch (schema.type) {
      case 'string':
        return this.#drawText(schema, random);
      case 'integer':
      case 'number':
        return drawNumber(schema, random);
      case 'boolean':
        return random.maybe(0.5);
      case 'null':
        return null;
      case 'array':
        return this.#drawArray(schema, random, depth);
      default:
        return this.#drawObject(schema, random, depth);
    }
  }

  #drawText({ format, minLength = 0, maxLength = 40, pattern }: Schema, random: Random): string {
    if (format === 'uuid') return this.#pickId(random);
    if (format === 'date-time')
      return random.pick(['2020-02-29T23:59:59Z', '2026-03-01T09:30:00.000+05:30', '0001-01-01T00:00:00Z']);
    if (pattern && random.maybe(0.2)) return random.pick(HOSTILE_TEXTS.slice(6, 36));
    const length = random.pick([minLength, Math.max(1, minLength), 5, 12, 12, 12, maxLength]);
    return 'lantern harbour Which word? '.repeat(1 + length / 20).slice(0, Math.min(length, maxLength));
  }

  #drawArray({ items = {}, minItems = 0, maxItems = 5 }: Schema, random: Random, depth: number): Json[] {
    const length = random.pick([minItems, 1, 2, Math.min(maxItems, 20)]);
    return Array.from({ length: Math.max(minItems, Math.min(length, maxItems)) }, () =>
      this.draw(items, random, depth + 1),
    );
  }

  #drawObject({ properties = {}, required = [] }: Schema, random: Random, depth: number): Json {
    const drawn: Json = {};
    for (const [name, schema] of Object.entries(properties))
      if (required.includes(name) || random.maybe(0.4)) drawn[name] = this.draw(schema, random, depth + 1);
    return drawn;
  }
}

function drawNumber({ minimum = -10, maximum = 10_000, type }: Schema, random: Random): number {
  const middle = minimum + random.below(Math.min(maximum - minimum, 100) + 1);
  return type === 'number' && random.maybe(0.3)
    ? middle + 0.5
    : random.pick([minimum, maximum, middle, middle]);
}

/** A hostile value for a parameter or a field, just beyond the boundaries of its schema or far. */
export function drawHostile(schema: Schema, random: Random): Json {
  const beyond: Json[] = [];
  if (schema.maxLength !== undefined)
    beyond.push('y'.repeat(schema.maxLength + 1), '😀'.repeat(schema.maxLength));
  if (schema.minimum !== undefined) beyond.push(schema.minimum - 1);
  if (schema.maximum !== undefined) beyond.push(schema.maximum + 1);
  if (schema.maxItems !== undefined) beyond.push(Array.from({ length: schema.maxItems + 1 }, () => 'z'));
  return random.pick([...beyond, random.pick(HOSTILE_TEXTS), random.pick(HOSTILE_VALUES)]);
}

/** Changes one place of a valid body, or its text. */
export function spoilBody(body: Json, schema: Schema, random: Random): string | Buffer {
  if (random.maybe(0.15)) return random.pick(HOSTILE_BODIES);
  const spoiled = structuredClone(body);
  const target = Array.isArray(spoiled) ? random.pick(spoiled) : spoiled;
  if (typeof target !== 'object' || target === null) return JSON.stringify(drawHostile(schema, random));
  const names = Object.keys(target);
  const name = names.length > 0 ? random.pick(names) : 'x';
  switch (random.below(6)) {
    case 0:
      delete target[name];
      return JSON.stringify(spoiled);
    case 1:
      target[random.pick(['id', 'revision', 'created_at', 'role', 'is_admin', random.pick(HOSTILE_TEXTS)])] =
        1;
      return JSON.stringify(spoiled);
    case 2: {
      const text = JSON.stringify(spoiled);
      return text.slice(0, random.below(text.length));
    }
    case 3:
      return JSON.stringify(spoiled).replace('{', `{${JSON.stringify(name)}:0,`);
    case 4:
      target[name] = '\u0001';
      return JSON.stringify(spoiled).replace(JSON.stringify('\u0001'), random.pick(HOSTILE_LITERALS));
    default:
      target[name] = drawHostile(schema.properties?.[name] ?? {}, random);
      return JSON.stringify(spoiled);
  }
}
