/** Texts of GIFT: escapes, and the four formats of Moodle. */
import { htmlToText } from '../html/html-to-text.ts';
import type { ItemReport } from '../items/item-report.ts';

type TextFormat = 'html' | 'moodle' | 'plain' | 'markdown';

const FORMAT = /^\[(html|moodle|plain|markdown)\]/;
const HTML_TAG =
  /<\/?(?:p|br|b|i|u|em|strong|s|sub|sup|div|span|img|ul|ol|li|pre|code|tt|table|tr|t[dh]|a|h[1-6]|font|hr|blockquote|small|big)(?:\s+[\w-]+\s*=\s*(?:"[^"]*"|'[^']*'|[^\s<>"']+))*\s*\/?>/i;
const ENTITY = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,31}\d?);/i;
const BLOCK = /<(?:p|br|div|ul|ol|table|pre|h[1-6])\b/i;

/** As PHP trims; other spaces belong to the text. */
export const trim = (text: string) => text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');

/** Unknown escapes keep their backslash. */
export const unescapeText = (text: string) =>
  text.replace(/\\([\\:#={}~n])/g, (_, character) => (character === 'n' ? '\n' : character));

export const escapeText = (text: string) =>
  text.replace(/[\\:#={}~\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`));

/** Where one of these characters is without a backslash before it. */
export function findUnescaped(text: string, characters: string): number[] {
  const found: number[] = [];
  for (let i = 0; i < text.length; i++)
    if (text[i] === '\\') i++;
    else if (characters.includes(text[i]!)) found.push(i);
  return found;
}

export interface GiftText {
  text: string;
  format: TextFormat;
}

/** Reads a text with an optional format before it. */
export function readText(source: string, inherited: TextFormat, report: ItemReport): GiftText {
  const trimmed = trim(source);
  const match = FORMAT.exec(trimmed);
  const format = (match?.[1] ?? inherited) as TextFormat;
  const text = unescapeText(match ? trim(trimmed.slice(match[0].length)) : trimmed);
  if (format === 'html') return { text: htmlToText(text, report.markup), format };
  // Moodle's own format is plain text in which tags work.
  if (format === 'moodle' && (HTML_TAG.test(text) || ENTITY.test(text)))
    return {
      text: htmlToText(BLOCK.test(text) ? text : text.replace(/\r?\n/g, '<br>'), report.markup),
      format,
    };
  return { text, format };
}

/** Text before which the format is written where it would be read as something else. */
export const writeText = (text: string, format: 'plain' | 'markdown') =>
  /^[%[]/.test(text) ? `[${format}]${escapeText(text)}` : escapeText(text);

/**
 * The category of a path such as `$course$/top/Science/Physics`: `Science/Physics`. A doubled slash
 * is a slash in a name.
 */
export function readCategory(path: string): string {
  return trim(path)
    .split(/(?<!\/)\/(?!\/)/)
    .map((name) => trim(name.replaceAll('//', '/')))
    .filter((name, index) => name !== '' && !(index === 0 && /^\$\w+\$$/.test(name)))
    .filter((name, index) => !(index === 0 && name === 'top'))
    .join('/');
}
