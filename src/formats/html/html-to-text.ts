/** HTML to plain text or Markdown. */
import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parseFragment } from 'parse5';
import { RejectItem } from '../reject-item.ts';
import type { XmlNode } from '../xml/tree.ts';
import { type MarkupOptions, renderMarkup } from './render.ts';

const MAX_DEPTH = 200;
const MAX_HTML_CHARS = 2_000_000;
const DATA_URI = /data:[\w/+.-]{0,80};base64,[A-Za-z0-9+/=\s]+/g;

/** @throws RejectItem for HTML that is too large or too deep, or needs media that is not there. */
export function htmlToText(html: string, options: MarkupOptions): string {
  if (!/[<&]/.test(html)) return renderMarkup([html], options);
  return renderMarkup(parseHtml(html), options);
}

function parseHtml(html: string): XmlNode[] {
  // The bytes of an embedded picture are not needed to see that there is one.
  const text = html.length > MAX_HTML_CHARS ? html.replace(DATA_URI, 'data:') : html;
  if (text.length > MAX_HTML_CHARS)
    throw new RejectItem('item_too_large', `A text has more than ${MAX_HTML_CHARS} characters. Shorten it.`);
  let depth = 0;
  const fragment = parseFragment(text, {
    treeAdapter: {
      ...defaultTreeAdapter,
      // The parser takes time in proportion to the square of the depth.
      onItemPush() {
        if (++depth > MAX_DEPTH)
          throw new RejectItem(
            'html_too_deep',
            `HTML is nested more than ${MAX_DEPTH} levels deep. Simplify it.`,
          );
      },
      onItemPop() {
        depth--;
      },
    },
  });
  return fragment.childNodes.flatMap(toNode);
}

function toNode(node: DefaultTreeAdapterTypes.ChildNode): XmlNode[] {
  if (node.nodeName === '#text') return [(node as DefaultTreeAdapterTypes.TextNode).value];
  if (!('tagName' in node)) return [];
  return [
    {
      name: node.tagName,
      attributes: Object.fromEntries(node.attrs.map(({ name, value }) => [name, value])),
      children: node.childNodes.flatMap(toNode),
      line: 0,
    },
  ];
}
