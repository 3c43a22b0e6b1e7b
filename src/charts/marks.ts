/** Marks of series. They differ in shape as well as colour, for colour-blind readers. */
import { type LegendEntry, SWATCH_SIZE } from './legend.ts';
import { px } from './svg.ts';

/** Relative path data, centred on the current point. All shapes have about the same area. */
const SHAPE_PATHS: readonly ((radius: number) => string)[] = [
  circlePath,
  (r) =>
    `m${px(-1.3 * r)} 0l${px(1.3 * r)} ${px(-1.3 * r)} ${px(1.3 * r)} ${px(1.3 * r)} ${px(-1.3 * r)} ${px(1.3 * r)}z`,
  (r) => `m${px(-0.9 * r)} ${px(-0.9 * r)}h${px(1.8 * r)}v${px(1.8 * r)}h${px(-1.8 * r)}z`,
  (r) => `m${px(-1.25 * r)} ${px(r)}h${px(2.5 * r)}l${px(-1.25 * r)} ${px(-2.2 * r)}z`,
  (r) => `m${px(-1.25 * r)} ${px(-r)}h${px(2.5 * r)}l${px(-1.25 * r)} ${px(2.2 * r)}z`,
  crossPath,
];

function circlePath(r: number): string {
  const half = `a${px(r)} ${px(r)} 0 1 0 `;
  return `m${px(-r)} 0${half}${px(2 * r)} 0${half}${px(-2 * r)} 0z`;
}

/** A plus sign: all twelve edges have the same length. */
function crossPath(r: number): string {
  const edge = px(0.8 * r);
  const edges = ['h', 'v', 'h', 'v', 'h-', 'v', 'h-', 'v-', 'h-', 'v-', 'h'].map((command) => command + edge);
  return `m${px(-0.4 * r)} ${px(-1.2 * r)}${edges.join('')}z`;
}

/** The path data of a mark centred on (x, y). */
export const markPath = (shape: number, x: number, y: number, radius: number) =>
  `M${px(x)} ${px(y)}${SHAPE_PATHS[shape % SHAPE_PATHS.length]!(radius)}`;

/** Legend entries of series with these hues. A hue also determines the shape. */
export const buildMarkEntries = (series: readonly string[], hues: readonly number[]): LegendEntry[] =>
  series.map((name, i) => ({
    name,
    renderMark: (x, y) =>
      `<path d="${markPath(hues[i]!, x + SWATCH_SIZE / 2, y + SWATCH_SIZE / 2, 5)}" class="hue-${hues[i]}"/>`,
  }));
