/** Texts of Moodle XML in their five formats. */
import { htmlToText } from '../html/html-to-text.ts';
import { renderMarkup } from '../html/render.ts';
import type { ItemReport } from '../items/item-report.ts';
import { findChild, isElement, textOf, type XmlElement } from '../xml/tree.ts';
import { escapeXml } from '../xml/write.ts';

const BLOCK = /<(?:p|br|div|ul|ol|table|pre|h[1-6])\b/i;

export interface MoodleText {
  text: string;
  isMarkdown: boolean;
}

/** The value of `<name><text>…</text></name>` or `<name>…</name>`, without white space around it by default. */
export function readValue(parent: XmlElement, name: string): string {
  const element = findChild(parent, name);
  return element ? readValueOf(element) : '';
}

export function readValueOf(element: XmlElement): string {
  const holder = findChild(element, 'text') ?? element;
  return holder.attributes['xml:space'] === 'preserve' ? textOf(holder) : textOf(holder).trim();
}

/** Reads a text by its `format`; without one, `fallback`. */
export function readText(element: XmlElement | undefined, report: ItemReport, fallback = 'html'): MoodleText {
  if (!element) return { text: '', isMarkdown: false };
  const holder = findChild(element, 'text') ?? element;
  const value = textOf(holder);
  const keepsSpace = holder.attributes['xml:space'] === 'preserve';
  const format = element.attributes.format || fallback;
  if (format === 'markdown') return { text: keepsSpace ? value : value.trim(), isMarkdown: true };
  if (format === 'plain_text') return { text: keepsSpace ? value : value.trim(), isMarkdown: false };
  const isMarkdown = report.markup.to === 'markdown';
  // HTML that is neither escaped nor in a CDATA section is part of the tree.
  if (holder.children.some((node) => isElement(node) && node.name !== 'file'))
    return { text: renderMarkup(holder.children, report.markup), isMarkdown };
  const html = format === 'html' || BLOCK.test(value) ? value : value.trim().replace(/\r?\n/g, '<br>');
  return { text: htmlToText(html, report.markup), isMarkdown };
}

const OWN_PREFIX = '$course$/top/';

/**
 * The category of a path such as `$course$/top/Science/Physics`: `Science/Physics`. A doubled slash is
 * a slash in a name.
 */
export function readCategory(question: XmlElement): string {
  const holder = findChild(findChild(question, 'category') ?? question, 'text');
  const path = textOf(holder ?? findChild(question, 'category'));
  if (holder?.attributes['xml:space'] === 'preserve' && path.startsWith(OWN_PREFIX))
    return path.slice(OWN_PREFIX.length).replaceAll('//', '/');
  return path
    .split(/(?<!\/)\/(?!\/)/)
    .map((name) => name.replaceAll('//', '/').trim())
    .filter((name, index) => name !== '' && !(index === 0 && /^\$\w+\$$/.test(name)))
    .filter((name, index) => !(index === 0 && name === 'top'))
    .join('/');
}

export function writeCategory(category: string): string {
  const path = escapeXml(`${OWN_PREFIX}${category.replaceAll('/', '//')}`);
  return `<text${/^[\s/]|[\s/]$/.test(category) ? ' xml:space="preserve"' : ''}>${path}</text>`;
}

/** An element with a text. White space around the text is marked as part of it. */
export const writeText = (name: string, text: string): string =>
  `<${name}${text.trim() === text ? '' : ' xml:space="preserve"'}>${escapeXml(text)}</${name}>`;
