/**
 * Distribution tails, entropy, χ² tests and Cramér's V against SciPy and against mpmath at 40
 * digits.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { association, goodnessOfFit } from '../../src/statistics/contingency.ts';
import { entropy, evenness, mean, quantile } from '../../src/statistics/descriptive.ts';
import { chiSquaredUpperTail, normalUpperTail } from '../../src/statistics/special.ts';
import { assertClose } from '../support/numbers.ts';

const COUNTS = [120, 80, 60, 200, 90, 50];
const TABLE = [
  [30, 50, 40],
  [20, 40, 20],
  [10, 30, 20],
  [80, 80, 40],
  [30, 40, 20],
  [5, 20, 25],
];

describe('upper tails', () => {
  const NORMAL: [z: number, tail: number][] = [
    [-8, 1 - 6.22096057427174e-16],
    [-2, 0.9772498680518208],
    [0, 0.5],
    [0.5, 1 - 0.6914624612740131],
    [1, 0.15865525393145705],
    [3, 0.0013498980316300933],
    [5, 2.866515718791939e-7],
    [10, 7.619853024160525e-24],
    [20, 2.7536241186062337e-89],
    [37.5, 4.605353009581955e-308],
  ];
  for (const [z, tail] of NORMAL)
    it(`of the normal distribution above ${z}`, () =>
      assertClose(normalUpperTail(z), tail, { relative: 2e-13 }));

  const CHI_SQUARED: [x: number, freedom: number, tail: number][] = [
    [0, 1, 1],
    [0.5, 1, 0.47950012218695337],
    [0.5, 10, 0.999993388289439],
    [3.84145882069412, 1, 0.05000000000000028],
    [3.84145882069412, 2, 0.14650006448608463],
    [10, 10, 0.44049328506521257],
    [50, 2, 1.3887943864964e-11],
    [100, 1, 1.523970604832105e-23],
    [200, 10, 1.6139305336977317e-37],
    [1_100, 1_000, 0.014614408126295194],
    [9_000, 10_000, 0.999999999999873],
    [110_000, 100_000, 2.5841772471794118e-104],
  ];
  for (const [x, freedom, tail] of CHI_SQUARED) {
    it(`of χ² with ${freedom} degrees of freedom above ${x}`, () =>
      assertClose(chiSquaredUpperTail(x, freedom), tail, { relative: 1e-11 }));
  }

  it('underflow to 0 and saturate at 1', () => {
    assert.equal(normalUpperTail(Infinity), 0);
    assert.equal(normalUpperTail(-Infinity), 1);
    assert.equal(chiSquaredUpperTail(1e9, 3), 0);
    assert.equal(chiSquaredUpperTail(Infinity, 3), 0);
  });
});

describe('entropy and evenness', () => {
  it('match SciPy', () => {
    assertClose(entropy(COUNTS), 1.6786474759631123, { relative: 1e-12 });
    assertClose(evenness(COUNTS), 0.9368709945684424, { relative: 1e-12 });
    assert.equal(evenness([7, 7, 7]), 1);
    assert.equal(evenness([7, 0, 0]), 0);
  });
  it('are null without counts, and evenness for a single class', () => {
    assert.equal(entropy([]), null);
    assert.equal(entropy([0, 0]), null);
    assert.equal(evenness([0, 0]), null);
    assert.equal(evenness([3]), null);
  });
});

describe('goodness of fit', () => {
  it('is tested against equal proportions', () => {
    const test = goodnessOfFit(COUNTS, [1, 1, 1, 1, 1, 1]);
    assertClose(test.chi_squared, 150, { relative: 1e-12 });
    assertClose(test.p_value, 1.3351378873003031e-30, { relative: 1e-9 });
    assert.equal(test.degrees_of_freedom, 5);
  });
  it('is tested against weights of any sum', () => {
    const test = goodnessOfFit(COUNTS, [2, 2, 1, 3, 1, 1]);
    assertClose(test.chi_squared, 32.22222222222222, { relative: 1e-12 });
    assertClose(test.p_value, 5.368592773179011e-6, { relative: 1e-9 });
  });
  it('ignores classes with weight 0', () => {
    assert.deepEqual(goodnessOfFit([4, 6, 90], [1, 1, 0]), goodnessOfFit([4, 6], [1, 1]));
  });
  const UNDEFINED: [observed: number[], weights: number[]][] = [
    [[], []],
    [[5], [1]],
    [
      [5, 5],
      [0, 1],
    ],
    [
      [0, 0],
      [1, 1],
    ],
  ];
  for (const [observed, weights] of UNDEFINED) {
    it(`is undefined for ${JSON.stringify(observed)} with weights ${JSON.stringify(weights)}`, () => {
      const { chi_squared, p_value, reason } = goodnessOfFit(observed, weights);
      assert.deepEqual([chi_squared, p_value], [null, null]);
      assert.ok(reason);
    });
  }
  const COCHRAN: [observed: number[], doubtful: boolean][] = [
    [[5, 5, 5, 5, 5], false],
    [[4, 4, 5, 5, 5], true],
    [[100, 0.5], true],
  ];
  for (const [expected, doubtful] of COCHRAN) {
    it(`is ${doubtful ? '' : 'not '}doubtful for expected counts ${expected.join(', ')}`, () =>
      assert.equal(goodnessOfFit(expected, expected).doubtful, doubtful));
  }
});

describe('association', () => {
  it('matches SciPy', () => {
    const found = association(TABLE);
    assertClose(found.chi_squared, 38.08136308136309, { relative: 1e-12 });
    assertClose(found.p_value, 3.673370515881921e-5, { relative: 1e-9 });
    assertClose(found.cramers_v, 0.17814171110233906, { relative: 1e-12 });
    assertClose(found.cramers_v_corrected, 0.15318476746725976, { relative: 1e-12 });
    assert.equal(found.degrees_of_freedom, 10);
    assert.equal(found.doubtful, false);
  });
  it('is 1 where the row determines the column', () => {
    const { cramers_v, cramers_v_corrected } = association([
      [10, 0],
      [0, 10],
    ]);
    assert.deepEqual([cramers_v, cramers_v_corrected], [1, 1]);
  });
  it('is corrected to 0 where it is what chance would give', () => {
    const found = association([
      [3, 1],
      [1, 2],
      [2, 2],
    ]);
    assertClose(found.cramers_v, 0.3374742788552765, { relative: 1e-12 });
    assert.equal(found.cramers_v_corrected, 0);
    assert.equal(found.doubtful, true);
  });
  it('ignores empty rows and columns', () => {
    assert.deepEqual(association([...TABLE.map((row) => [...row, 0]), [0, 0, 0, 0]]), association(TABLE));
  });
  for (const table of [
    [],
    [[0, 0, 0]],
    [[3, 4, 5]],
    [
      [3, 0],
      [4, 0],
    ],
  ]) {
    it(`is undefined for ${JSON.stringify(table)}`, () => {
      const { cramers_v, cramers_v_corrected, reason } = association(table);
      assert.deepEqual([cramers_v, cramers_v_corrected], [null, null]);
      assert.ok(reason);
    });
  }
  it('has no corrected value where every row has a single count', () => {
    const { cramers_v, cramers_v_corrected } = association([
      [1, 0],
      [0, 1],
    ]);
    assert.deepEqual([cramers_v, cramers_v_corrected], [1, null]);
  });
});

describe('mean and quantile', () => {
  it('are null for an empty list', () => {
    assert.equal(mean([1, 2, 6]), 3);
    assert.equal(quantile([1, 2, 3, 10], 0.5), 2.5);
    assert.equal(quantile([1, 2, 3, 10], 1), 10);
    assert.equal(quantile([4], 0.25), 4);
    assert.equal(mean([]), null);
    assert.equal(quantile([], 0.5), null);
  });
});
