/** Groups of similar texts: a card for each group, with the differences marked in each text. */
import type { TextGroups } from './figure.ts';
import { buildOverview } from './overview.ts';
import { FONT } from './style.ts';
import {
  MARGIN,
  renderDocument,
  renderEmpty,
  renderLabel,
  renderLine,
  renderRect,
  renderText,
  renderTextContent,
} from './svg.ts';
import {
  cleanText,
  escapeXml,
  formatNumber,
  type Grapheme,
  isRightToLeft,
  splitGraphemes,
  wrapText,
} from './text.ts';

/** Limits of legibility. What exceeds them is left out, and a note says so. */
const MAX_GROUPS = 30;
const MAX_TEXTS_PER_GROUP = 12;
const MAX_LINES_PER_TEXT = 8;
const MAX_TEXT_GRAPHEMES = 2_000;
const CARD_WIDTH = 760;
const PADDING = 14;
const CONTENT_WIDTH = CARD_WIDTH - 2 * PADDING;
const LINE_HEIGHT = 19;
const NOTE_HEIGHT = 18;
const HEADING_HEIGHT = 34;
const CARD_GAP = 14;

interface MarkedGrapheme extends Grapheme {
  differs: boolean;
}
type Group = TextGroups['groups'][number];
type Text = Group['texts'][number];

export function renderTextGroups(figure: TextGroups): string {
  const groups = figure.groups.slice(0, MAX_GROUPS).map(buildCard);
  if (groups.length === 0) return renderEmpty(figure);
  const omitted = figure.omitted + figure.groups.length - groups.length;
  const overview = buildOverview(figure.overview ?? [], CARD_WIDTH);
  const head = overview.height === 0 ? 0 : overview.height + CARD_GAP;
  const totalHeight = groups.reduce((sum, { height }) => sum + height + CARD_GAP, head);
  return renderDocument(figure, {
    width: CARD_WIDTH,
    height: totalHeight + (omitted > 0 ? 10 : -CARD_GAP),
    render: (top) => {
      let y = top + head;
      const cards = groups.map(({ height, render }) => {
        const rendered = render(y);
        y += height + CARD_GAP;
        return rendered;
      });
      const more = `And ${formatNumber(omitted)} more ${omitted === 1 ? 'group' : 'groups'}, not shown.`;
      const note = omitted > 0 ? renderText(MARGIN, y + 6, more, { class: 'muted' }) : '';
      return [overview.render(top), ...cards, note].join('\n');
    },
  });
}

function buildCard(group: Group) {
  const texts = group.texts.slice(0, MAX_TEXTS_PER_GROUP).map(buildEntry);
  const omitted = group.texts.length - texts.length;
  const height =
    HEADING_HEIGHT + texts.reduce((sum, { height }) => sum + height, 0) + (omitted > 0 ? NOTE_HEIGHT + 8 : 0);
  const render = (top: number) => {
    let y = top + HEADING_HEIGHT;
    const rendered = texts.map((text) => {
      const shown = renderLine(MARGIN, y, MARGIN + CARD_WIDTH, y, 'class="rule"') + text.render(y);
      y += text.height;
      return shown;
    });
    return [
      renderRect(MARGIN, top, CARD_WIDTH, height, 'rx="6" class="panel"'),
      renderLabel(MARGIN + PADDING, top + 22, group.label, CONTENT_WIDTH, { class: 'heading' }),
      ...rendered,
      omitted > 0
        ? renderText(MARGIN + PADDING, y + 16, `And ${formatNumber(omitted)} more.`, { class: 'muted' })
        : '',
    ].join('\n');
  };
  return { height, render };
}

function buildEntry({ pieces, note }: Text) {
  const graphemes = toGraphemes(pieces);
  const lines = wrapText(graphemes, CONTENT_WIDTH / FONT.text.sizePx, MAX_LINES_PER_TEXT);
  const rightToLeft = isRightToLeft(graphemes.map((grapheme) => grapheme.text).join(''));
  const height = 10 + lines.length * LINE_HEIGHT + (note === '' ? 0 : NOTE_HEIGHT) + 6;
  const render = (top: number) =>
    [
      ...lines.map((line, i) =>
        renderTextContent(
          rightToLeft ? MARGIN + CARD_WIDTH - PADDING : MARGIN + PADDING,
          top + 10 + (i + 1) * LINE_HEIGHT - 5,
          rightToLeft,
          renderSpans(line),
          { anchor: rightToLeft ? 'end' : 'start' },
        ),
      ),
      note === ''
        ? ''
        : renderLabel(MARGIN + PADDING, top + 10 + lines.length * LINE_HEIGHT + 13, note, CONTENT_WIDTH, {
            class: 'muted',
          }),
    ].join('\n');
  return { height, render };
}

/** The graphemes of all pieces. White space between pieces is one space, never marked. */
function toGraphemes(pieces: Text['pieces']): MarkedGrapheme[] {
  const graphemes: MarkedGrapheme[] = [];
  const addSpace = () => {
    if (graphemes.length > 0 && graphemes.at(-1)!.text !== ' ') graphemes.push({ ...SPACE, differs: false });
  };
  for (const { text, differs } of pieces) {
    if (/^\s/.test(text)) addSpace();
    for (const grapheme of splitGraphemes(cleanText(text), differs ? 'bold' : 'regular')) {
      graphemes.push({ ...grapheme, differs });
    }
    if (/\s$/.test(text)) addSpace();
    if (graphemes.length > MAX_TEXT_GRAPHEMES) break;
  }
  return graphemes;
}

const [SPACE] = splitGraphemes(' ') as [Grapheme];

/** Adjacent graphemes of the same kind share a tspan. */
function renderSpans(graphemes: readonly MarkedGrapheme[]): string {
  const runs: { text: string; differs: boolean }[] = [];
  for (const { text, differs } of graphemes) {
    const last = runs.at(-1);
    if (last?.differs === differs) last.text += text;
    else runs.push({ text, differs });
  }
  return runs
    .map(({ text, differs }) =>
      differs ? `<tspan class="alert">${escapeXml(text)}</tspan>` : escapeXml(text),
    )
    .join('');
}
