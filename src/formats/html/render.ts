/**
 * Renders a tree of HTML elements as plain text or Markdown: blocks become lines, cells are
 * separated by tabs, superscripts become Unicode characters where they exist, formulas TeX.
 */
import { RejectItem } from '../reject-item.ts';
import { isElement, textOf, type XmlElement, type XmlNode } from '../xml/tree.ts';
import { findTex, linearizeMath } from './mathml.ts';
import { TextBuilder } from './text-builder.ts';
import { escapeMarkdown, toSubscript, toSuperscript } from './typography.ts';

export interface MarkupOptions {
  to?: 'text' | 'markdown' | undefined;
  media?: 'reject' | 'drop' | undefined;
  /** White space is kept as it is. */
  preserveSpace?: boolean;
  /** Text in place of an element. */
  replace?: (element: XmlElement) => string | undefined;
  onNotice(code: string, detail: string): void;
}

const IGNORED = new Set([
  ...['script', 'style', 'head', 'title', 'template', 'noscript', 'rp', 'colgroup', 'input', 'button'],
  ...['select', 'textarea', 'param', 'source', 'track', 'map', 'meta', 'link'],
]);
const BLOCKS = new Set([
  ...['p', 'div', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'dl', 'dt', 'dd', 'table', 'caption'],
  ...['thead', 'tbody', 'tfoot', 'tr', 'blockquote', 'pre', 'section', 'article', 'header', 'footer', 'main'],
  ...['aside', 'nav', 'figure', 'figcaption', 'address', 'center', 'fieldset', 'form', 'hr', 'details'],
  ...['summary', 'prompt', 'rubricBlock', 'li', 'body', 'html'],
]);
const MEDIA = new Set(['img', 'audio', 'video', 'object', 'embed', 'iframe', 'canvas', 'applet', 'svg']);
const EMPHASIS: Record<string, string> = {
  b: '**',
  strong: '**',
  i: '*',
  em: '*',
  s: '~~',
  del: '~~',
  strike: '~~',
};
const FORMATTING = new Set([
  ...Object.keys(EMPHASIS),
  'u',
  'ins',
  'mark',
  'small',
  'big',
  'code',
  'kbd',
  'tt',
]);

export function renderMarkup(nodes: readonly XmlNode[], options: MarkupOptions): string {
  const renderer = new Renderer(options);
  renderer.addAll(nodes);
  return renderer.out.finish();
}

class Renderer {
  readonly out: TextBuilder;
  readonly #options: MarkupOptions;
  readonly #isMarkdown: boolean;
  #pre = 0;
  #hasLostFormatting = false;
  /** The number of the next item of each open list, or undefined for bullets. */
  readonly #lists: (number | undefined)[] = [];

  constructor(options: MarkupOptions) {
    this.#options = options;
    this.#isMarkdown = options.to === 'markdown';
    this.out = new TextBuilder({
      blockGap: this.#isMarkdown ? 2 : 1,
      preserveSpace: options.preserveSpace ?? false,
    });
  }

  addAll(nodes: readonly XmlNode[]) {
    for (const node of nodes) {
      if (isElement(node)) this.#addElement(node);
      else if (this.#pre > 0) this.out.addVerbatim(node);
      else this.out.addText(this.#isMarkdown ? escapeMarkdown(node) : node);
    }
  }

  #addElement(element: XmlElement) {
    const replacement = this.#options.replace?.(element);
    if (replacement !== undefined) return this.out.addText(replacement);
    const { name } = element;
    if (IGNORED.has(name)) return;
    if (MEDIA.has(name)) return this.#addMedia(element);
    if (name === 'br') return this.out.addBreak(this.#isMarkdown && this.#pre === 0 ? '\\\n' : '\n');
    if (name === 'math') return this.#addMath(element);
    if (name === 'sup' || name === 'sub') return this.#addScript(element);
    if (name === 'td' || name === 'th') return this.#addCell(element);
    if (name === 'a') return this.#addLink(element);
    if (name === 'q') return this.#wrap(element, '“', '”');
    if (name === 'rt') return this.#wrap(element, ' (', ')');
    if (BLOCKS.has(name)) return this.#addBlock(element);
    if (FORMATTING.has(name)) return this.#addFormatted(element);
    this.addAll(element.children);
  }

  #wrap(element: XmlElement, before: string, after: string) {
    this.out.addText(before);
    this.addAll(element.children);
    this.out.addText(after);
  }

  #addFormatted(element: XmlElement) {
    const { name, children } = element;
    if (!this.#isMarkdown) {
      if (!this.#hasLostFormatting && textOf(element).trim() !== '')
        this.#options.onNotice('formatting_dropped', `The formatting of the text is lost (<${name}>).`);
      this.#hasLostFormatting = true;
      return this.addAll(children);
    }
    if (this.#pre > 0 || textOf(element).trim() === '') return this.addAll(children);
    if (['code', 'kbd', 'tt'].includes(name)) {
      const code = textOf(element).replace(/\s+/g, ' ');
      const fence = code.includes('`') ? '`` ' : '`';
      return this.out.addVerbatim(`${fence}${code}${[...fence].reverse().join('')}`);
    }
    const mark = EMPHASIS[name] ?? '';
    if (mark === '') return this.addAll(children);
    const inner = this.#renderInline(children);
    const [, before, text, after] = /^(\s*)([\s\S]*?)(\s*)$/.exec(inner)!;
    this.out.addText(before!);
    this.out.addVerbatim(`${mark}${text}${mark}`);
    this.out.addText(after!);
  }

  #renderInline(nodes: readonly XmlNode[]): string {
    const inner = new Renderer({ ...this.#options, preserveSpace: true });
    inner.addAll(nodes);
    return inner.out.finish();
  }

  #addBlock(element: XmlElement) {
    const { name, children } = element;
    if (name === 'ol' || name === 'ul') {
      this.out.startBlock(this.#lists.length > 0 ? 1 : undefined);
      this.#lists.push(name === 'ol' ? Number.parseInt(element.attributes.start ?? '1', 10) || 1 : undefined);
      this.addAll(children);
      this.#lists.pop();
      return this.out.startBlock();
    }
    if (name === 'li') return this.#addListItem(element);
    if (name === 'pre') return this.#addPre(element);
    this.out.startBlock(name === 'tr' ? 1 : undefined);
    if (this.#isMarkdown && /^h[1-6]$/.test(name)) this.out.addPrefix(`${'#'.repeat(Number(name[1]))} `);
    this.addAll(children);
    this.out.startBlock(name === 'tr' ? 1 : undefined);
  }

  #addListItem({ children }: XmlElement) {
    this.out.startBlock(1);
    const number = this.#lists.at(-1);
    const indent = '  '.repeat(Math.max(0, this.#lists.length - 1));
    this.out.addPrefix(`${indent}${number === undefined ? '- ' : `${number}. `}`);
    if (number !== undefined) this.#lists[this.#lists.length - 1] = number + 1;
    this.addAll(children);
    this.out.startBlock(1);
  }

  #addPre({ children }: XmlElement) {
    this.out.startBlock();
    if (this.#isMarkdown) this.out.addVerbatim('```\n');
    this.#pre++;
    this.addAll(children);
    this.#pre--;
    if (this.#isMarkdown) this.out.addVerbatim(`${this.out.isAtLineStart ? '' : '\n'}\`\`\``);
    this.out.startBlock();
  }

  #addCell({ children }: XmlElement) {
    if (!this.out.isAtLineStart) this.out.addVerbatim('\t');
    this.out.addVerbatim(
      this.#renderInline(children)
        .trim()
        .replace(/\\?\n|\s+/g, ' ')
        .replace(/ +/g, ' '),
    );
  }

  #addScript(element: XmlElement) {
    const isSuper = element.name === 'sup';
    const inner = this.#renderInline(element.children).trim();
    if (inner === '') return;
    const characters = isSuper ? toSuperscript(inner) : toSubscript(inner);
    this.out.addVerbatim(characters ?? `${isSuper ? '^' : '_'}(${inner})`);
  }

  #addLink(element: XmlElement) {
    const href = (element.attributes.href ?? '').trim();
    const text = this.#renderInline(element.children);
    if (!/^https?:|^mailto:/i.test(href)) {
      if (href !== '' && !href.startsWith('#'))
        this.#options.onNotice('link_dropped', `The link to ${href.slice(0, 200)} is lost.`);
      return this.addAll(element.children);
    }
    if (text.trim() === '' || text.trim() === href) return this.out.addText(href);
    if (this.#isMarkdown)
      return this.out.addVerbatim(`[${text.trim()}](${href.replace(/[\s()<>]/g, encodeURIComponent)})`);
    this.addAll(element.children);
    this.out.addText(` (${href})`);
  }

  #addMath(element: XmlElement) {
    const tex = findTex(element);
    if (tex !== undefined) return this.out.addVerbatim(this.#toFormula(tex));
    this.#options.onNotice('mathml_linearized', 'A formula in MathML is written in one line of text.');
    this.out.addVerbatim(linearizeMath(element).trim());
  }

  #toFormula(tex: string): string {
    return this.#isMarkdown ? `$${tex.trim()}$` : `\\(${tex.trim()}\\)`;
  }

  #addMedia(element: XmlElement) {
    const { name, attributes } = element;
    const tex = attributes['data-equation-content'] ?? /^LaTeX: ([\s\S]+)/.exec(attributes.alt ?? '')?.[1];
    if (name === 'img' && tex) return this.out.addVerbatim(this.#toFormula(tex));
    if (attributes.role === 'presentation' || attributes['aria-hidden'] === 'true') return;
    const description = describeMedia(element);
    if (description !== '') {
      this.#options.onNotice(
        'media_described',
        `The text "${description.slice(0, 100)}" is in place of a <${name}>.`,
      );
      return this.out.addText(`[${name === 'audio' || name === 'video' ? name : 'image'}: ${description}]`);
    }
    const file = attributes.src ?? attributes.data ?? '';
    const what = `<${name}>${file && !file.startsWith('data:') ? ` (${file.slice(0, 100)})` : ''}`;
    if (this.#options.media === 'drop')
      return this.#options.onNotice('media_dropped', `The ${what} is lost.`);
    throw new RejectItem(
      'needs_media',
      `The question needs a ${what} without alternative text. Describe it in words, or drop media.`,
    );
  }
}

/** The alternative text of a picture, a recording or an embedded object. */
function describeMedia(element: XmlElement): string {
  const { name, attributes, children } = element;
  const title =
    name === 'svg' ? textOf(children.find((c): c is XmlElement => isElement(c) && c.name === 'title')) : '';
  const content = name === 'object' ? textOf(element) : title;
  const candidates = [attributes.alt, attributes['aria-label'], attributes.title, content];
  return candidates.map((text) => (text ?? '').replace(/\s+/g, ' ').trim()).find((text) => text !== '') ?? '';
}
