/** Workbooks of Excel: the table of CSV, in sheets. */
import type { Format } from '../format.ts';
import { TABLE_LOSSES } from '../table/rows.ts';
import { isZip, listLocalFiles } from '../zip/detect.ts';
import { readXlsx } from './read.ts';
import { writeXlsx } from './write.ts';

export const xlsx: Format = {
  name: 'xlsx',
  title: 'Excel workbook',
  extensions: ['.xlsx'],
  mediaTypes: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  detect(head, fileName) {
    if (!isZip(head)) return 0;
    const isNamed = fileName?.toLowerCase().endsWith('.xlsx') ?? false;
    for (const { path } of listLocalFiles(head)) if (path.startsWith('xl/')) return 0.98;
    return isNamed ? 0.9 : 0;
  },
  read: readXlsx,
  write: writeXlsx,
  losses: {
    ...TABLE_LOSSES,
    sheet_ignored: 'A sheet without a header with known names is not read.',
    date_cell: 'A date is read as text: year, month, day.',
    error_cell: 'A cell with an error is taken as empty.',
    formula_without_value: 'A formula without a stored value is taken as empty.',
    cell_too_long: 'A cell of more than 32,767 characters is written, but Excel cuts it off.',
  },
};
