/**
 * Fonts, colours and the style sheet of all charts. Each SVG embeds the style sheet, so that it
 * follows the reader's light or dark colour scheme wherever it is shown. Lengths are in px.
 */
import type { Tone } from './figure.ts';
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

/** Sequential palette for amounts, from low to high. */
const SHADES = {
  light: ['#deebf7', '#b9d5ec', '#8fc1e0', '#5ea4d0', '#2171b5', '#08519c', '#08306b'],
  dark: ['#14304f', '#17406f', '#1c5490', '#2470b8', '#5b9fdb', '#93c4ec', '#d6e9f9'],
};
/** In the light theme the first shades carry dark text, the others light text. */
const LIGHT_SHADE_COUNT = 4;
export const SHADE_COUNT = SHADES.light.length;

/**
 * The first six hues have a meaning, the same in all charts (TONE_HUES); they are the palette for
 * colour-blind readers of Okabe & Ito, darker in the light theme. The others tell series apart.
 */
const HUES = {
  light: [
    ...['#0072b2', '#bf5000', '#008562', '#a23b72', '#8f6400', '#5b6470'],
    ...['#6a4fb3', '#007d8f', '#5f6b00', '#b3325f', '#7a5238'],
  ],
  dark: [
    ...['#56b4e9', '#e69f00', '#2fbf94', '#de8fbd', '#f0e442', '#a9b4c0'],
    ...['#b7a6f5', '#4cc9d8', '#c3d05a', '#ff9db5', '#d3a98a'],
  ],
};
const HUE_COUNT = HUES.light.length;

const TONE_HUES: Record<Tone, number> = {
  neutral: 0,
  serious: 1,
  good: 2,
  uncertain: 3,
  moderate: 4,
  unknown: 5,
};
/** The hues of series without a tone, except for the first, which is `neutral`. */
const SERIES_HUES = [6, 7, 8, 9, 10];
export const MAX_SERIES = SERIES_HUES.length + 1;

/** The hue of a series: that of its tone or, by its index, one without a meaning. */
export function getHue(tone: Tone | undefined, index: number): number {
  if (tone && tone in TONE_HUES) return TONE_HUES[tone];
  return index === 0 ? TONE_HUES.neutral : getSeriesHue(index - 1);
}

/** A hue without a meaning. */
export const getSeriesHue = (index: number) => SERIES_HUES[index % SERIES_HUES.length]!;

/** The names of at most MAX_SERIES series: the last ones are merged into "others". */
export const toSeriesNames = (series: readonly string[]): readonly string[] =>
  series.length > MAX_SERIES ? [...series.slice(0, MAX_SERIES - 1), 'others'] : series;

const LIGHT_THEME = {
  background: '#fff',
  panel: '#f5f7fa',
  foreground: '#1c2733',
  muted: '#566270',
  rule: '#d5dce4',
  edge: '#8593a1',
  alert: '#b3470a',
  'on-hue': '#fff',
  ...toNumberedColours('shade', SHADES.light),
  ...toNumberedColours('on-shade', toShadeTextColours('#0b1220', '#fff')),
  ...toNumberedColours('hue', HUES.light),
};
const DARK_THEME: typeof LIGHT_THEME = {
  background: '#0f151c',
  panel: '#18212b',
  foreground: '#e6edf3',
  muted: '#9eabb8',
  rule: '#2d3947',
  edge: '#5b6876',
  alert: '#ffb454',
  'on-hue': '#0b1220',
  ...toNumberedColours('shade', SHADES.dark),
  ...toNumberedColours('on-shade', toShadeTextColours('#fff', '#0b1220')),
  ...toNumberedColours('hue', HUES.dark),
};

function toNumberedColours(name: string, colours: readonly string[]): Record<string, string> {
  return Object.fromEntries(colours.map((colour, i) => [`${name}-${i}`, colour]));
}

function toShadeTextColours(onLight: string, onDark: string): string[] {
  return SHADES.light.map((_, i) => (i < LIGHT_SHADE_COUNT ? onLight : onDark));
}

const toCssVariables = (colours: Record<string, string>) =>
  Object.entries(colours)
    .map(([name, colour]) => `--${name}:${colour}`)
    .join(';');

/** All rules are scoped to `.quaestor`: an inlined chart must not restyle its page. */
export const STYLE = `.quaestor{${toCssVariables(LIGHT_THEME)};max-width:100%;height:auto;background:var(--background)}
@media screen and (prefers-color-scheme:dark){.quaestor{${toCssVariables(DARK_THEME)}}}
.quaestor text{font:${FONT.text.sizePx}px "Helvetica Neue",Helvetica,Arial,"Liberation Sans",system-ui,sans-serif;fill:var(--foreground)}
.quaestor .title{font-size:${FONT.title.sizePx}px;font-weight:bold}
.quaestor .heading{font-weight:bold}
.quaestor .muted{font-size:${FONT.small.sizePx}px;fill:var(--muted)}
.quaestor .alert{fill:var(--alert);font-weight:bold;text-decoration:underline}
.quaestor .on-hue{font-size:${FONT.small.sizePx}px;fill:var(--on-hue)}
.quaestor .value{paint-order:stroke;stroke:var(--background);stroke-width:5px}
.quaestor .rule{stroke:var(--rule)}
.quaestor .edge{stroke:var(--edge)}
.quaestor .frame{stroke:var(--foreground);stroke-width:2;fill:none}
.quaestor .guide{stroke:var(--muted);stroke-dasharray:5 3;fill:none}
.quaestor .leader{stroke:var(--edge);fill:none}
.quaestor .line{fill:none;stroke-width:2;stroke-linejoin:round}
.quaestor .strong{stroke-width:3.5}
.quaestor .mark{stroke:var(--background);stroke-width:1.2}
.quaestor .crowd{fill-opacity:.55}
.quaestor .observed{stroke:var(--foreground);stroke-width:1.6;fill:var(--background)}
.quaestor .dash{stroke:var(--hue-0);stroke-width:3}
.quaestor .whisker{stroke:var(--muted);stroke-width:1.4}
.quaestor .expected{fill:var(--shade-0)}
.quaestor .band{fill:var(--panel)}
.quaestor .clear{fill:none}
.quaestor .panel{fill:var(--panel);stroke:var(--rule)}
${repeatRule(SHADE_COUNT, (i) => `.quaestor .shade-${i}{fill:var(--shade-${i})}`)}
${repeatRule(SHADE_COUNT, (i) => `.quaestor .on-shade-${i}{font-size:${FONT.small.sizePx}px;fill:var(--on-shade-${i})}`)}
${repeatRule(HUE_COUNT, (i) => `.quaestor .hue-${i}{fill:var(--hue-${i})}`)}
${repeatRule(HUE_COUNT, (i) => `.quaestor .stroke-${i}{stroke:var(--hue-${i})}`)}`;

function repeatRule(count: number, line: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => line(i)).join('\n');
}
