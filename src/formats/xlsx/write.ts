/** Writes a workbook with one row per question, in several sheets if one is full. */
import type { PortableQuestion, WriteOptions } from '../format.ts';
import { TABLE_HEADER, toCells } from '../table/writer.ts';
import { escapeXml } from '../xml/write.ts';
import { writeZip, type ZipContent } from '../zip/write.ts';
import { encodeEscapes } from './xml-stream.ts';

const MAX_ROWS = 1_048_576;
const MAX_CELL_CHARS = 32_767;
const FLUSH_CHARS = 64 * 1024;
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

export const writeXlsx = (
  questions: AsyncIterable<PortableQuestion>,
  options: WriteOptions,
): AsyncGenerator<Uint8Array> => writeZip(listFiles(questions, options));

async function* listFiles(
  questions: AsyncIterable<PortableQuestion>,
  options: WriteOptions,
): AsyncGenerator<ZipContent> {
  const rows = listRows(questions, options);
  let sheets = 0;
  let next = await rows.next();
  async function* sheet(): AsyncGenerator<Uint8Array> {
    let text = `${DECLARATION}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>${rowXml(TABLE_HEADER, 1)}`;
    for (let line = 2; !next.done && line <= MAX_ROWS; line++) {
      text += rowXml(next.value, line);
      next = await rows.next();
      if (text.length < FLUSH_CHARS) continue;
      yield Buffer.from(text);
      text = '';
    }
    yield Buffer.from(`${text}</sheetData></worksheet>`);
  }
  do {
    sheets++;
    yield { path: `xl/worksheets/sheet${sheets}.xml`, content: sheet() };
  } while (!next.done);
  for (const [path, text] of Object.entries(listParts(sheets)))
    yield { path, content: Buffer.from(DECLARATION + text) };
}

async function* listRows(questions: AsyncIterable<PortableQuestion>, options: WriteOptions) {
  let index = 0;
  for await (const question of questions) {
    const cells = toCells(question);
    if (cells.some(({ length }) => length > MAX_CELL_CHARS))
      options.onNotice({
        index,
        code: 'cell_too_long',
        detail: `A cell has more than ${MAX_CELL_CHARS} characters, which Excel cuts off.`,
      });
    index++;
    yield cells;
  }
}

const rowXml = (cells: readonly string[], line: number) =>
  `<row r="${line}">${cells.map((cell, index) => (cell === '' ? '' : cellXml(cell, index, line))).join('')}</row>`;

const cellXml = (text: string, index: number, line: number) =>
  `<c r="${toLetters(index)}${line}" t="inlineStr"><is><t xml:space="preserve">${escapeXml(encodeEscapes(text))}</t></is></c>`;

/** The name of a column by its index: A … Z, AA … */
const toLetters = (index: number): string =>
  (index >= 26 ? toLetters(Math.floor(index / 26) - 1) : '') + String.fromCharCode(65 + (index % 26));

/** The small files of a workbook, by their paths. */
function listParts(sheets: number): Record<string, string> {
  const numbers = Array.from({ length: sheets }, (_, index) => index + 1);
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${RELATIONSHIPS}/${type}" Target="${target}"/>`;
  const override = (path: string, type: string) =>
    `<Override PartName="/${path}" ContentType="${TYPE}.${type}+xml"/>`;
  return {
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONSHIPS}"><sheets>${numbers
      .map((n) => `<sheet name="Questions${n === 1 ? '' : ` ${n}`}" sheetId="${n}" r:id="rId${n}"/>`)
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships">${numbers
      .map((n) => relation(`rId${n}`, 'worksheet', `worksheets/sheet${n}.xml`))
      .join('')}</Relationships>`,
    '_rels/.rels': `<Relationships xmlns="${PACKAGE}/relationships">${relation('rId1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${override('xl/workbook.xml', 'sheet.main')}${numbers
      .map((n) => override(`xl/worksheets/sheet${n}.xml`, 'worksheet'))
      .join('')}</Types>`,
  };
}
