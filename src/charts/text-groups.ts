/** Texts that belong together on a card, one below the other, with what differs marked. */
import type { TextGroups } from './figure.ts';
import { FONT } from './style.ts';
import { document, label, line, MARGIN, nothing, rect, text, textOf } from './svg.ts';
import { clean, escaped, formatNumber, isRightToLeft, type Letter, lettersOf, wrap } from './text.ts';

/** More than this is not read in a picture. What is left out is said. */
const MOST_GROUPS = 30;
const MOST_TEXTS = 12;
const MOST_LINES = 8;
const MOST_LETTERS = 2_000;
const WIDTH = 760;
const PADDING = 14;
const INNER = WIDTH - 2 * PADDING;
const LINE = 19;
const NOTE = 18;
const HEAD = 34;
const BETWEEN = 14;

interface Marked extends Letter {
  differs: boolean;
}
type Group = TextGroups['groups'][number];
type Text = Group['texts'][number];

export function drawTextGroups(figure: TextGroups): string {
  const groups = figure.groups.slice(0, MOST_GROUPS).map(card);
  if (groups.length === 0) return nothing(figure);
  const omitted = figure.omitted + figure.groups.length - groups.length;
  const heights = groups.reduce((sum, { height }) => sum + height + BETWEEN, 0);
  return document(figure, {
    width: WIDTH,
    height: heights + (omitted > 0 ? 10 : -BETWEEN),
    draw: (top) => {
      let y = top;
      const cards = groups.map(({ height, draw }) => {
        const drawn = draw(y);
        y += height + BETWEEN;
        return drawn;
      });
      const more = `And ${formatNumber(omitted)} more ${omitted === 1 ? 'group' : 'groups'}, not shown.`;
      return [...cards, omitted > 0 ? text(MARGIN, y + 6, more, { class: 'quiet' }) : ''].join('\n');
    },
  });
}

function card(group: Group) {
  const texts = group.texts.slice(0, MOST_TEXTS).map(entry);
  const omitted = group.texts.length - texts.length;
  const height = HEAD + texts.reduce((sum, { height }) => sum + height, 0) + (omitted > 0 ? NOTE + 8 : 0);
  const draw = (top: number) => {
    let y = top + HEAD;
    const drawn = texts.map((each) => {
      const shown = line(MARGIN, y, MARGIN + WIDTH, y, 'class="rule"') + each.draw(y);
      y += each.height;
      return shown;
    });
    return [
      rect(MARGIN, top, WIDTH, height, 'rx="6" class="panel"'),
      label(MARGIN + PADDING, top + 22, group.label, INNER, { class: 'heading' }),
      ...drawn,
      omitted > 0
        ? text(MARGIN + PADDING, y + 16, `And ${formatNumber(omitted)} more.`, { class: 'quiet' })
        : '',
    ].join('\n');
  };
  return { height, draw };
}

function entry({ pieces, note }: Text) {
  const letters = marked(pieces);
  const lines = wrap(letters, INNER / FONT.text.sizePx, MOST_LINES);
  const rightToLeft = isRightToLeft(letters.map((letter) => letter.text).join(''));
  const height = 10 + lines.length * LINE + (note === '' ? 0 : NOTE) + 6;
  const draw = (top: number) =>
    [
      ...lines.map((letters, i) =>
        textOf(
          rightToLeft ? MARGIN + WIDTH - PADDING : MARGIN + PADDING,
          top + 10 + (i + 1) * LINE - 5,
          rightToLeft,
          spans(letters),
          { anchor: rightToLeft ? 'end' : 'start' },
        ),
      ),
      note === ''
        ? ''
        : label(MARGIN + PADDING, top + 10 + lines.length * LINE + 13, note, INNER, { class: 'quiet' }),
    ].join('\n');
  return { height, draw };
}

/** The letters of all pieces. White space between pieces is kept, as one space, which is never what differs. */
function marked(pieces: Text['pieces']): Marked[] {
  const letters: Marked[] = [];
  const space = () => {
    if (letters.length > 0 && letters.at(-1)!.text !== ' ') letters.push({ ...SPACE, differs: false });
  };
  for (const { text, differs } of pieces) {
    if (/^\s/.test(text)) space();
    for (const letter of lettersOf(clean(text), differs ? 'bold' : 'regular')) {
      letters.push({ ...letter, differs });
    }
    if (/\s$/.test(text)) space();
    if (letters.length > MOST_LETTERS) break;
  }
  return letters;
}

const [SPACE] = lettersOf(' ') as [Letter];

/** Runs of letters that are marked alike; not by colour alone, but by weight and underline too. */
function spans(letters: readonly Marked[]): string {
  const runs: { text: string; differs: boolean }[] = [];
  for (const { text, differs } of letters) {
    const last = runs.at(-1);
    if (last?.differs === differs) last.text += text;
    else runs.push({ text, differs });
  }
  return runs
    .map(({ text, differs }) => (differs ? `<tspan class="alert">${escaped(text)}</tspan>` : escaped(text)))
    .join('');
}
