/**
 * Renders aligned columns. White space in a cell, such as a newline in a name, becomes one space.
 */
export function renderTable(headings: string[], rows: string[][]): string {
  return alignColumns([headings, ...rows]);
}

export function alignColumns(rows: readonly string[][], indent = ''): string {
  const cells = rows.map((row) => row.map((cell) => cell.replace(/\s+/gu, ' ')));
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...cells.map((row) => row[i]!.length)));
  const formatRow = (row: string[]) => row.map((cell, i) => cell.padEnd(widths[i]!)).join('  ');
  return cells.map((row) => `${indent}${formatRow(row).trimEnd()}\n`).join('');
}
