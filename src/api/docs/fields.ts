/** Renders schemas as types, limits and tables of fields. */
import { type Html, html, type Part } from './html.ts';
import type { OpenApi, Schema } from './openapi-types.ts';
import { renderInline, renderMarkdown } from './prose.ts';

const join = (parts: Part[], between: string): Part[] =>
  parts.flatMap((part, i) => (i === 0 ? [part] : [between, part]));

const getRefName = ($ref: string) => $ref.split('/').at(-1)!;

export function resolveRef(document: OpenApi, schema: Schema): Schema {
  return schema.$ref ? document.components.schemas[getRefName(schema.$ref)]! : schema;
}

export function renderType(schema: Schema): Html {
  if (schema.$ref) {
    const name = getRefName(schema.$ref);
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum)
    return html`${join(
      schema.enum.map((value) => html`<code>${String(value)}</code>`),
      ', ',
    )}`;
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches) return html`${join(branches.map(renderType), ' or ')}`;
  if (schema.type === 'array') return html`array of ${schema.items ? renderType(schema.items) : 'anything'}`;
  return html`${schema.type ?? 'anything'}`;
}

function formatDefault({ default: value, items }: Schema): string {
  const all = Array.isArray(value) && value.length > 1 && value.length === items?.enum?.length;
  return all ? 'all' : JSON.stringify(value);
}

/** Describes the constraints of a schema and of its items or branches. */
function listConstraints(schema: Schema): string[] {
  const own = [
    formatRange(schema.minLength, schema.maxLength, 'character'),
    formatRange(schema.minItems, schema.maxItems, 'item'),
    formatRange(schema.minimum, schema.maximum, ''),
    schema.format,
    schema.default !== undefined && `default ${formatDefault(schema)}`,
  ];
  const each = schema.items ? listConstraints(schema.items).map((limit) => `each ${limit}`) : [];
  return [
    ...own.filter((limit) => typeof limit === 'string'),
    ...each,
    ...(schema.anyOf ?? []).flatMap(listConstraints),
  ];
}

function formatRange(from: number | undefined, to: number | undefined, unit: string): string | undefined {
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
  /** `path`, `query` or `header`; undefined for fields of a body. */
  location?: string;
  description?: string;
  schema: Schema;
}

/**
 * Lists the fields of an object. Fields of nested objects without an $id follow with their path.
 */
export function listFields(schema: Schema, path = ''): Row[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const inner = field.type === 'array' ? field.items! : field;
    return [
      {
        name: path + name,
        required: schema.required?.includes(name) ?? false,
        description: field.description,
        schema: field,
      },
      ...listFields(inner, `${path}${name}${field.type === 'array' ? '[]' : ''}.`),
    ];
  });
}

export function renderFieldTable(
  caption: string,
  rows: Row[],
  mark: 'required' | 'optional',
  note = '',
): Html {
  return html`<table>
<caption>${caption}${note && html` <span class="note">${renderInline(note)}</span>`}</caption>
<thead><tr><th scope="col">Name</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows.map((row) => renderFieldRow(row, mark))}</tbody>
</table>`;
}

/** Allows a line break after each underscore or dot. */
export const breakable = (name: string) =>
  html`<code>${name.split(/(?<=[_.])/).map((piece, i) => [i > 0 && html`<wbr>`, piece])}</code>`;

function renderFieldRow({ name, required = false, location, description, schema }: Row, mark: string): Html {
  const constraints = listConstraints(schema);
  const marked = (mark === 'required') === required;
  return html`<tr>
<th scope="row">${breakable(name)}${marked && html` <span class="mark">${mark}</span>`}</th>
<td><p class="type">${location && `${location}, `}${renderType(schema)}${constraints.length > 0 && `, ${constraints.join(', ')}`}</p>${
    description !== undefined && renderMarkdown(description)
  }</td>
</tr>
`;
}
