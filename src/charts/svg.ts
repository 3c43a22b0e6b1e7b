/** The SVG document and its elements. Every text in it is cleaned and escaped here. */
import type { Figure } from './figure.ts';
import { FONT, type Font, STYLE } from './style.ts';
import {
  cleanText,
  escapeXml,
  isRightToLeft,
  measureText,
  splitGraphemes,
  truncateText,
  wrapText,
} from './text.ts';

/** Margin around the chart. */
export const MARGIN = 20;
const TITLE_LINE_HEIGHT = 22;
const MAX_TITLE_LINES = 2;
const NOTE_HEIGHT = 18;
const MAX_NOTES = 4;
const MAX_LINES_PER_NOTE = 3;
const MAX_TOOLTIP_CHARS = 300;

/** Formats a coordinate or length, rounded to 0.01 px to keep documents small. */
export const px = (value: number) => String(Math.round(value * 100) / 100);

/** The SVG document: the title, and below it the body, which is rendered from `top` on. */
export function renderDocument(
  { title, description, notes }: Figure,
  body: { width: number; height: number; render(top: number): string },
): string {
  const width = Math.ceil(body.width + 2 * MARGIN);
  const lineWidth = (width - 2 * MARGIN) / FONT.title.sizePx;
  const graphemes = splitGraphemes(cleanText(title), FONT.title.weight);
  const lines = wrapText(graphemes, lineWidth, MAX_TITLE_LINES).map((line) =>
    line.map(({ text }) => text).join(''),
  );
  const top = MARGIN + lines.length * TITLE_LINE_HEIGHT + 10;
  const noteLines = wrapNotes(notes ?? [], width - 2 * MARGIN);
  const height = Math.ceil(top + body.height + noteLines.length * NOTE_HEIGHT + MARGIN);
  const heading = lines.map((line, i) =>
    renderText(MARGIN, MARGIN + (i + 1) * TITLE_LINE_HEIGHT - 7, line, { class: 'title' }),
  );
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" class="quaestor" ${size} role="img" aria-labelledby="title description">
<title id="title">${escapeXml(cleanText(title))}</title>
<desc id="description">${escapeXml(cleanText(description))}</desc>
<style>${STYLE}</style>
<rect width="${width}" height="${height}" style="fill:var(--background)"/>
${heading.join('\n')}
${body.render(top)}
${renderNotes(noteLines, top + body.height)}
</svg>
`;
}

function wrapNotes(notes: readonly string[], width: number): string[] {
  return notes
    .slice(0, MAX_NOTES)
    .flatMap((note) =>
      wrapText(
        splitGraphemes(cleanText(note), FONT.small.weight),
        width / FONT.small.sizePx,
        MAX_LINES_PER_NOTE,
      ).map((line) => line.map(({ text }) => text).join('')),
    );
}

const renderNotes = (lines: readonly string[], top: number) =>
  lines.map((line, i) => renderText(MARGIN, top + i * NOTE_HEIGHT + 14, line, { class: 'muted' })).join('\n');

interface TextOptions {
  class?: string;
  anchor?: 'start' | 'middle' | 'end';
  /** Rotation about (x, y), in degrees. */
  rotate?: number;
  /** Shown on hover. */
  tooltip?: string;
}

/** A line of text. `anchor` start means left and end means right, for any direction of text. */
export function renderText(x: number, y: number, content: string, options: TextOptions = {}): string {
  return renderTextContent(x, y, isRightToLeft(content), escapeXml(content), options);
}

/** As renderText, for content that is already escaped, such as a sequence of tspan elements. */
export function renderTextContent(
  x: number,
  y: number,
  rightToLeft: boolean,
  content: string,
  { class: name, anchor = 'start', rotate, tooltip }: TextOptions = {},
): string {
  const side = rightToLeft && anchor !== 'middle' ? (anchor === 'start' ? 'end' : 'start') : anchor;
  const attributes = [
    `x="${px(x)}" y="${px(y)}"`,
    name && `class="${name}"`,
    side !== 'start' && `text-anchor="${side}"`,
    rightToLeft && 'direction="rtl"',
    rotate && `transform="rotate(${rotate} ${px(x)} ${px(y)})"`,
  ];
  const title = tooltip ? `<title>${escapeXml(tooltip)}</title>` : '';
  return `<text ${attributes.filter(Boolean).join(' ')}>${title}${content}</text>`;
}

/** A line of text truncated to a width. If it is truncated, its tooltip has the full text. */
export function renderLabel(
  x: number,
  y: number,
  content: string,
  width: number,
  options: TextOptions = {},
): string {
  const shown = truncateText(content, width, getFont(options.class));
  const full = cleanText(content);
  const tooltip = shown === full ? undefined : cleanText(full.slice(0, MAX_TOOLTIP_CHARS));
  return renderText(x, y, shown, { ...options, ...(tooltip && { tooltip }) });
}

/** By the first CSS class of a text. */
function getFont(name = ''): Font {
  if (name.startsWith('heading')) return FONT.heading;
  return name.startsWith('muted') ? FONT.small : FONT.text;
}

export const renderRect = (x: number, y: number, width: number, height: number, attributes: string) =>
  `<rect x="${px(x)}" y="${px(y)}" width="${px(width)}" height="${px(height)}" ${attributes}/>`;

export const renderLine = (x1: number, y1: number, x2: number, y2: number, attributes: string) =>
  `<line x1="${px(x1)}" y1="${px(y1)}" x2="${px(x2)}" y2="${px(y2)}" ${attributes}/>`;

/** A `<title>` child, which browsers show on hover. */
export const renderTooltip = (content: string) =>
  `<title>${escapeXml(cleanText(content.slice(0, MAX_TOOLTIP_CHARS)))}</title>`;

/** A note at the end of a chart that says what it leaves out. */
export function buildOmittedNote(parts: readonly (string | false)[], width = Infinity) {
  const omitted = parts.filter((part) => part !== false);
  const lines = wrapNotes(omitted.length === 0 ? [] : [`Not shown: ${omitted.join(', ')}.`], width);
  return { height: lines.length * NOTE_HEIGHT, render: (top: number) => renderNotes(lines, top) };
}

/** The width of a column that holds the labels, from `min` to `max`. */
export const computeColumnWidth = (labels: readonly string[], font: Font, min: number, max: number) =>
  Math.min(
    max,
    Math.max(
      min,
      ...labels.map((content) => measureText(cleanText(content).slice(0, MAX_TOOLTIP_CHARS), font) + 1),
    ),
  );

/** A chart without data. */
export const renderEmpty = (figure: Figure) =>
  renderDocument(figure, {
    width: 460,
    height: 40,
    render: (top) => renderText(MARGIN, top + 22, 'There is nothing to show.', { class: 'muted' }),
  });
