/**
 * Advance widths of characters. There is no browser on the server to measure text, so widths are
 * estimated from the widest fonts that the style sheet may resolve to: for each ASCII character,
 * the larger of DejaVu Sans (the default on most Linux systems) and Helvetica/Arial. An estimate is
 * thus an upper bound on all common systems, and text that is fitted to a width stays within it.
 */

export type Weight = 'regular' | 'bold';

/** In thousandths of an em, for U+0020 to U+007E. */
// biome-ignore format: one row for each 16 code points
const REGULAR = [
  318, 401, 460, 838, 637, 951, 780, 275, 391, 391, 500, 838, 318, 361, 318, 337,
  637, 637, 637, 637, 637, 637, 637, 637, 637, 637, 337, 337, 838, 838, 838, 556,
  1015, 685, 687, 722, 771, 667, 611, 778, 752, 295, 500, 667, 558, 863, 749, 788,
  667, 788, 722, 667, 611, 732, 685, 989, 686, 667, 686, 391, 337, 391, 838, 556,
  500, 613, 635, 550, 635, 616, 353, 635, 634, 278, 278, 580, 278, 975, 634, 612,
  635, 635, 412, 521, 393, 634, 592, 818, 592, 592, 525, 637, 337, 637, 838,
];
// biome-ignore format: one row for each 16 code points
const BOLD = [
  349, 457, 521, 838, 696, 1002, 873, 307, 458, 458, 523, 838, 380, 416, 380, 366,
  696, 696, 696, 696, 696, 696, 696, 696, 696, 696, 400, 400, 838, 838, 838, 611,
  1000, 774, 763, 734, 831, 684, 684, 821, 837, 373, 556, 775, 638, 996, 837, 851,
  733, 851, 771, 721, 683, 813, 774, 1104, 771, 725, 726, 458, 366, 458, 838, 556,
  500, 675, 716, 593, 716, 679, 436, 716, 712, 343, 343, 666, 343, 1042, 712, 688,
  716, 716, 494, 596, 479, 712, 652, 924, 646, 652, 583, 712, 366, 712, 838,
];
const FIRST_ASCII = 0x20;

/** In ems, for code points from `from` up to the next row. */
const WIDTHS_FROM: readonly [from: number, width: number][] = [
  [0x1f000, 1.4],
  [0x1d400, 0.85],
  [0xff61, 0.6],
  [0xfe70, 0.65],
  [0xfdf0, 2],
  [0xfb1d, 0.65],
  [0x2e80, 1.05],
  [0x2020, 1],
  [0x2018, 0.58],
  [0x2000, 1],
  [0x0900, 0.85],
  [0x0590, 0.62],
  [0x0370, 0.78],
  [0x00a0, 0.84],
  [0, 0.64],
];
/** How much wider bold characters outside ASCII are. */
const BOLD_FACTOR = 1.13;

/** The width of one character for a font of size 1. */
export function characterWidth(character: string, weight: Weight = 'regular'): number {
  const ascii = asciiWidth(character, weight) ?? asciiWidth(character.normalize('NFD')[0]!, weight);
  if (ascii !== undefined) return ascii / 1000;
  const codePoint = character.codePointAt(0)!;
  const [, width] = WIDTHS_FROM.find(([from]) => codePoint >= from)!;
  return weight === 'bold' ? width * BOLD_FACTOR : width;
}

const asciiWidth = (character: string, weight: Weight): number | undefined =>
  (weight === 'bold' ? BOLD : REGULAR)[character.charCodeAt(0) - FIRST_ASCII];
