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

function parseOnce(text: string, options: XmlOptions, entities: Record<string, string>): XmlElement {
  const { at, rename, withoutText } = options;
  const parser = new SaxesParser<{ xmlns?: false }>();
  Object.assign(parser.ENTITIES, entities);
  const locate = (): Position => toFilePosition(at, parser.line, parser.column);
  const stack: XmlElement[] = [];
  let root: XmlElement | undefined;
  let skipped = 0;
  parser.on('error', (error) => {
    throw new RejectItem('xml_malformed', describeSyntaxError(error.message), locate());
  });
  parser.on('opentag', (tag: SaxesTagPlain) => {
    const element: XmlElement = {
      name: localName(tag.name, rename),
      attributes: {},
      children: [],
      line: at.line + parser.line - 1,
    };
    // The record has no prototype.
    for (const name in tag.attributes) element.attributes[localName(name, rename)] = tag.attributes[name]!;
    stack.at(-1)?.children.push(element);
    root ??= element;
    stack.push(element);
    if (stack.length > MAX_DEPTH)
      throw new RejectItem(
        'xml_too_deep',
        `Elements are nested more than ${MAX_DEPTH} levels deep.`,
        locate(),
      );
    if (withoutText?.has(element.name)) skipped++;
  });
  parser.on('closetag', () => {
    const element = stack.pop();
    if (element && withoutText?.has(element.name)) skipped--;
  });
  const addText = (value: string) => {
    const children = stack.at(-1)?.children;
    if (!children || skipped > 0) return;
    const last = children.length - 1;
    if (typeof children[last] === 'string') children[last] += value;
    else children.push(value);
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.write(text).close();
  if (!root) throw new RejectItem('xml_malformed', 'There is no element.', at);
  return root;
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
