/**
 * Text in charts: cleaning, XML escaping, graphemes, measuring, truncation and line breaking.
 * Widths are upper bounds (font-metrics.ts), so text that is fitted to a width stays within it.
 */
import { characterWidth, type Weight } from './font-metrics.ts';
import type { Font } from './style.ts';

/** A user-perceived character, with its width for a font of size 1. */
export interface Grapheme {
  text: string;
  width: number;
}

const ELLIPSIS = '…';
/** Bounds the time that measuring takes. */
const MAX_TEXT_CHARS = 2_000;
/** More combining marks on one letter would run into the lines above. */
const MAX_COMBINING_MARKS = 4;
const MAX_EMOJI_PARTS = 12;

/** Control characters that XML forbids, and directional overrides, which reorder other text. */
const DISALLOWED =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to remove
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/g;
/** No code point below it extends a grapheme: spares most text the regular expression. */
const FIRST_COMBINING_MARK = '\u0300';
const EXTENDS_GRAPHEME = /^(?:\p{M}|\u200d|[\u{1f3fb}-\u{1f3ff}])$/u;
const EMOJI_PART = /[\u{1f000}-\u{1ffff}]/u;
const COMBINING_MARK = /\p{Mn}/u;
const RIGHT_TO_LEFT_LETTER = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const FIRST_LETTER = /\p{L}/u;
const LONE_SURROGATE = /\p{Surrogate}/gu;

/** Text for one line: without characters that XML forbids, white space collapsed, truncated. */
export const cleanText = (text: string) =>
  (text.length > MAX_TEXT_CHARS ? text.slice(0, MAX_TEXT_CHARS) + ELLIPSIS : text)
    .replace(LONE_SURROGATE, '')
    .replace(DISALLOWED, '')
    .replace(/\s+/g, ' ')
    .trim();

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
export const escapeXml = (text: string) => text.replace(/[&<>"]/g, (character) => ENTITIES[character]!);

/** Decided by the first letter, as in the Unicode bidirectional algorithm (rule P2). */
export const isRightToLeft = (text: string) => RIGHT_TO_LEFT_LETTER.test(FIRST_LETTER.exec(text)?.[0] ?? '');

/** Keeps combining marks and emoji sequences together, so that truncation cannot split them. */
export function splitGraphemes(text: string, weight: Weight = 'regular'): Grapheme[] {
  const graphemes: Grapheme[] = [];
  let parts = 0;
  for (const character of text) {
    const last = graphemes.at(-1);
    if (
      last &&
      ((character >= FIRST_COMBINING_MARK && EXTENDS_GRAPHEME.test(character)) ||
        last.text.endsWith('\u200d'))
    ) {
      parts++;
      if (parts > (COMBINING_MARK.test(character) ? MAX_COMBINING_MARKS : MAX_EMOJI_PARTS)) continue;
      last.text += character;
      // Fonts that lack the joined emoji show its parts side by side.
      if (EMOJI_PART.test(character)) last.width += characterWidth(character, weight);
    } else {
      graphemes.push({ text: character, width: characterWidth(character, weight) });
      parts = 0;
    }
  }
  return graphemes;
}

const sumWidths = (graphemes: readonly Grapheme[]) => graphemes.reduce((sum, { width }) => sum + width, 0);

/** Estimated width in px: an upper bound. */
export const measureText = (text: string, { sizePx, weight }: Font) =>
  sumWidths(splitGraphemes(text, weight)) * sizePx;

/** The text, truncated to a width in px with an ellipsis. */
export function truncateText(text: string, width: number, { sizePx, weight }: Font): string {
  const graphemes = splitGraphemes(cleanText(text), weight);
  if (sumWidths(graphemes) * sizePx <= width) return joinGraphemes(graphemes);
  let remaining = width / sizePx - characterWidth(ELLIPSIS, weight);
  const end = graphemes.findIndex((grapheme) => {
    remaining -= grapheme.width;
    return remaining < 0;
  });
  return joinGraphemes(graphemes.slice(0, end)).trimEnd() + ELLIPSIS;
}

const joinGraphemes = (graphemes: readonly Grapheme[]) => graphemes.map(({ text }) => text).join('');

/** A line may break after white space, a hyphen, or a character of a script without spaces. */
const BREAKS_AFTER =
  /^[\s\-–—/\u2e80-\ud7ff\uf900-\ufaff\ufe30-\uffdc\u{1b000}-\u{1b2ff}\u{20000}-\u{3ffff}]/u;

/** Breaks text into lines of `width`, for a font of size 1. The last one is truncated. */
export function wrapText<T extends Grapheme>(
  graphemes: readonly T[],
  width: number,
  maxLines: number,
): T[][] {
  const lines: T[][] = [];
  let start = 0;
  while (start < graphemes.length && lines.length < maxLines) {
    const end = findLineEnd(graphemes, start, width);
    lines.push(graphemes.slice(start, end));
    start = end;
  }
  if (start < graphemes.length) lines[maxLines - 1] = appendEllipsis(lines[maxLines - 1]!, width);
  return lines;
}

function findLineEnd(graphemes: readonly Grapheme[], start: number, width: number): number {
  let remaining = width;
  let lastBreak = start;
  for (let i = start; i < graphemes.length; i++) {
    const { text, width: graphemeWidth } = graphemes[i]!;
    remaining -= graphemeWidth;
    // A trailing space may overflow: it is invisible.
    if (remaining < 0 && text !== ' ') return lastBreak > start ? lastBreak : Math.max(i, start + 1);
    if (BREAKS_AFTER.test(text)) lastBreak = i + 1;
  }
  return graphemes.length;
}

function appendEllipsis<T extends Grapheme>(line: readonly T[], width: number): T[] {
  const ellipsis = { ...line.at(-1)!, text: ELLIPSIS, width: characterWidth(ELLIPSIS, 'bold') };
  const kept = [...line];
  while (kept.length > 1 && sumWidths(kept) + ellipsis.width > width) kept.pop();
  while (kept.at(-1)?.text === ' ') kept.pop();
  return [...kept, ellipsis];
}

/** Independent of the locale: 12,345 and 0.1235. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (value !== 0 && (Math.abs(value) >= 1e15 || Math.abs(value) < 1e-4)) return value.toExponential(2);
  const rounded = Number.isInteger(value) ? value : Number(value.toPrecision(4));
  const [integer = '', fraction] = String(Math.abs(rounded)).split('.');
  const grouped = integer.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return `${rounded < 0 ? '−' : ''}${grouped}${fraction ? `.${fraction}` : ''}`;
}

export const formatCount = (count: number, singular: string, plural: string) =>
  `${formatNumber(count)} ${count === 1 ? singular : plural}`;
