/** Marks for series of things, which differ in shape as well as in colour. */
import type { Entry } from './legend.ts';
import { SWATCH } from './legend.ts';
import { HUE_COUNT } from './style.ts';
import { at } from './svg.ts';

/** Outlines about the place they are drawn at, all of about the same area. */
const SHAPES: readonly ((radius: number) => string)[] = [
  circle,
  (r) =>
    `m${at(-1.3 * r)} 0l${at(1.3 * r)} ${at(-1.3 * r)} ${at(1.3 * r)} ${at(1.3 * r)} ${at(-1.3 * r)} ${at(1.3 * r)}z`,
  (r) => `m${at(-0.9 * r)} ${at(-0.9 * r)}h${at(1.8 * r)}v${at(1.8 * r)}h${at(-1.8 * r)}z`,
  (r) => `m${at(-1.25 * r)} ${at(r)}h${at(2.5 * r)}l${at(-1.25 * r)} ${at(-2.2 * r)}z`,
  (r) => `m${at(-1.25 * r)} ${at(-r)}h${at(2.5 * r)}l${at(-1.25 * r)} ${at(2.2 * r)}z`,
  cross,
];

function circle(r: number): string {
  const half = `a${at(r)} ${at(r)} 0 1 0 `;
  return `m${at(-r)} 0${half}${at(2 * r)} 0${half}${at(-2 * r)} 0z`;
}

/** Two bars across each other: all its edges are of one length. */
function cross(r: number): string {
  const edge = at(0.8 * r);
  const edges = ['h', 'v', 'h', 'v', 'h-', 'v', 'h-', 'v-', 'h-', 'v-', 'h'].map((way) => way + edge);
  return `m${at(-0.4 * r)} ${at(-1.2 * r)}${edges.join('')}z`;
}

/** Where a mark is, as the data of a path. */
export const markAt = (series: number, x: number, y: number, radius: number) =>
  `M${at(x)} ${at(y)}${SHAPES[series % SHAPES.length]!(radius)}`;

/** What the marks stand for. */
export const markEntries = (series: readonly string[]): Entry[] =>
  series.map((name, i) => ({
    name,
    mark: (x, y) =>
      `<path d="${markAt(i, x + SWATCH / 2, y + SWATCH / 2, 5)}" class="hue-${i % HUE_COUNT}"/>`,
  }));
