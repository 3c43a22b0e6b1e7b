/** Reads a stream of XML item by item: each gives a question, a reject, or nothing. */
import {
  DEFAULT_MAX_ITEM_BYTES,
  type PortableQuestion,
  type Position,
  type ReadItem,
  type ReadOptions,
} from '../format.ts';
import { RejectItem } from '../reject-item.ts';
import { type EncodedStream, openEncoded } from '../xml/encoding.ts';
import { type ScannedElement, scanElements } from '../xml/scan.ts';
import { parseXml, type XmlElement } from '../xml/tree.ts';
import { ItemReport } from './item-report.ts';

export interface XmlItems {
  /** The element of an item. */
  element: string;
  withoutText?: ReadonlySet<string>;
  /** The file within a package. */
  path?: string;
  /** The text before, between and behind the items. @throws UnreadableFile */
  onRest?(text: string, isFirst: boolean): void;
  /** Undefined for an item that is not a question. @throws RejectItem */
  read(element: XmlElement, report: ItemReport): PortableQuestion | undefined;
}

export async function* readXmlItems(
  source: AsyncIterable<Uint8Array>,
  options: ReadOptions,
  items: XmlItems,
): AsyncGenerator<ReadItem> {
  const encoded = await openEncoded(source, options.encoding);
  const at = (line: number): Position => (items.path === undefined ? { line } : { line, path: items.path });
  const notice = (line: number, code: string, detail: string): ReadItem => ({
    kind: 'notice',
    value: { code, detail, position: at(line) },
  });
  const maxBytes = options.maxItemBytes ?? DEFAULT_MAX_ITEM_BYTES;
  let count = 0;
  let rootName: string | undefined;
  let isFirst = true;
  for await (const scanned of scanElements(encoded.chunks, items.element, maxBytes)) {
    if (scanned.kind === 'element') {
      count++;
      isFirst = false;
      const item = readElement(scanned, encoded, options, items);
      if (item) yield item;
      continue;
    }
    const { text } = encoded.decode(scanned.bytes);
    items.onRest?.(text, isFirst);
    if (isFirst) {
      rootName = findRoot(text);
      if (/<!ENTITY\s/.test(text))
        yield notice(scanned.line, 'entities_refused', 'Entities that the file declares are not expanded.');
    }
    isFirst = false;
    if (!scanned.isLast) continue;
    if (count === 0) yield notice(1, 'no_questions', `The file has no <${items.element}>.`);
    else if (rootName !== undefined && !new RegExp(`</${rootName}\\s*>`).test(text))
      yield notice(
        scanned.line,
        'file_truncated',
        `The file has no </${rootName}> at its end: it may be incomplete.`,
      );
  }
}

/** The name of the first start tag. */
export const findRoot = (text: string): string | undefined =>
  /<([A-Za-z_][\w:.-]{0,100})[\s/>]/.exec(text.replace(/<!--[\s\S]*?(?:-->|$)/g, ''))?.[1];

function readElement(
  scanned: ScannedElement,
  encoded: EncodedStream,
  options: ReadOptions,
  items: XmlItems,
): ReadItem | undefined {
  const { line, column, bytes, state } = scanned;
  const position: Position = items.path === undefined ? { line, column } : { line, column, path: items.path };
  const raw = state === 'too_large' ? undefined : bytes;
  const report = new ItemReport(position, options);
  try {
    if (state === 'too_large')
      throw new RejectItem(
        'item_too_large',
        `The item is larger than ${options.maxItemBytes ?? DEFAULT_MAX_ITEM_BYTES} bytes. Remove embedded files.`,
      );
    if (state === 'unclosed')
      throw new RejectItem(
        'xml_unclosed',
        `The element <${items.element}> has no end tag. Add it, or export again.`,
      );
    const { text, isGuess } = encoded.decode(bytes);
    if (isGuess) addEncodingNotice(report);
    const element = parseXml(text, {
      at: position,
      keepsPrefixes: true,
      lenient: options.lenient ?? false,
      onNotice: (code, detail) => report.add(code, detail),
      ...(items.withoutText ? { withoutText: items.withoutText } : {}),
    });
    const question = items.read(element, report);
    return question && { kind: 'question', value: { question, position, notices: report.notices, raw } };
  } catch (error) {
    if (!(error instanceof RejectItem)) throw error;
    const { code, detail } = error;
    return { kind: 'reject', value: { code, detail, position: error.position ?? position, raw } };
  }
}

/** The same for every format whose bytes are not of their encoding. */
export function addEncodingNotice(report: { add(code: string, detail: string): void }): void {
  report.add(
    'encoding_assumed',
    'The text is not UTF-8; it is read as Windows-1252. Set the encoding if that is wrong.',
  );
}
