/** Renders a figure as an SVG document, by the renderer of its chart type. */
import { renderCurves } from './curves.ts';
import { renderDistributions } from './distributions.ts';
import type { Figure } from './figure.ts';
import { renderHeatMap } from './heat-map.ts';
import { renderIntervals } from './intervals.ts';
import { renderScatter } from './scatter.ts';
import { renderStackedBars } from './stacked-bars.ts';
import { renderTextGroups } from './text-groups.ts';
import { renderWrightMap } from './wright-map.ts';

/** Deterministic: the same figure always gives the same text. */
export function renderFigure(figure: Figure): string {
  switch (figure.chart) {
    case 'heat-map':
      return renderHeatMap(figure);
    case 'stacked-bars':
      return renderStackedBars(figure);
    case 'distributions':
      return renderDistributions(figure);
    case 'text-groups':
      return renderTextGroups(figure);
    case 'scatter':
      return renderScatter(figure);
    case 'curves':
      return renderCurves(figure);
    case 'wright-map':
      return renderWrightMap(figure);
    case 'intervals':
      return renderIntervals(figure);
  }
}
