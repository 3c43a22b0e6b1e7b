/** The texts of QTI 1.2: material of several types, in the dialects of Canvas and Blackboard. */
import { htmlToText } from '../html/html-to-text.ts';
import { renderMarkup } from '../html/render.ts';
import type { ItemReport } from '../items/item-report.ts';
import { findChild, isElement, textOf, type XmlElement } from '../xml/tree.ts';

const LOOKS_LIKE_HTML = /<\/?[a-z][^<>]*>|&(?:#\d+|#x[\da-f]+|[a-z]\w+);/i;
/** A response that is typed in stands in the sentence that it completes. */
const ENTRIES = new Set(['response_str', 'response_num']);
const GAP = '_____';
const MEDIA: Record<string, string> = {
  matimage: 'img',
  mataudio: 'audio',
  matvideo: 'video',
  matapplet: 'applet',
};

/** The text of all material in an element, without that of the elements to stop at. */
export function readMaterial(element: XmlElement, report: ItemReport, stopAt?: ReadonlySet<string>): string {
  const texts: string[] = [];
  collect(element, report, stopAt, texts);
  return texts
    .filter((text) => text !== '')
    .join('\n')
    .replace(/\n_____\s*$/, '')
    .replace(/\s*\n_____\n\s*/g, ' _____ ')
    .trim();
}

function collect(
  element: XmlElement,
  report: ItemReport,
  stopAt: ReadonlySet<string> | undefined,
  texts: string[],
) {
  for (const node of element.children) {
    if (!isElement(node)) continue;
    if (stopAt?.has(node.name)) {
      if (ENTRIES.has(node.name)) texts.push(GAP);
    } else if (node.name === 'mattext' || node.name === 'mat_formattedtext' || node.name === 'matemtext')
      texts.push(readMattext(node, report));
    else if (MEDIA[node.name]) texts.push(readMedia(node, report));
    else collect(node, report, stopAt, texts);
  }
}

function readMattext(element: XmlElement, report: ItemReport): string {
  if (element.children.some(isElement)) return renderMarkup(element.children, report.markup);
  const value = textOf(element);
  const type = element.attributes.texttype ?? element.attributes.type ?? '';
  const isHtml = /html/i.test(type) || (!/^text\/rtf$/i.test(type) && LOOKS_LIKE_HTML.test(value));
  if (isHtml) return htmlToText(value, report.markup);
  return renderMarkup([{ name: 'pre', attributes: {}, line: 0, children: [value.trim()] }], {
    ...report.markup,
    to: 'text',
  });
}

/** Pictures have an address (`uri`), embedded bytes, or nothing at all. */
function readMedia(element: XmlElement, report: ItemReport): string {
  const { uri = '', label = '' } = element.attributes;
  const description = findChild(element, 'altmaterial');
  if (uri.trim() === '' && textOf(element).trim() === '') return '';
  const attributes = { src: uri, alt: label || (description ? readMaterial(description, report) : '') };
  return renderMarkup(
    [{ name: MEDIA[element.name]!, attributes, children: [], line: element.line }],
    report.markup,
  );
}
