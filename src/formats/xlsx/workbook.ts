/** The parts of a workbook: sheets, shared strings, and the formats of numbers. */
import { posix } from 'node:path';
import { UnreadableFile } from '../format.ts';
import { RejectItem } from '../reject-item.ts';
import { decodeDocument } from '../xml/encoding.ts';
import { findDescendants, parseXml, type XmlElement } from '../xml/tree.ts';
import type { ZipArchive } from '../zip/read.ts';
import { decodeEscapes, parseStream } from './xml-stream.ts';

const MAX_PART_BYTES = 20_000_000;
const MAX_SHARED_CHARS = 200_000_000;

export interface Sheet {
  name: string;
  path: string;
}
type NumberStyle = 'number' | 'date' | 'percent';
export interface Workbook {
  sheets: Sheet[];
  strings: string[];
  /** By the index of a cell's style. */
  styles: NumberStyle[];
  /** Days are counted from 1904. */
  isFrom1904: boolean;
}

export async function readWorkbook(archive: ZipArchive): Promise<Workbook> {
  const path = (await findTargets(archive, '_rels/.rels')).find(({ type }) =>
    type.endsWith('/officeDocument'),
  )?.path;
  const main = path ?? 'xl/workbook.xml';
  if (!archive.has(main))
    throw new UnreadableFile('not_xlsx', 'The file is not a workbook of Excel (.xlsx). Save it as one.');
  const root = await readPart(archive, main);
  const folder = posix.dirname(main);
  const targets = await findTargets(archive, `${folder}/_rels/${posix.basename(main)}.rels`);
  const sheets = findDescendants(root, 'sheet').flatMap(({ attributes }): Sheet[] => {
    const target = targets.find(({ id }) => id === attributes.id);
    if (!target || !archive.has(target.path) || !target.type.endsWith('/worksheet')) return [];
    return [{ name: attributes.name ?? '', path: target.path }];
  });
  const part = (suffix: string) =>
    targets.find(({ type, path }) => type.endsWith(suffix) && archive.has(path))?.path;
  const shared = part('/sharedStrings');
  const styles = part('/styles');
  const [properties] = findDescendants(root, 'workbookPr');
  return {
    sheets,
    strings: shared === undefined ? [] : await readStrings(archive, shared),
    styles: styles === undefined ? [] : readStyles(await readPart(archive, styles)),
    isFrom1904: /^(?:1|true)$/.test(properties?.attributes.date1904 ?? ''),
  };
}

async function readPart(archive: ZipArchive, path: string): Promise<XmlElement> {
  try {
    const { text } = decodeDocument(await archive.read(path, MAX_PART_BYTES));
    return parseXml(text, { at: { line: 1, path } });
  } catch (error) {
    throw toDamaged(error);
  }
}

const toDamaged = (error: unknown) =>
  error instanceof RejectItem ? new UnreadableFile('xlsx_damaged', error.detail) : error;

interface Target {
  id: string;
  type: string;
  path: string;
}

/** The relationships of a part, with paths in the archive. */
async function findTargets(archive: ZipArchive, path: string): Promise<Target[]> {
  if (!archive.has(path)) return [];
  const folder = posix.dirname(posix.dirname(path));
  const root = await readPart(archive, path);
  return findDescendants(root, 'Relationship').map(
    ({ attributes: { Id = '', Type = '', Target: href = '' } }) => ({
      id: Id,
      type: Type,
      path: href.startsWith('/') ? href.slice(1) : posix.join(folder, href),
    }),
  );
}

/** Texts may be in several runs; phonetic guides are left out. */
async function readStrings(archive: ZipArchive, path: string): Promise<string[]> {
  const strings: string[] = [];
  let current = '';
  let depth = 0;
  let isText = false;
  let chars = 0;
  const events = parseStream(archive.stream(path), {
    open(name) {
      if (name === 'si') current = '';
      else if (name === 'rPh') depth++;
      else if (name === 't') isText = depth === 0;
    },
    close(name) {
      if (name === 'si') strings.push(decodeEscapes(current));
      else if (name === 'rPh') depth--;
      else if (name === 't') isText = false;
    },
    text(text) {
      if (!isText) return;
      current += text;
      chars += text.length;
    },
  });
  try {
    for await (const _ of events)
      if (chars > MAX_SHARED_CHARS)
        throw new UnreadableFile(
          'xlsx_too_large',
          'The texts of the workbook are too large. Save it as CSV.',
        );
  } catch (error) {
    throw toDamaged(error);
  }
  return strings;
}

const isBetween = (id: number, ...ranges: [from: number, to: number][]) =>
  ranges.some(([from, to]) => id >= from && id <= to);

function readStyles(root: XmlElement): NumberStyle[] {
  const codes = new Map(
    findDescendants(root, 'numFmt').map(({ attributes }) => [
      Number(attributes.numFmtId),
      attributes.formatCode ?? '',
    ]),
  );
  const [formats] = findDescendants(root, 'cellXfs');
  return (formats ? findDescendants(formats, 'xf') : []).map(({ attributes }) => {
    const id = Number(attributes.numFmtId ?? 0);
    const code = codes.get(id);
    if (code !== undefined) return classify(code);
    if (id === 9 || id === 10) return 'percent';
    return isBetween(id, [14, 22], [27, 36], [45, 47], [50, 58]) ? 'date' : 'number';
  });
}

function classify(code: string): NumberStyle {
  const bare = code.replace(/"[^"]*"|\[[^\]]*\]|\\.|_.|\*./g, '');
  if (bare.includes('%')) return 'percent';
  return /[dmyhs]/i.test(bare.replace(/general/i, '')) ? 'date' : 'number';
}
