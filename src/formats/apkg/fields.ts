/** Texts in the fields of notes, which are HTML. */
import { decodeHTML } from 'entities/decode';
import { htmlToText } from '../html/html-to-text.ts';
import type { MarkupOptions } from '../html/render.ts';

/** Between the fields of a note. */
export const SEPARATOR = '\u001f';
const REFERENCES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\n': '<br>' };

/** The separator of fields is left out. */
export const encodeField = (text: string): string =>
  text.replaceAll(SEPARATOR, '').replace(/[&<>\n]/g, (c) => REFERENCES[c]!);

/** The inverse, with white space as it is. Fields that were edited in Anki have other tags. */
export function decodeField(html: string, options: MarkupOptions): string {
  const lines = html.replace(/<br ?\/?>/g, '\n');
  if (/<[a-z/!]/i.test(lines)) return htmlToText(html, options);
  return decodeHTML(lines);
}
