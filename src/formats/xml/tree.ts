/**
 * Parses one XML document or element into a tree. Namespace prefixes are removed. Entities that the
 * file declares are never expanded and nothing is fetched; the named characters of HTML, such as
 * `&nbsp;`, are understood.
 */
import { decodeHTMLStrict } from 'entities/decode';
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import type { Position } from '../format.ts';
import { RejectItem } from '../reject-item.ts';

export interface XmlElement {
  name: string;
  attributes: Record<string, string>;
  children: XmlNode[];
  /** In the file. */
  line: number;
}
export type XmlNode = XmlElement | string;

export interface XmlOptions {
  /** Position of the first character of the text in the file. */
  at: Position;
  /** Renames elements and attributes. */
  rename?: (name: string) => string;
  /** Attributes keep their prefixes (`xml:space`), which is faster. */
  keepsPrefixes?: boolean;
  /** Elements whose text is not kept, such as embedded files. */
  withoutText?: ReadonlySet<string>;
  /** Takes an ampersand that begins no reference as text. */
  lenient?: boolean;
  onNotice?: (code: string, detail: string) => void;
}

const MAX_DEPTH = 200;
const XML_ENTITIES = new Set(['amp', 'lt', 'gt', 'quot', 'apos']);
const BARE_AMPERSAND =
  /<!\[CDATA\[[\s\S]*?\]\]>|<!--[\s\S]*?-->|&(?!(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][\w.-]{0,63});)/gi;

/** @throws RejectItem for text that is not well-formed. */
export function parseXml(text: string, options: XmlOptions): XmlElement {
  try {
    return parseOnce(text, options, {});
  } catch (error) {
    if (!(error instanceof RejectItem)) throw error;
    const entities = collectHtmlEntities(text);
    const names = Object.keys(entities);
    const repaired = options.lenient ? escapeBareAmpersands(text) : text;
    if (names.length === 0 && repaired === text) throw explain(error, text, options.at);
    let tree: XmlElement;
    try {
      tree = parseOnce(repaired, options, entities);
    } catch (second) {
      throw second instanceof RejectItem ? explain(second, text, options.at) : second;
    }
    if (names.length > 0)
      options.onNotice?.(
        'html_entities',
        `The named characters ${names.map((n) => `&${n};`).join(', ')} are of HTML, not XML.`,
      );
    if (repaired !== text) options.onNotice?.('bare_ampersand', 'A bare & is taken as text.');
    return tree;
  }
}

/** Parsers are used again: one that has thrown an error is left to the garbage collector. */
let idle: TreeParser | undefined;

function parseOnce(text: string, options: XmlOptions, entities: Record<string, string>): XmlElement {
  const parser = idle ?? new TreeParser();
  idle = undefined;
  const root = parser.parse(text, options, entities);
  idle = parser;
  return root;
}

class TreeParser {
  readonly #parser = new SaxesParser<{ xmlns?: false }>();
  #options: XmlOptions = { at: { line: 1 } };
  #stack: XmlElement[] = [];
  #top: XmlElement | undefined;
  #root: XmlElement | undefined;
  #skipped = 0;

  constructor() {
    this.#parser.on('error', (error) => {
      throw new RejectItem('xml_malformed', describeSyntaxError(error.message), this.#locate());
    });
    this.#parser.on('opentag', (tag) => this.#open(tag));
    this.#parser.on('closetag', () => this.#close());
    this.#parser.on('text', (text) => this.#addText(text));
    this.#parser.on('cdata', (text) => this.#addText(text));
  }

  parse(text: string, options: XmlOptions, entities: Record<string, string>): XmlElement {
    this.#options = options;
    this.#stack = [];
    this.#top = undefined;
    this.#root = undefined;
    this.#skipped = 0;
    Object.assign(this.#parser.ENTITIES, entities);
    this.#parser.write(text).close();
    if (!this.#root) throw new RejectItem('xml_malformed', 'There is no element.', options.at);
    return this.#root;
  }

  #locate(): Position {
    return toFilePosition(this.#options.at, this.#parser.line, this.#parser.column);
  }

  #open(tag: SaxesTagPlain): void {
    const { at, rename, withoutText, keepsPrefixes } = this.#options;
    const element: XmlElement = {
      name: localName(tag.name, rename),
      attributes: keepsPrefixes ? tag.attributes : renameAttributes(tag.attributes, rename),
      children: [],
      line: at.line + this.#parser.line - 1,
    };
    if (this.#top) this.#top.children.push(element);
    else this.#root = element;
    this.#stack.push(element);
    this.#top = element;
    if (this.#stack.length > MAX_DEPTH)
      throw new RejectItem(
        'xml_too_deep',
        `Elements are nested more than ${MAX_DEPTH} levels deep.`,
        this.#locate(),
      );
    if (withoutText?.has(element.name)) this.#skipped++;
  }

  #close(): void {
    const element = this.#stack.pop();
    if (element && this.#options.withoutText?.has(element.name)) this.#skipped--;
    this.#top = this.#stack.at(-1);
  }

  #addText(text: string): void {
    if (!this.#top || this.#skipped > 0) return;
    const { children } = this.#top;
    const last = children.length - 1;
    if (typeof children[last] === 'string') children[last] += text;
    else children.push(text);
  }
}

function renameAttributes(attributes: Record<string, string>, rename: XmlOptions['rename']) {
  const renamed: Record<string, string> = {};
  // The record of the parser has no prototype.
  for (const name in attributes) renamed[localName(name, rename)] = attributes[name]!;
  return renamed;
}

function localName(name: string, rename: XmlOptions['rename']): string {
  const local = name.slice(name.indexOf(':') + 1);
  return rename ? rename(local) : local;
}

function toFilePosition(at: Position, line: number, column: number): Position {
  return {
    ...at,
    line: at.line + line - 1,
    column: line === 1 ? (at.column ?? 1) + column : column + 1,
  };
}

/** Without the position in front, and without the final dot. */
const describeSyntaxError = (message: string) =>
  `The XML is not well-formed: ${message.replace(/^[^ ]*?\d+:\d+: /, '').replace(/\.$/, '')}. Correct it at this place.`;

/** Names the cause where the parser reports a consequence at a later place. */
function explain(error: RejectItem, text: string, at: Position): RejectItem {
  for (const match of text.matchAll(BARE_AMPERSAND)) {
    if (match[0] !== '&') continue;
    return new RejectItem(
      'xml_bare_ampersand',
      'An & begins no reference to a character. Write &amp; instead.',
      positionOf(text, match.index, at),
    );
  }
  if (!error.detail.includes('undefined entity')) return error;
  return new RejectItem(
    'xml_entity_refused',
    'Entities that the file declares are not expanded. Write the text itself.',
    error.position,
  );
}

function positionOf(text: string, index: number, at: Position): Position {
  const before = text.slice(0, index);
  const line = before.split('\n').length;
  return toFilePosition(at, line, index - (before.lastIndexOf('\n') + 1));
}

const escapeBareAmpersands = (text: string) =>
  text.replace(BARE_AMPERSAND, (match) => (match === '&' ? '&amp;' : match));

function collectHtmlEntities(text: string): Record<string, string> {
  const entities: Record<string, string> = {};
  for (const [reference, name] of text.matchAll(/&([a-zA-Z][a-zA-Z0-9]{1,31});/g)) {
    if (XML_ENTITIES.has(name!) || name! in entities) continue;
    const character = decodeHTMLStrict(reference);
    if (character !== reference) entities[name!] = character;
  }
  return entities;
}

export const isElement = (node: XmlNode): node is XmlElement => typeof node !== 'string';

export const findChild = (element: XmlElement, name: string) =>
  element.children.find((node): node is XmlElement => isElement(node) && node.name === name);

export const findChildren = (element: XmlElement, name: string) =>
  element.children.filter((node): node is XmlElement => isElement(node) && node.name === name);

/** All descendants in the order of the document, without the element itself. */
export function* walk(element: XmlElement): Generator<XmlElement> {
  for (const node of element.children) {
    if (!isElement(node)) continue;
    yield node;
    yield* walk(node);
  }
}

export const findDescendants = (element: XmlElement, name: string) =>
  [...walk(element)].filter((node) => node.name === name);

/** The text of an element and its descendants. */
export const textOf = (element: XmlElement | undefined): string =>
  element === undefined
    ? ''
    : element.children.map((node) => (isElement(node) ? textOf(node) : node)).join('');
