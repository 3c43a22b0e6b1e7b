/**
 * Text in pictures. There is no browser here to measure it, so its width is estimated, rather too wide than too narrow;
 * what does not fit is cut or wrapped.
 */
import { characterWidth, type Weight } from './font-metrics.ts';
import type { Font } from './style.ts';

/** What a reader takes for one letter, and how wide it is for a font of size 1. */
export interface Letter {
  text: string;
  width: number;
}

const ELLIPSIS = '…';
/** Nobody reads more in a picture, and measuring takes its time. */
const LONGEST = 2_000;
/** Accents that are piled up on one letter run into the lines above, and an emoji has only so many parts. */
const MOST_MARKS = 4;
const MOST_PARTS = 12;

/** Not allowed in XML, or, as what turns the direction of writing round, harmful to what stands beside it. */
const UNFIT =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/g;
/** Nothing before it joins what it follows, and most text is before it. */
const FIRST_MARK = '\u0300';
const JOINS = /^(?:\p{M}|\u200d|[\u{1f3fb}-\u{1f3ff}])$/u;
const EMOJI_PART = /[\u{1f000}-\u{1ffff}]/u;
const MARK = /\p{Mn}/u;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const FIRST_LETTER = /\p{L}/u;
const HALF_SIGN = /\p{Surrogate}/gu;

/** Text as it can be shown on one line: only what XML allows, one space for any white space, and not without end. */
export const clean = (text: string) =>
  (text.length > LONGEST ? text.slice(0, LONGEST) + ELLIPSIS : text)
    .replace(HALF_SIGN, '')
    .replace(UNFIT, '')
    .replace(/\s+/g, ' ')
    .trim();

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
export const escaped = (text: string) => text.replace(/[&<>"]/g, (sign) => ENTITIES[sign]!);

/** Whether it is written from right to left: its first letter tells. */
export const isRightToLeft = (text: string) => RIGHT_TO_LEFT.test(FIRST_LETTER.exec(text)?.[0] ?? '');

/** Letter by letter, so that nothing is cut in the middle of one: accents and the parts of an emoji stay together. */
export function lettersOf(text: string, weight: Weight = 'regular'): Letter[] {
  const letters: Letter[] = [];
  let parts = 0;
  for (const sign of text) {
    const last = letters.at(-1);
    if (last && ((sign >= FIRST_MARK && JOINS.test(sign)) || last.text.endsWith('\u200d'))) {
      parts++;
      if (parts > (MARK.test(sign) ? MOST_MARKS : MOST_PARTS)) continue;
      last.text += sign;
      // Not every font can join the parts of an emoji.
      if (EMOJI_PART.test(sign)) last.width += characterWidth(sign, weight);
    } else {
      letters.push({ text: sign, width: characterWidth(sign, weight) });
      parts = 0;
    }
  }
  return letters;
}

const widthOfAll = (letters: readonly Letter[]) => letters.reduce((sum, { width }) => sum + width, 0);

/** How wide a text will be, about. */
export const textWidth = (text: string, { sizePx, weight }: Font) =>
  widthOfAll(lettersOf(text, weight)) * sizePx;

/** The text, cut to a width. */
export function fit(text: string, width: number, { sizePx, weight }: Font): string {
  const letters = lettersOf(clean(text), weight);
  if (widthOfAll(letters) * sizePx <= width) return joined(letters);
  let left = width / sizePx - characterWidth(ELLIPSIS, weight);
  const end = letters.findIndex((letter) => {
    left -= letter.width;
    return left < 0;
  });
  return joined(letters.slice(0, end)).trimEnd() + ELLIPSIS;
}

const joined = (letters: readonly Letter[]) => letters.map(({ text }) => text).join('');

/** Where a line may end: after a space or a hyphen, and beside any sign of a script without spaces. */
const BREAKS_AFTER =
  /^[\s\-–—/\u2e80-\ud7ff\uf900-\ufaff\ufe30-\uffdc\u{1b000}-\u{1b2ff}\u{20000}-\u{3ffff}]/u;

/** Lines of letters that are no wider than `width`, for a font of size 1; at most `most` of them, the last one cut. */
export function wrap<T extends Letter>(letters: readonly T[], width: number, most: number): T[][] {
  const lines: T[][] = [];
  let start = 0;
  while (start < letters.length && lines.length < most) {
    const end = lineEnd(letters, start, width);
    lines.push(letters.slice(start, end));
    start = end;
  }
  if (start < letters.length) lines[most - 1] = shortened(lines[most - 1]!, width);
  return lines;
}

function lineEnd(letters: readonly Letter[], start: number, width: number): number {
  let left = width;
  let lastBreak = start;
  for (let i = start; i < letters.length; i++) {
    const { text } = letters[i]!;
    left -= letters[i]!.width;
    // A space that does not fit any more is not seen.
    if (left < 0 && text !== ' ') return lastBreak > start ? lastBreak : Math.max(i, start + 1);
    if (BREAKS_AFTER.test(text)) lastBreak = i + 1;
  }
  return letters.length;
}

function shortened<T extends Letter>(line: readonly T[], width: number): T[] {
  const ellipsis = { ...line.at(-1)!, text: ELLIPSIS, width: characterWidth(ELLIPSIS, 'bold') };
  const kept = [...line];
  while (kept.length > 1 && widthOfAll(kept) + ellipsis.width > width) kept.pop();
  while (kept.at(-1)?.text === ' ') kept.pop();
  return [...kept, ellipsis];
}

/** A number, the same everywhere: 12,345 and 0.1235. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (value !== 0 && (Math.abs(value) >= 1e15 || Math.abs(value) < 1e-4)) return value.toExponential(2);
  const rounded = Number.isInteger(value) ? value : Number(value.toPrecision(4));
  const [whole = '', fraction] = String(Math.abs(rounded)).split('.');
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return `${rounded < 0 ? '−' : ''}${grouped}${fraction ? `.${fraction}` : ''}`;
}

/** So many of them, as words. */
export const counted = (count: number, one: string, many: string) =>
  `${formatNumber(count)} ${count === 1 ? one : many}`;
