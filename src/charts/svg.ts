/** What all pictures have in common: the document with its style, and the elements they are made of. */
import type { Figure } from './figure.ts';
import { FONT, type Font, STYLE } from './style.ts';
import { clean, escaped, fit, isRightToLeft, lettersOf, textWidth, wrap } from './text.ts';

/** Around everything. */
export const MARGIN = 20;
const TITLE_LINE = 22;
const TITLE_LINES = 2;
const NOTE_LINE = 18;
/** What a reader may still see of a label that was cut, by pointing at it. */
const HINT_LETTERS = 300;

/** Coordinates need no more than a hundredth of a pixel. */
export const at = (value: number) => String(Math.round(value * 100) / 100);

/** The whole picture: the title above `body`, which begins at `top` and is as large as it says. */
export function document(
  { title, description }: Figure,
  body: { width: number; height: number; draw(top: number): string },
): string {
  const width = Math.ceil(body.width + 2 * MARGIN);
  const inner = (width - 2 * MARGIN) / FONT.title.sizePx;
  const letters = lettersOf(clean(title), FONT.title.weight);
  const lines = wrap(letters, inner, TITLE_LINES).map((line) => line.map(({ text }) => text).join(''));
  const top = MARGIN + lines.length * TITLE_LINE + 10;
  const height = Math.ceil(top + body.height + MARGIN);
  const heading = lines.map((line, i) =>
    text(MARGIN, MARGIN + (i + 1) * TITLE_LINE - 7, line, { class: 'title' }),
  );
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" class="quaestor" ${size} role="img" aria-labelledby="title description">
<title id="title">${escaped(clean(title))}</title>
<desc id="description">${escaped(clean(description))}</desc>
<style>${STYLE}</style>
<rect width="${width}" height="${height}" style="fill:var(--ground)"/>
${heading.join('\n')}
${body.draw(top)}
</svg>
`;
}

interface TextOptions {
  class?: string;
  anchor?: 'start' | 'middle' | 'end';
  /** Turned about its place, in degrees. */
  turned?: number;
  /** Shown to whoever points at it. */
  hint?: string;
}

/** A line of text. `anchor` is about left and right, whichever way the text is written. */
export function text(x: number, y: number, content: string, options: TextOptions = {}): string {
  return textOf(x, y, isRightToLeft(content), escaped(content), options);
}

/** The same for what is made of parts already. */
export function textOf(
  x: number,
  y: number,
  rightToLeft: boolean,
  content: string,
  { class: name, anchor = 'start', turned, hint }: TextOptions = {},
): string {
  const side = rightToLeft && anchor !== 'middle' ? (anchor === 'start' ? 'end' : 'start') : anchor;
  const attributes = [
    `x="${at(x)}" y="${at(y)}"`,
    name && `class="${name}"`,
    side !== 'start' && `text-anchor="${side}"`,
    rightToLeft && 'direction="rtl"',
    turned && `transform="rotate(${turned} ${at(x)} ${at(y)})"`,
  ];
  const title = hint ? `<title>${escaped(hint)}</title>` : '';
  return `<text ${attributes.filter(Boolean).join(' ')}>${title}${content}</text>`;
}

/** A line of text that is cut to a width; the whole of it is shown to whoever points at it. */
export function label(
  x: number,
  y: number,
  content: string,
  width: number,
  options: TextOptions = {},
): string {
  const shown = fit(content, width, fontOf(options.class));
  const whole = clean(content);
  const hint = shown === whole ? undefined : clean(whole.slice(0, HINT_LETTERS));
  return text(x, y, shown, { ...options, ...(hint && { hint }) });
}

function fontOf(name = ''): Font {
  if (name.startsWith('heading')) return FONT.heading;
  return name.startsWith('quiet') ? FONT.small : FONT.text;
}

export const rect = (x: number, y: number, width: number, height: number, attributes: string) =>
  `<rect x="${at(x)}" y="${at(y)}" width="${at(width)}" height="${at(height)}" ${attributes}/>`;

export const line = (x1: number, y1: number, x2: number, y2: number, attributes: string) =>
  `<line x1="${at(x1)}" y1="${at(y1)}" x2="${at(x2)}" y2="${at(y2)}" ${attributes}/>`;

/** What is shown to whoever points at a mark. */
export const hintOf = (content: string, letters = HINT_LETTERS) =>
  `<title>${escaped(clean(content.slice(0, letters)))}</title>`;

/** Lines at the end of a picture that say what is left out of it. */
export function notShown(parts: readonly (string | false)[]) {
  const named = parts.filter((part) => part !== false);
  const draw = (top: number) =>
    named.length === 0 ? '' : text(MARGIN, top + 14, `Not shown: ${named.join(', ')}.`, { class: 'quiet' });
  return { height: named.length === 0 ? 0 : NOTE_LINE, draw };
}

/** How wide a column has to be for its labels, within bounds. */
export const columnFor = (labels: readonly string[], font: Font, least: number, most: number) =>
  Math.min(
    most,
    Math.max(least, ...labels.map((content) => textWidth(clean(content).slice(0, HINT_LETTERS), font) + 1)),
  );

/** A picture without anything in it says so. */
export const nothing = (figure: Figure) =>
  document(figure, {
    width: 460,
    height: 40,
    draw: (top) => text(MARGIN, top + 22, 'There is nothing to show.', { class: 'quiet' }),
  });
