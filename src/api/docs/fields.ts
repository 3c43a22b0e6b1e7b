/** Schemas in words and tables. */
import { type Html, html, type Part } from './html.ts';
import type { OpenApi, Schema } from './openapi-types.ts';
import { inline, prose } from './prose.ts';

const join = (parts: Part[], between: string): Part[] =>
  parts.flatMap((part, i) => (i === 0 ? [part] : [between, part]));

const nameOf = ($ref: string) => $ref.split('/').at(-1)!;

export function resolve(document: OpenApi, schema: Schema): Schema {
  return schema.$ref ? document.components.schemas[nameOf(schema.$ref)]! : schema;
}

export function typeOf(schema: Schema): Html {
  if (schema.$ref) {
    const name = nameOf(schema.$ref);
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum)
    return html`${join(
      schema.enum.map((value) => html`<code>${String(value)}</code>`),
      ', ',
    )}`;
  if (schema.anyOf) return html`${join(schema.anyOf.map(typeOf), ' or ')}`;
  if (schema.type === 'array') return html`array of ${schema.items ? typeOf(schema.items) : 'anything'}`;
  return html`${schema.type ?? 'anything'}`;
}

function defaultOf({ default: given, items }: Schema): string {
  const all = Array.isArray(given) && given.length > 1 && given.length === items?.enum?.length;
  return all ? 'all' : JSON.stringify(given);
}

/** Its limits, and those of what it is made of. */
function limitsOf(schema: Schema): string[] {
  const own = [
    range(schema.minLength, schema.maxLength, 'character'),
    range(schema.minItems, schema.maxItems, 'item'),
    range(schema.minimum, schema.maximum, ''),
    schema.format,
    schema.default !== undefined && `${defaultOf(schema)} if left out`,
  ];
  const each = schema.items ? limitsOf(schema.items).map((limit) => `each ${limit}`) : [];
  return [
    ...own.filter((limit) => typeof limit === 'string'),
    ...each,
    ...(schema.anyOf ?? []).flatMap(limitsOf),
  ];
}

function range(from: number | undefined, to: number | undefined, unit: string): string | undefined {
  const units = (n: number) =>
    unit ? `${n.toLocaleString('en')} ${unit}${n === 1 ? '' : 's'}` : n.toLocaleString('en');
  const end = to === Number.MAX_SAFE_INTEGER ? undefined : to;
  if (from !== undefined && end !== undefined) return `${from.toLocaleString('en')} to ${units(end)}`;
  if (end !== undefined) return `at most ${units(end)}`;
  return from === undefined ? undefined : `at least ${units(from)}`;
}

export interface Row {
  name: string;
  required?: boolean;
  /** Where it is sent, if not in the body. */
  place?: string;
  description?: string;
  schema: Schema;
}

/** The fields of an object; those of objects without a name of their own follow with their path. */
export function fieldsOf(schema: Schema, path = ''): Row[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const inner = field.type === 'array' ? field.items! : field;
    return [
      {
        name: path + name,
        required: schema.required?.includes(name) ?? false,
        description: field.description,
        schema: field,
      },
      ...fieldsOf(inner, `${path}${name}${field.type === 'array' ? '[]' : ''}.`),
    ];
  });
}

export function fieldTable(caption: string, rows: Row[], mark: 'required' | 'optional', note = ''): Html {
  return html`<table>
<caption>${caption}${note && html` <span class="note">${inline(note)}</span>`}</caption>
<thead><tr><th scope="col">Name</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows.map((row) => fieldRow(row, mark))}</tbody>
</table>`;
}

/** A long name may break after an underscore or a point. */
export const breakable = (name: string) =>
  html`<code>${name.split(/(?<=[_.])/).map((piece, i) => [i > 0 && html`<wbr>`, piece])}</code>`;

function fieldRow({ name, required = false, place, description, schema }: Row, mark: string): Html {
  const limits = limitsOf(schema);
  const marked = (mark === 'required') === required;
  return html`<tr>
<th scope="row">${breakable(name)}${marked && html` <span class="mark">${mark}</span>`}</th>
<td><p class="type">${place && `${place}, `}${typeOf(schema)}${limits.length > 0 && `, ${limits.join(', ')}`}</p>${
    description !== undefined && prose(description)
  }</td>
</tr>
`;
}
