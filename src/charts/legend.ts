/** What the colours of a picture stand for, in as many lines as it takes. */

import { FONT } from './style.ts';
import { label, MARGIN, text } from './svg.ts';
import { fit, textWidth } from './text.ts';

export interface Entry {
  /** Draws a mark of the size of a swatch, or as wide as it says. */
  mark(x: number, y: number): string;
  width?: number;
  name: string;
}

export const SWATCH = 14;
const LINE = 20;
const GAP = 6;
const BETWEEN = 16;
const ABOVE = 18;

export function legend(title: string, entries: readonly Entry[], width: number) {
  let x = title === '' ? 0 : Math.min(textWidth(title, FONT.small), width / 2) + BETWEEN;
  let row = 0;
  const placed = entries.map(({ mark, name: whole, width: swatch = SWATCH }) => {
    const name = fit(whole, width - swatch - GAP, FONT.small);
    const needed = swatch + GAP + textWidth(name, FONT.small);
    if (x > 0 && x + needed > width) {
      x = 0;
      row++;
    }
    const place = { mark, name, x: MARGIN + x, beside: swatch + GAP, row };
    x += needed + BETWEEN;
    return place;
  });
  const draw = (top: number) =>
    [
      ...(title === '' ? [] : [label(MARGIN, top + ABOVE + 11, title, width / 2, { class: 'quiet' })]),
      ...placed.map(({ mark, name, x, beside, row }) => {
        const y = top + ABOVE + row * LINE;
        return mark(x, y) + text(x + beside, y + 11, name, { class: 'quiet' });
      }),
    ].join('\n');
  return { width, height: ABOVE + (row + 1) * LINE, draw };
}
