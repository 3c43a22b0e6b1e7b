/** Reads the sheets of a workbook that have a header with known names. */
import {
  type FileSource,
  type Position,
  type ReadItem,
  type ReadOptions,
  UnreadableFile,
} from '../format.ts';
import { RejectItem } from '../reject-item.ts';
import { findHeader, MAX_HEADER_ROWS } from '../table/header.ts';
import { TableReader } from '../table/rows.ts';
import { openZip, type ZipArchive } from '../zip/read.ts';
import { readRows, type SheetRow } from './sheet.ts';
import { readWorkbook, type Sheet, type Workbook } from './workbook.ts';

/** Workbooks of Excel 97, and encrypted ones. */
const COMPOUND_FILE = Buffer.from('d0cf11e0a1b11ae1', 'hex');

export async function* readXlsx(source: FileSource, options: ReadOptions): AsyncGenerator<ReadItem> {
  await refuseCompoundFile(source);
  const archive = await openZip(source);
  try {
    const workbook = await readWorkbook(archive);
    const heads = new Map<Sheet, SheetRow[]>();
    for (const sheet of workbook.sheets) heads.set(sheet, await readHead(archive, sheet, workbook));
    const known = workbook.sheets.filter((sheet) => findHeader(heads.get(sheet)!, options.columns));
    const filled = workbook.sheets.filter((sheet) => heads.get(sheet)!.length > 0);
    // Without a header, the first sheet gives the reason.
    const chosen = known.length > 0 ? known : filled.slice(0, 1);
    if (chosen.length === 0) throw new UnreadableFile('empty_file', 'The workbook has no rows.');
    for (const sheet of filled) {
      if (chosen.includes(sheet)) yield* readSheet(archive, sheet, workbook, options);
      else yield toIgnored(sheet);
    }
  } finally {
    archive.close();
  }
}

async function refuseCompoundFile(source: FileSource): Promise<void> {
  for await (const chunk of source.stream()) {
    if (!COMPOUND_FILE.equals(chunk.subarray(0, COMPOUND_FILE.length))) return;
    throw new UnreadableFile(
      'not_xlsx',
      'The file is an old workbook (.xls) or has a password. Save it as .xlsx without a password.',
    );
  }
}

async function readHead(archive: ZipArchive, sheet: Sheet, workbook: Workbook): Promise<SheetRow[]> {
  const head: SheetRow[] = [];
  try {
    for await (const rows of readRows(archive, sheet.path, workbook)) {
      head.push(...rows.filter(({ cells }) => cells.length > 0));
      if (head.length >= MAX_HEADER_ROWS) break;
    }
  } catch (error) {
    // The rows before the damage are read, and the damage is reported with them.
    if (!(error instanceof RejectItem)) throw error;
  }
  return head;
}

async function* readSheet(archive: ZipArchive, sheet: Sheet, workbook: Workbook, options: ReadOptions) {
  const table = new TableReader(options);
  const locate = (position: Position): Position => ({ ...position, path: sheet.name });
  const take = (): ReadItem[] => {
    const items = table.items.map((item) => locateItem(item, locate));
    table.items = [];
    return items;
  };
  let line = 1;
  try {
    for await (const rows of readRows(archive, sheet.path, workbook)) {
      for (const row of rows) if (row.cells.length > 0) table.add(row, undefined, row.remarks);
      line = rows.at(-1)!.line;
      yield* take();
    }
  } catch (error) {
    if (!(error instanceof RejectItem)) throw error;
    const { code, detail } = error;
    yield { kind: 'reject', value: { code, detail, position: locate({ line }), raw: undefined } } as const;
  }
  table.end();
  yield* take();
}

function locateItem(item: ReadItem, locate: (position: Position) => Position): ReadItem {
  const { value } = item;
  value.position = locate(value.position);
  if (item.kind === 'question')
    for (const notice of item.value.notices) notice.position = locate(notice.position);
  return item;
}

const toIgnored = ({ name }: Sheet): ReadItem => ({
  kind: 'notice',
  value: {
    code: 'sheet_ignored',
    detail: `The sheet "${name}" has no header with known names and is not read.`,
    position: { line: 1, path: name },
  },
});
