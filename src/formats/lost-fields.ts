/** The notices of formats that write only some fields of a question. */
import type { PortableQuestion, WriteNotice } from './format.ts';

/** Fields with a value that a format does not write. */
export function listLostFields(question: PortableQuestion, written: ReadonlySet<string>): string[] {
  const isDefault = (name: string, value: unknown) =>
    value === undefined ||
    (Array.isArray(value) && value.length === 0) ||
    (name === 'text_format' && value === 'plain') ||
    (name === 'choices_order' && value === 'shuffled');
  return Object.entries(question).flatMap(([name, value]) =>
    written.has(name) || isDefault(name, value) ? [] : [name],
  );
}

export const fieldsNotWritten = (index: number, fields: readonly string[]): WriteNotice => ({
  index,
  code: 'fields_not_written',
  detail: `Not written: ${fields.join(', ')}.`,
});

/** For formats that have only questions with one correct answer and options. */
export const kindNotWritten = (index: number): WriteNotice => ({
  index,
  code: 'kind_not_written',
  detail: 'The format has only questions with one correct answer and options. Use another one.',
});
