/** Draws any figure. */
import { drawCurves } from './curves.ts';
import { drawDistributions } from './distributions.ts';
import type { Figure } from './figure.ts';
import { drawHeatMap } from './heat-map.ts';
import { drawIntervals } from './intervals.ts';
import { drawScatter } from './scatter.ts';
import { drawStackedBars } from './stacked-bars.ts';
import { drawTextGroups } from './text-groups.ts';
import { drawWrightMap } from './wright-map.ts';

/** The figure as an SVG document. The same figure always gives the same text. */
export function draw(figure: Figure): string {
  switch (figure.chart) {
    case 'heat-map':
      return drawHeatMap(figure);
    case 'stacked-bars':
      return drawStackedBars(figure);
    case 'distributions':
      return drawDistributions(figure);
    case 'text-groups':
      return drawTextGroups(figure);
    case 'scatter':
      return drawScatter(figure);
    case 'curves':
      return drawCurves(figure);
    case 'wright-map':
      return drawWrightMap(figure);
    case 'intervals':
      return drawIntervals(figure);
  }
}
