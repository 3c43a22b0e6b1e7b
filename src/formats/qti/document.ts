/** Documents of QTI by their root element, and documents of one item. */
import type { Position, ReadItem, ReadOptions } from '../format.ts';
import { ItemReport } from '../items/item-report.ts';
import { addEncodingNotice, findRoot } from '../items/xml-items.ts';
import { RejectItem } from '../reject-item.ts';
import { decodeDocument } from '../xml/encoding.ts';
import { parseXml, walk, type XmlElement, type XmlNode } from '../xml/tree.ts';
import { readItem } from './item.ts';
import { toCanonicalName } from './names.ts';

export type DocumentKind = 'item' | 'qti12' | 'test' | 'manifest';
const KINDS: Record<string, DocumentKind> = {
  assessmentItem: 'item',
  questestinterop: 'qti12',
  assessmentTest: 'test',
  manifest: 'manifest',
};

/** The kind of a document by its beginning. */
export function sniff(head: Uint8Array): DocumentKind | undefined {
  const root = findRoot(decodeDocument(head).text);
  return root === undefined ? undefined : KINDS[toCanonicalName(root.slice(root.indexOf(':') + 1))];
}

/** Elements in the names of QTI 2.x. @throws RejectItem */
export function parseItem(
  bytes: Uint8Array,
  at: Position,
  options: ReadOptions,
  report?: ItemReport,
): XmlElement {
  const { text, isGuess } = decodeDocument(bytes, options.encoding);
  if (isGuess && report) addEncodingNotice(report);
  return parseXml(text, {
    at,
    rename: toCanonicalName,
    lenient: options.lenient ?? false,
    onNotice: (code, detail) => report?.add(code, detail),
  });
}

/** Reads a document of one item; `load` reads a shared text that it refers to. */
export async function readDocument(
  raw: Uint8Array,
  position: Position,
  options: ReadOptions,
  load?: (href: string) => Promise<XmlNode[]>,
): Promise<ReadItem> {
  const report = new ItemReport(position, options);
  try {
    const item = parseItem(raw, position, options, report);
    const stimulus: XmlNode[] = [];
    for (const { name, attributes } of walk(item)) {
      if (name !== 'assessmentStimulusRef') continue;
      if (!load)
        throw new RejectItem(
          'needs_stimulus',
          'The item refers to a text in another file. Read the package.',
        );
      stimulus.push(...(await load(attributes.href ?? '')));
    }
    const question = readItem(item, report, stimulus);
    return { kind: 'question', value: { question, position, notices: report.notices, raw } };
  } catch (error) {
    if (!(error instanceof RejectItem)) throw error;
    const { code, detail } = error;
    return { kind: 'reject', value: { code, detail, position: error.position ?? position, raw } };
  }
}
