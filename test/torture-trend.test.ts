/** The trend by which the torture case `soak` judges a series. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { estimateGrowth, isFlat } from '../torture/support/trend.ts';
import { mulberry32 } from './support/random.ts';

describe('trend of a series', () => {
  const random = mulberry32(1);
  const build = (level: (i: number) => number) => ({
    name: 'rss_mib',
    maxGrowth: 50,
    values: Array.from({ length: 600 }, (_, i) => level(i)),
  });

  it('is flat for noise, and after a plateau is reached', () => {
    assert.ok(isFlat(build(() => 300 + 80 * random())));
    assert.ok(isFlat(build((i) => Math.min(i, 300) + 10 * random())));
  });

  it('is flat despite spikes in every fifth sample', () => {
    assert.ok(isFlat(build((i) => (i % 5 === 0 ? 2_000 : 300))));
  });

  it('is not flat for a leak of 100 MiB in the second half, under noise', () => {
    const leak = build((i) => 300 + i / 3 + 80 * random());
    assert.ok(Math.abs(estimateGrowth(leak) - 100) < 15, `${estimateGrowth(leak)}`);
    assert.ok(!isFlat(leak));
  });

  it('takes the lower bound of a sawtooth', () => {
    const sawtooth = build((i) => 100 + (i % 20) * 10 + i / 6);
    assert.ok(Math.abs(estimateGrowth({ ...sawtooth, reduce: 'min' }) - 50) < 10);
  });

  it('is defined for few samples', () => {
    assert.equal(estimateGrowth({ name: 'x', maxGrowth: 1, values: [5] }), 0);
    assert.equal(estimateGrowth({ name: 'x', maxGrowth: 1, values: [1, 2, 3, 4] }), 1);
  });
});
