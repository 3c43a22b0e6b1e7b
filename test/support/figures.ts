import assert from 'node:assert/strict';
import type { Figure } from '../../src/charts/figure.ts';

/** The figure, which must be of this kind of chart. */
export function expectChart<C extends Figure['chart']>(figure: Figure | undefined, chart: C) {
  assert.equal(figure?.chart, chart);
  return figure as Extract<Figure, { chart: C }>;
}
