/** The legend: a mark and a name for each series, wrapped into rows. */
import { FONT } from './style.ts';
import { MARGIN, renderLabel, renderText } from './svg.ts';
import { measureText, truncateText } from './text.ts';

export interface LegendEntry {
  /** Renders the mark with its upper left corner at (x, y). */
  renderMark(x: number, y: number): string;
  /** Width of the mark; that of a swatch by default. */
  width?: number;
  name: string;
}

export const SWATCH_SIZE = 14;
const LINE_HEIGHT = 20;
const SWATCH_GAP = 6;
const ENTRY_GAP = 16;
const PADDING_TOP = 18;

export function buildLegend(title: string, entries: readonly LegendEntry[], width: number) {
  let x = title === '' ? 0 : Math.min(measureText(title, FONT.small), width / 2) + ENTRY_GAP;
  let row = 0;
  const positioned = entries.map(({ renderMark, name, width: markWidth = SWATCH_SIZE }) => {
    const text = truncateText(name, width - markWidth - SWATCH_GAP, FONT.small);
    const entryWidth = markWidth + SWATCH_GAP + measureText(text, FONT.small);
    if (x > 0 && x + entryWidth > width) {
      x = 0;
      row++;
    }
    const entry = { renderMark, text, x: MARGIN + x, textOffset: markWidth + SWATCH_GAP, row };
    x += entryWidth + ENTRY_GAP;
    return entry;
  });
  const render = (top: number) =>
    [
      ...(title === ''
        ? []
        : [renderLabel(MARGIN, top + PADDING_TOP + 11, title, width / 2, { class: 'muted' })]),
      ...positioned.map(({ renderMark, text, x, textOffset, row }) => {
        const y = top + PADDING_TOP + row * LINE_HEIGHT;
        return renderMark(x, y) + renderText(x + textOffset, y + 11, text, { class: 'muted' });
      }),
    ].join('\n');
  return { width, height: PADDING_TOP + (row + 1) * LINE_HEIGHT, render };
}
