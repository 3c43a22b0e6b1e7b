/** Downloads all rows of a result as CSV. */
import { readAllRows } from './all-rows.ts';
import type { Row, RunWithResult } from './analysis.ts';

export async function downloadRows({ id, analysis_type }: RunWithResult): Promise<void> {
  const { rows } = await readAllRows(id);
  save(`${analysis_type}.csv`, formatCsv(rows));
}

/** The columns are the values of the rows that are texts, numbers or lists of texts. */
function formatCsv(rows: readonly Row[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) =>
    rows.some((row) => formatCell(row[name]) !== ''),
  );
  const lines = rows.map((row) => names.map((name) => quote(formatCell(row[name]))));
  return [names.map(quote), ...lines].map((cells) => `${cells.join(',')}\r\n`).join('');
}

function formatCell(value: unknown): string {
  if (Array.isArray(value)) return value.every((each) => typeof each === 'string') ? value.join('; ') : '';
  if (value === null || value === undefined || typeof value === 'object') return '';
  // A spreadsheet would compute a text that begins like a formula.
  return typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
}

const quote = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

function save(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob(['\uFEFF', text], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
