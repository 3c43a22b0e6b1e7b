import assert from 'node:assert/strict';
import type { Figure } from '../../src/charts/figure.ts';

/** Asserts the kind of chart, and narrows the type. */
export function expectChart<C extends Figure['chart']>(figure: Figure | undefined, chart: C) {
  assert.equal(figure?.chart, chart);
  return figure as Extract<Figure, { chart: C }>;
}
