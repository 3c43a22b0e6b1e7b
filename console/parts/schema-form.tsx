/**
 * Fields for the parameters of an analysis, from their JSON Schema. Only values that differ from the
 * defaults are sent, so that a run follows later defaults.
 */
import type { ParameterSchema } from '../state/analysis.ts';
import { toWords } from '../state/format.ts';

export type Values = Record<string, string | boolean | string[]>;

interface SchemaFormProps {
  prefix: string;
  schemas: Record<string, ParameterSchema>;
  values: Values;
  faults: Record<string, string>;
  onChange(values: Values): void;
}

/** The schema of a value other than null. */
const getValueSchema = (schema: ParameterSchema): ParameterSchema =>
  schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;

/** A table of objects, such as a blueprint, has no field: it is sent to the API. */
const hasField = (schema: ParameterSchema) => schema.items === undefined || schema.items.enum !== undefined;

export function SchemaForm({ prefix, schemas, values, faults, onChange }: SchemaFormProps) {
  return (
    <div class="settings">
      {Object.entries(schemas)
        .filter(([, schema]) => hasField(schema))
        .map(([name, schema]) => {
          const id = `${prefix}-${name}`;
          return (
            <div key={name} class="field">
              <label for={id}>{toWords(name)}</label>
              <Control
                id={id}
                schema={schema}
                value={values[name]}
                onChange={(value) => onChange({ ...values, [name]: value })}
              />
              {faults[name] && <small class="fault">{faults[name]}</small>}
              <small id={`${id}-hint`} class="quiet">
                {schema.description?.replaceAll('`', '')}
              </small>
            </div>
          );
        })}
    </div>
  );
}

interface ControlProps {
  id: string;
  schema: ParameterSchema;
  value: Values[string] | undefined;
  onChange(value: Values[string]): void;
}

function Control({ id, schema, value, onChange }: ControlProps) {
  const { type, enum: choices, items, minimum, maximum, maxLength } = getValueSchema(schema);
  const shared = { id, 'aria-describedby': `${id}-hint` };
  if (items?.enum) {
    const chosen = (value as string[] | undefined) ?? (schema.default as string[]);
    return (
      <select
        {...shared}
        multiple
        size={Math.min(6, items.enum.length)}
        onChange={({ currentTarget }) =>
          onChange([...currentTarget.selectedOptions].map((option) => option.value))
        }
      >
        {items.enum.map((choice) => (
          <option key={choice} value={choice} selected={chosen.includes(choice)}>
            {toWords(choice)}
          </option>
        ))}
      </select>
    );
  }
  const text = String(value ?? schema.default ?? '');
  if (choices)
    return (
      <select {...shared} value={text} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {toWords(choice)}
          </option>
        ))}
      </select>
    );
  if (type === 'boolean')
    return (
      <select
        {...shared}
        value={text}
        onChange={({ currentTarget }) => onChange(currentTarget.value === 'true')}
      >
        <option value="true">yes</option>
        <option value="false">no</option>
      </select>
    );
  return (
    <input
      {...shared}
      value={text}
      placeholder={schema.anyOf ? 'automatic' : undefined}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
      {...(type === 'string' ? { maxLength } : { type: 'number', step: 'any', min: minimum, max: maximum })}
    />
  );
}

/** The parameters of a request: those that differ from their defaults. */
export function toParameters(
  schemas: Record<string, ParameterSchema>,
  values: Values,
): Record<string, unknown> {
  const parameters: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    const schema = schemas[name]!;
    const { type } = getValueSchema(schema);
    const isNumber = type === 'number' || type === 'integer';
    const parsed = value === '' ? null : isNumber ? Number(value) : value;
    // An emptied field stands for its default.
    if (parsed === null && !schema.anyOf) continue;
    if (JSON.stringify(parsed) !== JSON.stringify(schema.default ?? null)) parameters[name] = parsed;
  }
  return parameters;
}
