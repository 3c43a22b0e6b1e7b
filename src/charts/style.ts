/** Colours and sizes of all pictures. Each picture carries them, and so follows the reader's choice of light or dark anywhere. */
import type { Weight } from './font-metrics.ts';

export interface Font {
  sizePx: number;
  weight: Weight;
}
export const FONT = {
  title: { sizePx: 17, weight: 'bold' },
  heading: { sizePx: 13, weight: 'bold' },
  text: { sizePx: 13, weight: 'regular' },
  small: { sizePx: 12, weight: 'regular' },
} as const satisfies Record<string, Font>;

/** Steps of one hue for amounts, from little to much, and the ink that can be read on each: by day, by night. */
const SHADES = {
  light: ['#deebf7', '#b9d5ec', '#8fc1e0', '#5ea4d0', '#2171b5', '#08519c', '#08306b'],
  dark: ['#14304f', '#17406f', '#1c5490', '#2470b8', '#5b9fdb', '#93c4ec', '#d6e9f9'],
};
const WEAK_SHADES = 4;
export const SHADE_COUNT = SHADES.light.length;

/** Colours that the colour-blind can tell apart, after Okabe and Ito; darker by day, for contrast with the ground. */
const HUES = {
  light: ['#0072b2', '#bf5000', '#008562', '#a23b72', '#8f6400', '#5b6470'],
  dark: ['#56b4e9', '#e69f00', '#2fbf94', '#de8fbd', '#f0e442', '#a9b4c0'],
};
export const HUE_COUNT = HUES.light.length;

/** As many names as there are colours: where there are more, the last stands for all others. */
export const namesFor = (series: readonly string[]): readonly string[] =>
  series.length > HUE_COUNT ? [...series.slice(0, HUE_COUNT - 1), 'others'] : series;

const DAY = {
  ground: '#fff',
  panel: '#f5f7fa',
  ink: '#1c2733',
  quiet: '#566270',
  rule: '#d5dce4',
  edge: '#8593a1',
  alert: '#b3470a',
  'on-hue': '#fff',
  ...numbered('shade', SHADES.light),
  ...numbered('on-shade', inks('#0b1220', '#fff')),
  ...numbered('hue', HUES.light),
};
const NIGHT: typeof DAY = {
  ground: '#0f151c',
  panel: '#18212b',
  ink: '#e6edf3',
  quiet: '#9eabb8',
  rule: '#2d3947',
  edge: '#5b6876',
  alert: '#ffb454',
  'on-hue': '#0b1220',
  ...numbered('shade', SHADES.dark),
  ...numbered('on-shade', inks('#fff', '#0b1220')),
  ...numbered('hue', HUES.dark),
};

function numbered(name: string, colours: readonly string[]): Record<string, string> {
  return Object.fromEntries(colours.map((colour, i) => [`${name}-${i}`, colour]));
}

function inks(onWeak: string, onStrong: string): string[] {
  return SHADES.light.map((_, i) => (i < WEAK_SHADES ? onWeak : onStrong));
}

const variables = (colours: Record<string, string>) =>
  Object.entries(colours)
    .map(([name, colour]) => `--${name}:${colour}`)
    .join(';');

/** Everything is below a class of our own: a picture may be put into a page, whose style it must leave alone. */
export const STYLE = `.quaestor{${variables(DAY)};max-width:100%;height:auto;background:var(--ground)}
@media (prefers-color-scheme:dark){.quaestor{${variables(NIGHT)}}}
.quaestor text{font:${FONT.text.sizePx}px "Helvetica Neue",Helvetica,Arial,"Liberation Sans",system-ui,sans-serif;fill:var(--ink)}
.quaestor .title{font-size:${FONT.title.sizePx}px;font-weight:bold}
.quaestor .heading{font-weight:bold}
.quaestor .quiet{font-size:${FONT.small.sizePx}px;fill:var(--quiet)}
.quaestor .alert{fill:var(--alert);font-weight:bold;text-decoration:underline}
.quaestor .on-hue{font-size:${FONT.small.sizePx}px;fill:var(--on-hue)}
.quaestor .value{paint-order:stroke;stroke:var(--ground);stroke-width:5px}
.quaestor .rule{stroke:var(--rule)}
.quaestor .edge{stroke:var(--edge)}
.quaestor .frame{stroke:var(--ink);stroke-width:2;fill:none}
.quaestor .guide{stroke:var(--quiet);stroke-dasharray:5 3;fill:none}
.quaestor .leader{stroke:var(--edge);fill:none}
.quaestor .line{fill:none;stroke-width:2;stroke-linejoin:round}
.quaestor .strong{stroke-width:3.5}
.quaestor .mark{stroke:var(--ground);stroke-width:1.2}
.quaestor .crowd{fill-opacity:.55}
.quaestor .observed{stroke:var(--ink);stroke-width:1.6;fill:var(--ground)}
.quaestor .whisker{stroke:var(--quiet);stroke-width:1.4}
.quaestor .expected{fill:var(--shade-0)}
.quaestor .band{fill:var(--panel)}
.quaestor .clear{fill:none}
.quaestor .panel{fill:var(--panel);stroke:var(--rule)}
${each(SHADE_COUNT, (i) => `.quaestor .shade-${i}{fill:var(--shade-${i})}`)}
${each(SHADE_COUNT, (i) => `.quaestor .on-shade-${i}{font-size:${FONT.small.sizePx}px;fill:var(--on-shade-${i})}`)}
${each(HUE_COUNT, (i) => `.quaestor .hue-${i}{fill:var(--hue-${i})}`)}
${each(HUE_COUNT, (i) => `.quaestor .stroke-${i}{stroke:var(--hue-${i})}`)}`;

function each(count: number, line: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => line(i)).join('\n');
}
