/** Formulae of classical test theory against reference values from R and SciPy. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { feldtInterval } from '../../src/analyses/classical/coefficients.ts';
import { describeDistribution } from '../../src/analyses/classical/distribution.ts';
import { newcombeInterval } from '../../src/analyses/classical/item-indices.ts';
import { studentUpperTail } from '../../src/statistics/beta.ts';
import { fisher, wilson } from '../../src/statistics/intervals.ts';
import { normalQuantile } from '../../src/statistics/special.ts';
import { assertClose } from '../support/numbers.ts';

describe('formulae of classical test theory', () => {
  it('computes Wilson’s interval of a proportion', () => {
    const [low, high] = wilson(7, 10)!;
    assertClose(low, 0.39677814746114526, { absolute: 1e-14 });
    assertClose(high, 0.892208732593699, { absolute: 1e-14 });
    assert.equal(wilson(0, 10)![0], 0);
    assert.equal(wilson(10, 10)![1], 1);
    assert.equal(wilson(0, 0), null);
  });

  it('computes Fisher’s interval of a correlation', () => {
    const [low, high] = fisher(0.5, 20)!;
    assertClose(low, 0.0738105744, { absolute: 1e-9 });
    assertClose(high, 0.7717607064, { absolute: 1e-9 });
    assert.deepEqual(fisher(-1, 30), [-1, -1]);
    assert.equal(fisher(0.5, 3), null);
  });

  it('computes Newcombe’s interval of a difference of proportions', () => {
    const [low, high] = newcombeInterval(14, 3, 20)!;
    assertClose(low, 0.24631398811194127, { absolute: 1e-14 });
    assertClose(high, 0.7327816829761227, { absolute: 1e-14 });
    assertClose(newcombeInterval(2.5, 1, 3)![0], -0.19611616345523342, { absolute: 1e-14 });
    assertClose(newcombeInterval(20, 0, 20)![0], 0.7721346162421945, { absolute: 1e-14 });
    assert.equal(newcombeInterval(20, 0, 20)![1], 1);
    assert.equal(newcombeInterval(0, 0, 0), null);
  });

  it('computes quantiles of the normal distribution', () => {
    const QUANTILES: [p: number, z: number][] = [
      [1e-300, -37.0470962993612],
      [1e-20, -9.262340089798409],
      [0.01, -2.3263478740408408],
      [0.5, 0],
      [0.6, 0.2533471031357997],
      [0.975, 1.959963984540054],
    ];
    for (const [p, z] of QUANTILES) assertClose(normalQuantile(p), z, { absolute: 1e-13 });
  });

  it('computes skewness and kurtosis from k-statistics', () => {
    const { skewness, kurtosis, median } = describeDistribution(
      Float64Array.of(2, 3, 3, 5, 7, 7, 7, 8, 9, 12),
    );
    assertClose(skewness, 0.2686743244914374);
    assertClose(kurtosis, -0.2858565028798967);
    assert.equal(median, 7);
    assert.equal(describeDistribution(Float64Array.of(4, 4, 4, 4)).skewness, null);
  });

  it('computes Feldt’s interval of alpha', () => {
    const [low, high] = feldtInterval(0.8, 10, 5)!;
    assertClose(low, 1 - 0.2 * 2.492244508891609);
    assert.ok(high > 0.8 && high < 1);
    assert.equal(feldtInterval(0.8, 1, 5), null);
  });

  it('computes the tails of Student’s t', () => {
    assertClose(studentUpperTail(2, 10), 0.0366940173853702, { absolute: 1e-14 });
    assertClose(studentUpperTail(-1, 3), 0.8044988905221148, { absolute: 1e-13 });
    assertClose(studentUpperTail(10, 3.7), 0.00041198342091232115, { absolute: 1e-15 });
  });
});
