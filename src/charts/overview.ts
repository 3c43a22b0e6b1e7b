/** A panel with small bar charts beside each other: the totals above the details of a figure. */
import { FONT } from './style.ts';
import { computeColumnWidth, MARGIN, renderLabel, renderRect, renderText } from './svg.ts';
import { formatNumber } from './text.ts';

export interface OverviewColumn {
  title: string;
  rows: readonly { label: string; value: number }[];
}

const PADDING = 14;
const COLUMN_GAP = 24;
const HEADING_HEIGHT = 34;
const ROW_HEIGHT = 20;
const BAR_HEIGHT = 12;
/** The share of a column that labels take at most. */
const MAX_LABEL_SHARE = 0.6;

/** Its height is 0 without columns. */
export function buildOverview(columns: readonly OverviewColumn[], width: number) {
  if (columns.length === 0) return { height: 0, render: () => '' };
  const rows = Math.max(...columns.map((column) => column.rows.length));
  const height = HEADING_HEIGHT + rows * ROW_HEIGHT + PADDING - 6;
  const columnWidth = (width - 2 * PADDING - (columns.length - 1) * COLUMN_GAP) / columns.length;
  const render = (top: number) =>
    [
      renderRect(MARGIN, top, width, height, 'rx="6" class="panel"'),
      ...columns.map((column, i) =>
        renderColumn(column, MARGIN + PADDING + i * (columnWidth + COLUMN_GAP), top, columnWidth),
      ),
    ].join('\n');
  return { height, render };
}

function renderColumn({ title, rows }: OverviewColumn, left: number, top: number, width: number): string {
  const labels = rows.map(({ label }) => label);
  const labelWidth = computeColumnWidth(labels, FONT.small, 20, width * MAX_LABEL_SHARE);
  const values = rows.map(({ value }) => formatNumber(value));
  const valueWidth = computeColumnWidth(values, FONT.small, 12, width / 4);
  const barLeft = left + labelWidth + 8;
  const maxBarWidth = width - labelWidth - valueWidth - 14;
  const max = Math.max(1, ...rows.map(({ value }) => value));
  return [
    renderLabel(left, top + 22, title, width, { class: 'heading' }),
    ...rows.map(({ label, value }, i) => {
      const y = top + HEADING_HEIGHT + i * ROW_HEIGHT;
      const barWidth = (value / max) * maxBarWidth;
      return [
        renderLabel(left, y + 12, label, labelWidth, { class: 'muted' }),
        value > 0 ? renderRect(barLeft, y + 2, barWidth, BAR_HEIGHT, 'class="hue-0"') : '',
        renderText(barLeft + barWidth + 6, y + 12, values[i]!, { class: 'muted' }),
      ].join('');
    }),
  ].join('\n');
}
